/** Sellers, customers' details, tax rates and number series, as requests change them. */
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop } from '../../support/shop.ts';

let app: TestApp;
let client: Client;
let other: Client;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme', clock: '2026-03-01T00:00:00.000Z', timezone: 'Europe/Berlin' });
  other = await app.tenant({ alias: 'globex' });
});
afterAll(() => app.close());

/** A PNG image of noise, which does not compress. */
function drawPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const pixels = Array.from({ length: side }, () => Buffer.concat([Buffer.alloc(1), randomBytes(3 * side)]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.concat(pixels));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
// Longer than other texts in variables may be.
const png = drawPng(150).toString('base64');

const address = '{ line1 line2 city postalCode region country }';
const customerFields = `id companyName address ${address} taxIds { type value } locale taxExempt taxRateId`;
const sellerFields = `legalName address ${address} taxIds { type value } registration bankAccount { iban } footer logoId`;
const berlin = { line1: 'Chausseestr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' };
const wholeBerlin = { ...berlin, line2: null, region: null };
const nothing = {
  companyName: null,
  address: null,
  taxIds: [],
  locale: null,
  taxExempt: false,
  taxRateId: null,
};

let made = 0;
const createCustomer = async (details: object = {}, by = client) => {
  const names = {
    email: 'ada@example.org',
    firstName: 'Ada',
    lastName: 'Lovelace',
    associatedId: `own-${++made}`,
  };
  const { body } = await by.post(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { ${customerFields} } }`,
    { input: { ...names, ...details } },
  );
  return body.errors ? body.errors[0].extensions : body.data.createCustomer;
};
const updateCustomer = async (id: string, input: object, by = client) => {
  const { body } = await by.post(
    `mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { ${customerFields} } }`,
    { id, input },
  );
  return body.errors ? body.errors[0].extensions : body.data.updateCustomer;
};
const updateTenant = async (input: object, by = client) => {
  const { body } = await by.post(
    `mutation ($input: UpdateTenantInput!) {
      updateTenant(input: $input) {
        bankAccount { iban } invoiceGraceHours seller { ${sellerFields} }
      }
    }`,
    { input },
  );
  return body.errors ? body.errors[0].extensions : body.data.updateTenant;
};
const rateFields =
  'id name country region postalCode taxCode category percent effectiveFrom archived archivedAt';
const createRate = async (input: object, by = client) => {
  const { body } = await by.post(
    `mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { ${rateFields} } }`,
    { input },
  );
  return body.errors ? body.errors[0].extensions : body.data.createTaxRate;
};
const updateSeries = async (kind: string, input: object, by = client) => {
  const { body } = await by.post(
    `mutation ($input: UpdateNumberSeriesInput!) {
      updateNumberSeries(input: $input) { kind prefix pattern reset example }
    }`,
    { input: { kind, ...input } },
  );
  return body.errors ? body.errors[0].extensions : body.data.updateNumberSeries;
};

const refused = (path: string) => ({ reason: 'validation_failed', issues: [{ path }] });

describe('a customer', () => {
  it('has none of the details unless they are given', async () => {
    expect(await createCustomer()).toMatchObject(nothing);
  });

  it('has them in their canonical form', async () => {
    const created = await createCustomer({
      companyName: ' Analytical Engines ',
      address: { ...berlin, country: 'de', line2: '' },
      taxIds: [
        { type: 'eu_vat', value: 'de 111.111.125' },
        { type: 'other', value: '12/345/67890' },
      ],
      locale: 'DE-at',
      taxExempt: true,
    });
    expect(created).toMatchObject({
      companyName: 'Analytical Engines',
      address: wholeBerlin,
      taxIds: [
        { type: 'eu_vat', value: 'DE111111125' },
        { type: 'other', value: '12/345/67890' },
      ],
      locale: 'de-AT',
      taxExempt: true,
    });
    const { customer, customers } = await client.graphql(
      `query ($id: ID!) { customer(id: $id) { ${customerFields} } customers(first: 1) { nodes { ${customerFields} } } }`,
      { id: created.id },
    );
    expect(customer).toEqual(created);
    expect(customers.nodes).toEqual([created]);
  });

  it('keeps what a change omits, and loses what it sets to null', async () => {
    const { id } = await createCustomer({ companyName: 'A', address: berlin, locale: 'de', taxExempt: true });
    expect(await updateCustomer(id, { companyName: 'B' })).toMatchObject({
      companyName: 'B',
      address: wholeBerlin,
      locale: 'de',
      taxExempt: true,
    });
    expect(await updateCustomer(id, { address: { country: 'FR' } })).toMatchObject({
      address: { line1: null, line2: null, city: null, postalCode: null, region: null, country: 'FR' },
    });
    const none = {
      companyName: null,
      address: null,
      taxIds: null,
      locale: null,
      taxExempt: null,
      taxRateId: null,
    };
    expect(await updateCustomer(id, none)).toEqual({ id, ...nothing });
  });

  it.each([
    ['eu_vat', 'BE 1000.000.021', 'BE1000000021'],
    ['eu_vat', 'CY60001744K', 'CY60001744K'],
    ['eu_vat', 'LV32867300679', 'LV32867300679'],
    ['gb_vat', 'XI980780684', 'XI980780684'],
  ])('may have a VAT id of a newer form: %s %s', async (type, value, stored) => {
    expect(await createCustomer({ taxIds: [{ type, value }] })).toMatchObject({
      taxIds: [{ type, value: stored }],
    });
  });

  const wrong: [string, object, string][] = [
    ['a wrong check digit', { taxIds: [{ type: 'eu_vat', value: 'DE111111126' }] }, 'taxIds.0.value'],
    [
      'the second of two ids',
      {
        taxIds: [
          { type: 'eu_vat', value: 'DE111111125' },
          { type: 'eu_vat', value: 'GB434031494' },
        ],
      },
      'taxIds.1.value',
    ],
    ['an empty id', { taxIds: [{ type: 'other', value: ' ' }] }, 'taxIds.0.value'],
    ['markup', { taxIds: [{ type: 'other', value: '<b>1</b>' }] }, 'taxIds.0.value'],
    ['an id twice', { taxIds: [1, 2].map(() => ({ type: 'eu_vat', value: 'DE111111125' })) }, 'taxIds'],
    [
      'six ids',
      { taxIds: [1, 2, 3, 4, 5, 6].map((value) => ({ type: 'other', value: String(value) })) },
      'taxIds',
    ],
    ['a country that is none', { address: { country: 'XX' } }, 'address.country'],
    ['a name of a country', { address: { country: 'Germany' } }, 'address.country'],
    ['a line end', { address: { country: 'DE', line1: 'a\nb' } }, 'address.line1'],
    ['a mark of direction', { address: { country: 'DE', city: 'a\u202Eb' } }, 'address.city'],
    ['a long line', { address: { country: 'DE', city: 'x'.repeat(201) } }, 'address.city'],
    ['a long name', { companyName: 'x'.repeat(201) }, 'companyName'],
    ['no language', { locale: 'no language' }, 'locale'],
    ['an empty language', { locale: '' }, 'locale'],
  ];
  it.each(wrong)('%s is refused', async (_, details, path) => {
    expect(await createCustomer(details)).toMatchObject(refused(path));
    const { id } = await createCustomer({ companyName: 'Kept' });
    expect(await updateCustomer(id, details)).toMatchObject(refused(path));
    expect(await updateCustomer(id, {})).toMatchObject({ ...nothing, companyName: 'Kept' });
  });

  it('may have a tax rate of the tenant that is not archived', async () => {
    const rate = await createRate({ country: 'DE', percent: '7' });
    const created = await createCustomer({ taxRateId: rate.id });
    expect(created.taxRateId).toBe(rate.id);
    const unknown = { reason: 'tax_rate_not_found', issues: [{ path: 'taxRateId' }] };
    expect(await createCustomer({ taxRateId: 'txr_none' })).toMatchObject(unknown);
    expect(await createCustomer({ taxRateId: rate.id }, other)).toMatchObject(unknown);
    await client.graphql('mutation ($id: ID!) { archiveTaxRate(id: $id) { id } }', { id: rate.id });
    expect(await updateCustomer(created.id, { taxRateId: rate.id })).toMatchObject(refused('taxRateId'));
  });

  it('is the same over REST, with and without details', async () => {
    const { id } = await createCustomer({ companyName: 'Engines', address: berlin });
    const { body } = await client.rest('GET', `/customers/${id}`, { tenantAlias: 'acme' });
    const fields = 'id firstName lastName email associatedId tenantAlias metadata createdAt';
    expect(Object.keys(body)).toEqual(fields.split(' '));
    const wider = {
      tenantAlias: 'acme',
      companyName: 'x',
      email: 'a@example.org',
      firstName: 'a',
      lastName: 'b',
    };
    const refusal = await client.rest('POST', '/customers', { ...wider, associatedId: 'rest-1' });
    expect(refusal.status).toBe(400);
  });
});

describe('a seller', () => {
  const seller = {
    legalName: 'Acme GmbH',
    address: berlin,
    taxIds: [{ type: 'eu_vat', value: 'DE 136695976' }],
    registration: 'Amtsgericht Berlin HRB 1234',
    footer: 'Geschäftsführung: Ada Lovelace\nBerlin',
  };
  const stored = {
    ...seller,
    address: wholeBerlin,
    taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
    bankAccount: null,
    logoId: null,
  };
  const account = { accountHolder: 'Acme GmbH', iban: 'DE89 3704 0044 0532 0130 00' };

  it('is replaced as a whole, but for its logo and its bank account', async () => {
    expect((await updateTenant({ seller })).seller).toEqual(stored);
    const withLogo = await updateTenant({ seller: { ...seller, logo: png, bankAccount: account } });
    const { logoId } = withLogo.seller;
    expect(logoId).toMatch(/^[0-9a-f]{64}$/);
    expect(withLogo.bankAccount).toEqual({ iban: 'DE89370400440532013000' });
    expect(withLogo.seller.bankAccount).toEqual(withLogo.bankAccount);
    const renamed = await updateTenant({ seller: { legalName: 'Acme SE' } });
    expect(renamed.seller).toEqual({
      legalName: 'Acme SE',
      address: null,
      taxIds: [],
      registration: null,
      footer: null,
      bankAccount: withLogo.bankAccount,
      logoId,
    });
    // The same logo again is the same record.
    expect((await updateTenant({ seller: { ...seller, logo: png } })).seller.logoId).toBe(logoId);
    const rows = await app.backdoor.all("select id from logos where tenant_alias = 'acme'");
    expect(rows).toEqual([{ id: logoId }]);
    const bare = await updateTenant({ seller: { ...seller, logo: null, bankAccount: null } });
    expect(bare).toMatchObject({ bankAccount: null, seller: { logoId: null, bankAccount: null } });
    expect((await updateTenant({ seller: null })).seller).toBeNull();
    expect((await updateTenant({}, other)).seller).toBeNull();
  });

  const wrong: [string, object, string][] = [
    ['no name', { legalName: ' ' }, 'seller.legalName'],
    ['a tax id', { taxIds: [{ type: 'ch_vat', value: 'CHE123' }] }, 'seller.taxIds.0.value'],
    ['a country', { address: { country: 'EU' } }, 'seller.address.country'],
    ['an account', { bankAccount: { accountHolder: 'A', iban: 'DE1' } }, 'seller.bankAccount.iban'],
    ['a footer', { footer: 'x'.repeat(1001) }, 'seller.footer'],
    ['a mark of direction in a footer', { footer: 'Berlin\n\u202Enilreb' }, 'seller.footer'],
    ['a control character in a footer', { footer: 'Berlin\u0007' }, 'seller.footer'],
    ['a logo that is no base64', { logo: '<svg/>' }, 'seller.logo'],
    ['a logo in SVG', { logo: Buffer.from('<svg onload="x"/>').toString('base64') }, 'seller.logo'],
    ['a logo of another kind', { logo: Buffer.from('GIF89a').toString('base64') }, 'seller.logo'],
    [
      'a large logo',
      {
        logo: drawPng(300)
          .subarray(0, 200 * 1024 + 1)
          .toString('base64'),
      },
      'seller.logo',
    ],
  ];
  it.each(wrong)('with %s is refused', async (_, fields, path) => {
    const before = await updateTenant({});
    expect(await updateTenant({ seller: { ...seller, ...fields }, name: 'Other' })).toMatchObject(
      refused(path),
    );
    expect(await updateTenant({})).toEqual(before);
  });

  it.each([
    [{ invoiceGraceHours: 0 }, { invoiceGraceHours: 0 }],
    [{ invoiceGraceHours: 72 }, { invoiceGraceHours: 72 }],
    [{ invoiceGraceHours: 720 }, { invoiceGraceHours: 720 }],
    [{ invoiceGraceHours: 721 }, refused('invoiceGraceHours')],
    [{ invoiceGraceHours: -1 }, refused('invoiceGraceHours')],
    [{ invoiceGraceHours: null }, { invoiceGraceHours: 0 }],
  ])('%j gives %j', async (input, expected) => {
    expect(await updateTenant(input)).toMatchObject(expected);
  });

  it('is recorded in the traces of the tenant', async () => {
    await updateTenant({ seller });
    const { traces } = await client.graphql(
      '{ traces(first: 1, activityType: TenantEvent) { nodes { payload } } }',
    );
    expect(traces.nodes[0].payload.object.seller).toMatchObject({ legalName: 'Acme GmbH' });
    expect(traces.nodes[0].payload.changes).toHaveProperty('seller');
  });
});

describe('a tax rate', () => {
  it('is created, named, listed and archived', async () => {
    const rate = await createRate({
      country: 'us',
      region: 'us-ca',
      postalCode: '941 03',
      taxCode: 'saas',
      percent: '8.6250',
      name: 'San Francisco',
      effectiveFrom: '2026-01-01',
    });
    expect(rate).toMatchObject({
      country: 'US',
      region: 'CA',
      postalCode: '94103',
      taxCode: 'saas',
      category: 'S',
      percent: '8.625',
      name: 'San Francisco',
      effectiveFrom: '2025-12-31T23:00:00.000Z',
      archived: false,
      archivedAt: null,
    });
    const { updateTaxRate } = await client.graphql(
      `mutation ($id: ID!) { updateTaxRate(id: $id, input: { name: "SF" }) { ${rateFields} } }`,
      { id: rate.id },
    );
    expect(updateTaxRate).toEqual({ ...rate, name: 'SF' });
    const { taxRate, node, taxRates } = await client.graphql(
      `query ($id: ID!) {
        taxRate(id: $id) { ${rateFields} }
        node(id: $id) { ... on TaxRate { ${rateFields} } }
        taxRates(country: "us", first: 10) { nodes { ${rateFields} } totalCount }
      }`,
      { id: rate.id },
    );
    expect(taxRate).toEqual(updateTaxRate);
    expect(node).toEqual(updateTaxRate);
    expect(taxRates).toEqual({ nodes: [updateTaxRate], totalCount: 1 });
    const archive = async () =>
      (
        await client.graphql(`mutation ($id: ID!) { archiveTaxRate(id: $id) { ${rateFields} } }`, {
          id: rate.id,
        })
      ).archiveTaxRate;
    const archived = await archive();
    expect(archived).toMatchObject({ archived: true, archivedAt: '2026-03-01T00:00:00.000Z' });
    expect(await archive()).toEqual(archived);
    const { traces } = await client.graphql(
      '{ traces(first: 3, activityType: TaxRateEvent) { nodes { payload } } }',
    );
    expect(traces.nodes.map(({ payload }: any) => payload.action)).toEqual([
      'archived',
      'updated',
      'created',
    ]);
  });

  it.each<[object, string]>([
    [{ country: 'EU', percent: '5' }, 'country'],
    [{ country: 'DE', percent: '-1' }, 'percent'],
    [{ country: 'DE', percent: '100.01' }, 'percent'],
    [{ country: 'DE', percent: '1.00001' }, 'percent'],
    [{ country: 'DE', percent: '0' }, 'percent'],
    [{ country: 'DE', percent: '0', category: 'S' }, 'percent'],
    [{ country: 'DE', percent: '7', category: 'E' }, 'percent'],
    [{ country: 'DE', percent: '7', category: 'AE' }, 'percent'],
    [{ country: 'DE', percent: '7', taxCode: 'a b' }, 'taxCode'],
    [{ country: 'DE', percent: '7', taxCode: '' }, 'taxCode'],
    [{ country: 'DE', percent: '7', postalCode: '%' }, 'postalCode'],
    [{ country: 'DE', percent: '7', region: 'x'.repeat(21) }, 'region'],
    [{ country: 'DE', percent: '7', name: '' }, 'name'],
  ])('%j is refused', async (input, path) => {
    expect(await createRate(input)).toMatchObject(refused(path));
  });

  it.each(['Z', 'E', 'AE', 'K', 'G', 'O'])('of the category %s has 0 percent', async (category) => {
    expect(await createRate({ country: 'FR', percent: '0', category })).toMatchObject({
      category,
      percent: '0',
    });
  });

  it('is not found by another tenant', async () => {
    const { id } = await createRate({ country: 'IT', percent: '10' });
    const reader = await app.key('acme', 'read');
    for (const [query, by] of [
      ['query ($id: ID!) { taxRate(id: $id) { id } }', other],
      ['mutation ($id: ID!) { archiveTaxRate(id: $id) { id } }', other],
      ['mutation ($id: ID!) { updateTaxRate(id: $id, input: { name: "x" }) { id } }', other],
    ] as const) {
      const { body } = await by.post(query, { id });
      expect(body.errors[0].extensions.reason).toBe('tax_rate_not_found');
    }
    expect((await other.graphql('{ taxRates(first: 10) { nodes { id } } }')).taxRates.nodes).toEqual([]);
    expect(await createRate({ country: 'IT', percent: '10' }, reader)).toMatchObject({
      reason: 'insufficient_scope',
    });
  });

  it('is created once for an idempotency key, among fifty requests', async () => {
    const create = () =>
      client.post(
        'mutation { createTaxRate(input: { country: "PL", percent: "8" }) { id } }',
        {},
        { 'idempotency-key': 'rate-pl' },
      );
    const answers = await Promise.all(Array.from({ length: 50 }, create));
    const ids = new Set(answers.flatMap(({ body }) => body.data?.createTaxRate?.id ?? []));
    expect(ids.size).toBe(1);
    const { taxRates } = await client.graphql('{ taxRates(country: "PL", first: 10) { totalCount } }');
    expect(taxRates.totalCount).toBe(1);
  });

  it('the standard rates are listed with their dates', async () => {
    const list = async (country?: string) =>
      (
        await client.graphql(
          `query ($country: CountryCode) {
            standardTaxRates(country: $country) { country territory postalCodes percent effectiveFrom }
          }`,
          { country },
        )
      ).standardTaxRates;
    expect(await list('sk')).toEqual([
      { country: 'SK', territory: null, postalCodes: [], percent: '20', effectiveFrom: '2011-01-01' },
      { country: 'SK', territory: null, postalCodes: [], percent: '23', effectiveFrom: '2025-01-01' },
    ]);
    expect(await list('DE')).toContainEqual({
      country: 'DE',
      territory: 'Heligoland',
      postalCodes: ['27498'],
      percent: null,
      effectiveFrom: null,
    });
    expect(await list('US')).toEqual([]);
    expect(new Set((await list()).map(({ country }: any) => country)).size).toBe(27);
  });
});

describe('number series', () => {
  const fallback = { pattern: '{prefix}-{yyyy}-{seq:5}', reset: 'yearly' };

  it('have defaults', async () => {
    const { tenant } = await other.graphql('{ tenant { numberSeries { kind prefix pattern reset } } }');
    expect(tenant.numberSeries).toEqual([
      { kind: 'invoice', prefix: 'INV', ...fallback },
      { kind: 'credit_note', prefix: 'CN', ...fallback },
    ]);
  });

  it.each<[object, string]>([
    [{ prefix: 'RE' }, 'RE-2026-00001'],
    [{ pattern: '{yy}{mm}/{seq:3}' }, '2603/001'],
    [{ pattern: '{prefix}.{yyyy}_{seq}' }, 'RE.2026_1'],
    [{ pattern: '{prefix}{seq:12}', reset: 'never' }, 'RE000000000001'],
    [{ prefix: null, pattern: null, reset: null }, 'INV-2026-00001'],
  ])('%j makes %s', async (input, example) => {
    expect(await updateSeries('invoice', input)).toMatchObject({ example });
    const { tenant } = await client.graphql('{ tenant { numberSeries { kind example } } }');
    expect(tenant.numberSeries).toEqual([
      { kind: 'invoice', example },
      { kind: 'credit_note', example: 'CN-2026-00001' },
    ]);
  });

  it.each<[object, string]>([
    [{ pattern: '{prefix}-{yyyy}' }, 'pattern'],
    [{ pattern: '{seq}{seq}-{yyyy}' }, 'pattern'],
    [{ pattern: '{yyyy}-{seq:0}' }, 'pattern'],
    [{ pattern: '{yyyy}-{seq:13}' }, 'pattern'],
    [{ pattern: '{yyyy}-{seq:99999999999}' }, 'pattern'],
    [{ pattern: '{prefix}-{seq}' }, 'pattern'],
    [{ pattern: '{yyyy}-{day}-{seq}' }, 'pattern'],
    [{ pattern: '{yyyy} {seq}' }, 'pattern'],
    [{ pattern: '{yyyy}-{seq}\n' }, 'pattern'],
    [{ pattern: '<{yyyy}>{seq}' }, 'pattern'],
    [{ pattern: `{yyyy}-{seq}${'x'.repeat(40)}` }, 'pattern'],
    [{ pattern: '' }, 'pattern'],
    [{ prefix: 'a b' }, 'prefix'],
    [{ prefix: '{seq}' }, 'prefix'],
    [{ prefix: 'x'.repeat(21) }, 'prefix'],
  ])('%j is refused', async (input, path) => {
    expect(await updateSeries('credit_note', input)).toMatchObject(refused(path));
    const { tenant } = await client.graphql('{ tenant { numberSeries { kind example } } }');
    expect(tenant.numberSeries[1].example).toBe('CN-2026-00001');
  });

  it('go on with their count when they are no longer, or again, reset', async () => {
    const tenant = await app.tenant({
      alias: 'counting',
      clock: '2026-12-31T23:30:00.000Z',
      timezone: 'Europe/Berlin',
    });
    await app.backdoor.execute(
      "insert into number_counters (tenant_alias, id, value) values ('counting', 'invoice:2027', 41)",
    );
    const change = (input: object) => updateSeries('invoice', input, tenant);
    // In Berlin it is 2027.
    expect(await change({ prefix: 'A' })).toMatchObject({ example: 'A-2027-00042' });
    expect(await change({ pattern: '{seq}', reset: 'never' })).toMatchObject({ example: '42' });
    expect(await change({ pattern: null, reset: 'yearly' })).toMatchObject({ example: 'A-2027-00042' });
  });

  it.each<[alias: string, earlier: object[], numbers: string[], today: string, input: object]>([
    [
      'longer-prefix',
      [{ pattern: '{prefix}{seq}', prefix: 'A', reset: 'never' }, {}, { prefix: 'A1' }],
      ['A1', 'A2', 'A13'],
      '2026-12-30',
      { prefix: 'A' },
    ],
    [
      'year-in-the-text',
      [{}],
      ['INV-2026-00001'],
      '2027-01-02',
      { pattern: 'INV-2026-{seq:5}', reset: 'never' },
    ],
    [
      'year-to-come',
      [{ pattern: 'INV-2027-{seq}', reset: 'never' }],
      ['INV-2027-1'],
      '2026-12-30',
      { pattern: '{prefix}-{yyyy}-{seq}', reset: 'yearly' },
    ],
  ])('never give a number again: %s', async (alias, earlier, numbers, today, input) => {
    const tenant = await app.tenant({ alias, clock: '2026-12-30' });
    const { id } = await createShop(tenant, alias).customer();
    const issue = async () => {
      const { createInvoice } = await tenant.graphql(issueDocument, { id });
      return createInvoice.documentNumber;
    };
    const given: string[] = [];
    for (const change of earlier) {
      expect(await updateSeries('invoice', change, tenant)).toHaveProperty('example');
      given.push(await issue());
    }
    expect(given).toEqual(numbers);
    await tenant.graphql(`mutation { advanceClock(input: { to: "${today}T12:00:00Z" }) { alias } }`);
    expect(await updateSeries('invoice', input, tenant)).toMatchObject(refused('pattern'));
    expect(
      await updateSeries('invoice', { prefix: 'B', pattern: '{prefix}{seq:5}', reset: 'never' }, tenant),
    ).toHaveProperty('example');
    expect(await issue()).toMatch(/^B0000/);
  });
});

const issueDocument = `mutation ($id: ID!) {
  createInvoice(
    input: { customerId: $id, collect: send_invoice, items: [{ description: "Work", amount: { amount: 1, currency: "eur" } }] }
  ) { documentNumber }
}`;
