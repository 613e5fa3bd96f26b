/** Standard VAT rates that a file renews: by the command, and by the setting of the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { parseVatRates } from '../../../src/billing/tax/vatRatesFile.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vat-rates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const heading = 'country,territory,kind,percent,valid_from,valid_until';
const csv = (rows: string[], checked = '2026-10-01') =>
  [`# checked until ${checked}`, heading, ...rows].join('\n');

let files = 0;
const write = (text: string): string => {
  const file = path.join(folder, `rates-${++files}`);
  writeFileSync(file, text);
  return file;
};

let clients = 0;
async function openSeller(app: TestApp, country = 'DE', clock?: string): Promise<Client & { alias: string }> {
  const alias = `rates-${++clients}`;
  const client = await app.tenant({ alias, clock });
  await client.graphql(
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    { seller: { legalName: 'Acme', address: { country }, registration: 'HRB 1' } },
  );
  return { ...client, alias };
}

const check = async (client: Client): Promise<[string, boolean]> => {
  const { tenant } = await client.graphql(
    '{ tenant { standardTaxRatesCheckedUntil standardTaxRatesOutdated } }',
  );
  return [tenant.standardTaxRatesCheckedUntil, tenant.standardTaxRatesOutdated];
};

const list = async (client: Client, country: string): Promise<string[]> =>
  (
    await client.graphql(
      'query ($country: CountryCode) { standardTaxRates(country: $country) { territory percent effectiveFrom } }',
      { country },
    )
  ).standardTaxRates.map((rate: any) =>
    [rate.territory, rate.percent, rate.effectiveFrom].filter(Boolean).join(' '),
  );

const addCustomer = async (client: Client, country: string, details: object = {}): Promise<string> =>
  (
    await client.graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: {
        email: 'a@example.org',
        firstName: 'A',
        lastName: 'B',
        associatedId: `buyer-${++clients}`,
        address: { country, ...details },
      },
    })
  ).createCustomer.id;

const taxes = 'taxes { percent tax { decimal } }';
const describeTaxes = ({ taxes: found }: any): string =>
  found.map(({ percent, tax }: any) => `${percent} ${tax.decimal}`).join(', ');

const items = [{ amount: { amount: 100, currency: 'eur' }, description: 'Course' }];

/** Returns the tax of a preview, and of the bill right after. */
async function bill(client: Client, customerId: string): Promise<[string, string, string]> {
  const { previewInvoice } = await client.graphql(
    `query ($customerId: ID!, $items: [OneOffChargeInput!]!) { previewInvoice(customerId: $customerId, items: $items) { ${taxes} } }`,
    { customerId, items },
  );
  const { createInvoice } = await client.graphql(
    `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id ${taxes} } }`,
    { input: { customerId, items, collect: 'send_invoice' } },
  );
  return [describeTaxes(previewInvoice), describeTaxes(createInvoice), createInvoice.id];
}

describe('a file', () => {
  const today = '2026-11-27';
  const fail = (text: string): string => {
    try {
      parseVatRates(text, today);
    } catch (error) {
      return (error as Error).message;
    }
    return 'was accepted';
  };
  const json = (rates: object[], checkedUntil: unknown = '2026-10-01') =>
    JSON.stringify({ checkedUntil, rates });

  it('is read as CSV with commas or semicolons, and as JSON', () => {
    const expected = {
      checkedUntil: '2026-10-01',
      leftOut: 1,
      rates: [
        { country: 'GR', territory: null, percent: '25.5', effectiveFrom: '2027-01-01' },
        {
          country: 'FR',
          territory: 'Guadeloupe, Martinique',
          percent: '9',
          effectiveFrom: '2027-01-01',
        },
      ],
    };
    const rows = [
      'EL,,standard,25.50,2027-01-01,',
      'fr,"guadeloupe, martinique",standard,9,2027-01-01,',
      'EE,,reduced,13,2025-01-01,2026-12-31',
    ];
    expect(parseVatRates(csv(rows), today)).toEqual(expected);
    expect(parseVatRates(`\uFEFF${csv(rows).replaceAll('\n', '\r\n')}\r\n`, today)).toEqual(expected);
    const semicolons = csv([
      'EL;;standard;25.5;2027-01-01;',
      '',
      '# later',
      'FR;Guadeloupe, Martinique;standard;9;2027-01-01;',
      'EE;;zero;0;2025-01-01;',
    ]).replace(heading, heading.replaceAll(',', ';'));
    expect(parseVatRates(semicolons, today)).toEqual(expected);
    expect(
      parseVatRates(
        json([
          { country: 'EL', kind: 'standard', percent: 25.5, validFrom: '2027-01-01' },
          {
            country: 'FR',
            territory: 'Guadeloupe, Martinique',
            kind: 'standard',
            percent: '9',
            validFrom: '2027-01-01',
            validUntil: null,
          },
          { country: 'EE', kind: 'parking', percent: '9', validFrom: '2027-01-01' },
        ]),
        today,
      ),
    ).toEqual(expected);
    expect(parseVatRates(csv([]), today)).toEqual({ checkedUntil: '2026-10-01', rates: [], leftOut: 0 });
  });

  it.each<[string, string, RegExp]>([
    ['nothing', '', /^Line 1: must be "# checked until 2026-01-31"/],
    ['no date', `${heading}\n`, /^Line 1: must be/],
    ['a date that is none', csv([], '2026-02-30'), /^checked until: must be a date, .* not "2026-02-30"$/],
    ['a later date', csv([], '2026-11-28'), /^checked until: must not be after today, 2026-11-27$/],
    ['another heading', '# checked until 2026-10-01\ncountry,percent\n', /^The heading must be country,/],
    ['too few columns', csv(['EE,,standard,26']), /columns|Length/i],
    ['an open quote', csv(['EE,"standard,26,2027-01-01,']), /quote/i],
    ['a state outside', csv(['GB,,standard,20,2027-01-01,']), /^Line 3, country: .* not "GB"$/],
    ['Northern Ireland', csv(['XI,,standard,20,2027-01-01,']), /^Line 3, country/],
    ['an object’s key', csv(['constructor,,standard,20,2027-01-01,']), /^Line 3, country/],
    [
      'an unknown territory',
      csv(['PT,Lisbon,standard,20,2027-01-01,']),
      /^Line 3, territory: must be empty or "Madeira" or "Azores", not "Lisbon"$/,
    ],
    [
      'a territory without VAT',
      csv(['DE,Heligoland,standard,19,2027-01-01,']),
      /^Line 3, territory: has no rate/,
    ],
    ['an unknown kind', csv(['EE,,normal,20,2027-01-01,']), /^Line 3, kind: must be one of standard, /],
    ['a comma', csv(['EE,,standard,"25,5",2027-01-01,']), /^Line 3, percent: .* not "25,5"$/],
    ['no percent', csv(['EE,,standard,0,2027-01-01,']), /^Line 3, percent/],
    ['below 0', csv(['EE,,reduced,-1,2027-01-01,']), /^Line 3, percent/],
    ['above 100', csv(['EE,,standard,100.0001,2027-01-01,']), /^Line 3, percent/],
    ['many decimals', csv(['EE,,standard,20.12345,2027-01-01,']), /^Line 3, percent/],
    ['a date of no calendar', csv(['EE,,standard,20,2027-02-29,']), /^Line 3, valid_from/],
    ['a date before there was VAT', csv(['EE,,standard,20,1066-01-01,']), /^Line 3, valid_from/],
    ['an end before the start', csv(['EE,,standard,20,2027-01-01,2026-12-31']), /^Line 3, valid_until/],
    [
      'an end without a rate after it',
      csv(['EE,,standard,20,2027-01-01,2027-12-31']),
      /^Line 3, valid_until: must be empty, or a row/,
    ],
    [
      'days without a rate',
      csv(['EE,,standard,20,2027-01-01,2027-06-29', 'EE,,standard,21,2027-07-01,']),
      /^Line 3, valid_until: must be the day before 2027-07-01, from when Line 4 is valid$/,
    ],
    [
      'two rates of a day',
      csv(['EE,,standard,20,2027-01-01,', 'EE,,standard,21,2027-01-01,']),
      /^Line 4, valid_from: has the date of Line 3/,
    ],
    ['JSON that ends early', '{"checkedUntil":"2026-10-01",', /^The JSON cannot be read/],
    ['JSON without rates', '{"checkedUntil":"2026-10-01"}', /^rates: /],
    [
      'JSON with a number as country',
      json([{ country: 5, kind: 'standard', percent: 1, validFrom: '2027-01-01' }]),
      /^rates, Rate 1, country: /,
    ],
    [
      'JSON with a wild number',
      json([{ country: 'EE', kind: 'standard', percent: 1e21, validFrom: '2027-01-01' }]),
      /^Rate 1, percent/,
    ],
    [
      'too many rates',
      csv(Array.from({ length: 2001 }, () => 'EE,,zero,0,2027-01-01,')),
      /^rates: must be at most 2000$/,
    ],
  ])('with %s is refused', (_, text, message) => {
    expect(fail(text)).toMatch(message);
  });

  it('names all of its mistakes, at most 20', () => {
    expect(fail(csv(['EE,,standard,0,2027-01-01,', 'GB,,standard,1,never,']))).toMatch(
      /^Line 3, percent: .*; Line 4, country: .*; Line 4, valid_from: /,
    );
    expect(fail(csv(Array.from({ length: 30 }, () => 'GB,,standard,1,2027-01-01,')))).toMatch(
      /; and 10 more$/,
    );
  });
});

describe('the command', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ rateLimitPerSecond: '100000' });
  });
  afterAll(() => app.close());

  it('renews what is billed from a date on, for one tenant, and leaves documents as they are', async () => {
    const client = await openSeller(app, 'DE', '2026-12-20T00:00:00.000Z');
    const other = await openSeller(app, 'DE', '2026-12-20T00:00:00.000Z');
    const before = await check(client);
    expect(before).toEqual(['2026-09-23', false]);
    const estonian = await addCustomer(client, 'EE');
    const azorean = await addCustomer(client, 'PT', { postalCode: '9500-321' });
    const [, , first] = await bill(client, estonian);
    const file = write(
      csv([
        'EE,,standard,26,2027-01-01,2027-06-30',
        'EE,,standard,25,2027-07-01,',
        'PT,Azores,standard,17,2027-01-01,',
      ]),
    );
    const said = await perennial(app.database, ['vat-rates', file, '--tenant', client.alias, '--json']);
    expect(said).toMatchObject({
      code: 0,
      json: { tenants: 1, rates: 3, checkedUntil: '2026-10-01', leftOut: 0 },
    });
    expect(await list(client, 'EE')).toEqual([
      '20 2009-07-01',
      '22 2024-01-01',
      '24 2025-07-01',
      '26 2027-01-01',
      '25 2027-07-01',
    ]);
    expect((await list(client, 'PT')).at(-1)).toBe('Azores 17 2027-01-01');
    expect(await check(client)).toEqual(['2026-10-01', false]);
    expect([await check(other), (await list(other, 'EE')).length]).toEqual([before, 3]);
    expect((await bill(client, estonian)).slice(0, 2)).toEqual(['24 24.00', '24 24.00']);
    for (const tenant of [client, other])
      await tenant.graphql('mutation { advanceClock(input: { to: "2027-01-02T00:00:00Z" }) { clock } }');
    expect((await bill(client, estonian)).slice(0, 2)).toEqual(['26 26.00', '26 26.00']);
    expect((await bill(client, azorean)).slice(0, 2)).toEqual(['17 17.00', '17 17.00']);
    expect((await bill(other, await addCustomer(other, 'EE')))[1]).toBe('24 24.00');
    const { invoice } = await client.graphql(`query ($id: ID!) { invoice(id: $id) { ${taxes} } }`, {
      id: first,
    });
    expect(describeTaxes(invoice)).toBe('24 24.00');
    expect((await examine(app.service, () => {}, client.alias)).findings).toEqual([]);
    const report = await client.graphql(
      '{ taxReturn(input: { kind: oss, from: "2027-01-01", until: "2027-04-01" }) { rows { country percent rateType } } }',
    );
    expect(report.taxReturn.rows).toContainEqual({ country: 'EE', percent: '26', rateType: 'standard' });
  });

  it('corrects a place by the next file, keeps the others, and refuses an older one', async () => {
    const client = await openSeller(app);
    const store = (text: string) =>
      perennial(app.database, ['vat-rates', write(text), '--tenant', client.alias]);
    expect(await store(csv(['EE,,standard,26,2027-01-01,', 'FI,,standard,26,2027-01-01,']))).toMatchObject({
      code: 0,
      out: 'Stored 2 rates, checked until 2026-10-01, for 1 tenant.\n',
    });
    expect(
      await store(csv(['EE,,standard,23,2028-01-01,', 'SE,,reduced,12,2020-01-01,'], '2026-10-02')),
    ).toMatchObject({
      out: 'Stored 1 rate, checked until 2026-10-02, for 1 tenant. 1 row of other kinds left out.\n',
    });
    expect((await list(client, 'EE')).slice(-2)).toEqual(['24 2025-07-01', '23 2028-01-01']);
    expect(await list(client, 'FI')).toContain('26 2027-01-01');
    expect(await store(csv([], '2026-10-01'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('must not be before 2026-10-02'),
    });
    expect(await store(csv([], '2026-10-02'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('for 0 tenants'),
    });
    const many = Array.from(
      { length: 201 },
      (_, nth) => `LU,,standard,${1 + (nth % 2)},${2100 + nth}-01-01,`,
    );
    expect(await store(csv(many, '2026-10-02'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('must be at most 200'),
    });
    expect((await list(client, 'LU')).at(-1)).toBe('17 2024-01-01');
  });

  it('is for all tenants without one', async () => {
    const [one, two] = [await openSeller(app), await openSeller(app, 'US')];
    const said = await perennial(app.database, [
      'vat-rates',
      write(csv(['MT,,standard,19,2027-01-01,'], '2026-10-05')),
    ]);
    expect(said.code).toBe(0);
    for (const client of [one, two]) {
      expect(await check(client)).toEqual(['2026-10-05', false]);
      expect((await list(client, 'MT')).at(-1)).toBe('19 2027-01-01');
    }
  });

  it.each([
    ['a file that is missing', () => ['nowhere.csv'], 'There is no file'],
    ['a folder', () => [folder], 'is a folder'],
    ['an unknown tenant', () => [write(csv([])), '--tenant', 'nobody'], 'There is no tenant nobody'],
    ['a mistake', () => [write(csv(['EE,,standard,0,2027-01-01,']))], 'Line 3, percent'],
    ['a large file', () => [write('x'.repeat(1024 * 1024 + 1))], 'more than 1 MB'],
  ])('refuses %s', async (_, args, message) => {
    const said = await perennial(app.database, ['vat-rates', ...args()]);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });
});

describe('the server', () => {
  let app: TestApp | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  const log = pino({ level: 'silent' });

  it('stores its file for tenants whose rates were checked earlier', async () => {
    const vatRates = write(csv(['EE,,standard,26,2027-01-01,']));
    app = await startApp({ vatRates }, { clock: { nowMs: () => Date.parse('2026-11-27T12:00:00Z') } });
    const client = await openSeller(app);
    await runDueWork(app.service, log);
    expect([(await list(client, 'EE')).at(-1), (await check(client))[0]]).toEqual([
      '26 2027-01-01',
      '2026-10-01',
    ]);
    const later = write(csv(['EE,,standard,27,2027-01-01,'], '2026-10-02'));
    expect((await perennial(app.database, ['vat-rates', later, '--tenant', client.alias])).code).toBe(0);
    await runDueWork(app.service, log);
    const [kept] = await app.service.store.fresh.select('tenants', { where: { alias: client.alias } });
    expect(kept!.renewedRates).toEqual({
      checkedUntil: '2026-10-02',
      rates: [{ country: 'EE', territory: null, effectiveFrom: '2027-01-01', percent: '27' }],
    });
  });

  it('does not start with a file that has a mistake', async () => {
    const vatRates = write(csv(['EE,,standard,0,2027-01-01,']));
    await expect(startApp({ vatRates })).rejects.toThrow(
      /The VAT rates of .* cannot be loaded: Line 3, percent/,
    );
    await expect(startApp({ vatRates: 'nowhere.csv' })).rejects.toThrow(/nowhere.csv cannot be loaded/);
  });

  it('warns a seller in the Union of rates that are older than a year, by its own clock', async () => {
    let now = '2027-09-23T12:00:00Z';
    app = await startApp({}, { clock: { nowMs: () => Date.parse(now) } });
    // The clock of the test tenant does not count.
    const client = await openSeller(app, 'DE', '2031-01-01T00:00:00.000Z');
    const american = await openSeller(app, 'US');
    const warn = async () =>
      (await examine(app!.service, () => {})).warnings.map(({ check: kind, tenant, found }) => [
        kind,
        tenant,
        found,
      ]);
    expect([await check(client), await warn()]).toEqual([['2026-09-23', false], []]);
    now = '2027-09-24T00:00:00Z';
    const found = 'has standard VAT rates that were checked until 2026-09-23, more than a year ago';
    expect([await check(client), await warn()]).toEqual([
      ['2026-09-23', true],
      [['vat_rates', client.alias, found]],
    ]);
    expect(await check(american)).toEqual(['2026-09-23', false]);
  });
});
