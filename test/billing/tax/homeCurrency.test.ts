/** The tax of documents in the currency in which their seller owes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFaults } from '../../support/faults.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

let aliases = 0;

interface Opened {
  client: Client;
  customerId: string;
}

/** Opens a tenant whose seller and customer are in a country, at noon of 26 November 2026. */
async function open(
  country = 'DE',
  settings: object = {},
  clock = '2026-11-26T12:00:00.000Z',
): Promise<Opened> {
  const client = await app.tenant({ alias: `home-${++aliases}`, clock });
  await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: {
      seller: {
        legalName: 'Acme',
        address: { line1: 'Weg 1', city: 'Ort', postalCode: '10115', country },
        taxIds: country === 'DE' ? [{ type: 'eu_vat', value: 'DE111111125' }] : [],
        registration: 'HRB 1',
      },
      ...settings,
    },
  });
  const { createCustomer } = await client.graphql(
    'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    {
      input: {
        email: 'a@example.org',
        firstName: 'Ada',
        lastName: 'Byron',
        associatedId: `home-${aliases}`,
        address: { line1: 'Gasse 2', city: 'Ort', postalCode: '10117', country },
      },
    },
  );
  return { client, customerId: createCustomer.id };
}

const setRate = (client: Client, currency: string, day: string, rate: string | null): Promise<any> =>
  client.graphql(
    `mutation ($input: SetExchangeRateInput!) { setExchangeRate(input: $input) { day source rates { currency rate } } }`,
    { input: { currency, day, rate } },
  );

/** Sends what must be refused; returns its errors. */
const fail = async (client: Client, text: string, variables: Record<string, unknown>): Promise<any[]> =>
  (await client.post(text, variables)).body.errors;

const fields = `id documentNumber tax { decimal currency }
  taxInHomeCurrency { currency amount { decimal currency } taxDay rates { currency rate } rateDate source }`;

const createText = `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $draft: Boolean) {
  createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: $draft }) { ${fields} }
}`;

const buildItems = (currency: string, amount: number, item: object = {}) => [
  { amount: { amount, currency }, description: 'Course', ...item },
];

const bill = async (
  { client, customerId }: Opened,
  currency: string,
  amount = 100,
  { draft = false, ...item }: { draft?: boolean; suppliedAt?: string } = {},
): Promise<any> =>
  (await client.graphql(createText, { customerId, draft, items: buildItems(currency, amount, item) }))
    .createInvoice;

const homeText = ({ taxInHomeCurrency: home }: any): string | null =>
  home &&
  `${home.amount?.decimal ?? 'missing'} ${home.currency} of ${home.taxDay}: ${home.rates
    .map(({ currency, rate }: any) => `${rate} ${currency}`)
    .join(' ')} ${home.rateDate} ${home.source}`;

const readDocument = async (client: Client, id: string, format: string): Promise<string> => {
  const { invoice } = await client.graphql(
    `query ($id: ID!, $format: DocumentFormat!) { invoice(id: $id) { document(format: $format) { base64 } } }`,
    { id, format },
  );
  return Buffer.from(invoice.document.base64, 'base64').toString();
};

/** Without the marks of directions, and with plain spaces. */
const plain = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll('\u00A0', ' ');

const listEvents = async (client: Client): Promise<any[]> => {
  const { traces } = await client.graphql(
    '{ traces(first: 100, activityType: TenantEvent, order: ASC) { nodes { payload } } }',
  );
  return traces.nodes
    .map(({ payload }: any) => payload)
    .filter(({ action }: any) => /exchange|converted/.test(action))
    .map(({ action, details }: any) => [action, details]);
};

describe('the currency of the seller', () => {
  it.each([
    ['DE', {}, 'eur'],
    ['BG', {}, 'eur'],
    ['PL', {}, 'pln'],
    ['GB', {}, 'gbp'],
    ['NO', {}, 'nok'],
    ['US', {}, null],
    ['US', { taxCurrency: 'USD' }, 'usd'],
    ['DE', { taxCurrency: 'czk' }, 'czk'],
  ])('%s %j: %s', async (country, settings, expected) => {
    const { client } = await open(country, settings);
    expect((await client.graphql('{ tenant { homeCurrency } }')).tenant.homeCurrency).toBe(expected);
  });

  it('is none without an address', async () => {
    const client = await app.tenant({ alias: 'home-none' });
    expect((await client.graphql('{ tenant { homeCurrency taxCurrency } }')).tenant).toEqual({
      homeCurrency: null,
      taxCurrency: null,
    });
  });
});

describe('invoices', () => {
  // The tax of 100.00 in Germany is 19.00, in Poland 23.00.
  it.each([
    ['DE', 'usd', [['usd', '2026-11-26', '1.0812']], '17.57 eur of 2026-11-26: 1.0812 usd 2026-11-26 manual'],
    ['DE', 'usd', [['usd', '2026-11-20', '1.25']], '15.20 eur of 2026-11-26: 1.25 usd 2026-11-20 manual'],
    ['DE', 'usd', [['usd', '2026-11-19', '1.25']], '15.20 eur of 2026-11-26: 1.25 usd 2026-11-19 manual'],
    ['DE', 'usd', [['usd', '2026-11-18', '1.25']], 'missing eur of 2026-11-26:  null null'],
    ['DE', 'jpy', [['jpy', '2026-11-25', '161.5']], '0.12 eur of 2026-11-26: 161.5 jpy 2026-11-25 manual'],
    ['PL', 'eur', [['pln', '2026-11-26', '4.2512']], '97.78 pln of 2026-11-26: 4.2512 pln 2026-11-26 manual'],
    [
      'PL',
      'usd',
      [
        ['pln', '2026-11-25', '4.2512'],
        ['usd', '2026-11-25', '1.0812'],
        ['usd', '2026-11-26', '1.5'],
      ],
      '90.43 pln of 2026-11-26: 1.0812 usd 4.2512 pln 2026-11-25 manual',
    ],
    ['PL', 'pln', [['pln', '2026-11-25', '4.2512']], null],
    ['DE', 'eur', [], null],
    ['US', 'eur', [['usd', '2026-11-25', '1.1']], null],
  ])('of %s in %s by %j: %s', async (country, currency, rates, expected) => {
    const opened = await open(country);
    for (const [code, day, rate] of rates) await setRate(opened.client, code!, day!, rate!);
    expect(homeText(await bill(opened, currency))).toBe(expected);
  });

  it('have the rate of the day of an earlier supply', async () => {
    const opened = await open();
    await setRate(opened.client, 'usd', '2026-11-10', '2');
    await setRate(opened.client, 'usd', '2026-11-26', '1');
    const invoice = await bill(opened, 'usd', 100, { suppliedAt: '2026-11-12' });
    expect(homeText(invoice)).toBe('9.50 eur of 2026-11-12: 2 usd 2026-11-10 manual');
  });

  it('keep their rate when it changes, and their documents say it', async () => {
    const opened = await open();
    const { client } = opened;
    await setRate(client, 'usd', '2026-11-26', '1.0812');
    const { id } = await bill(opened, 'usd');
    await setRate(client, 'usd', '2026-11-26', '2');
    await client.graphql('mutation { updateTenant(input: { taxCurrency: "pln" }) { alias } }');
    const ubl = await readDocument(client, id, 'ubl');
    expect(ubl).toContain(
      '<cbc:DocumentCurrencyCode>USD</cbc:DocumentCurrencyCode>\n  <cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>',
    );
    expect(ubl).toMatch(
      /<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="EUR">17.57<\/cbc:TaxAmount>\s*<\/cac:TaxTotal>/,
    );
    const cii = await readDocument(client, id, 'cii');
    expect(cii).toMatch(/<ram:TaxCurrencyCode>EUR<\/ram:TaxCurrencyCode>\s*<ram:InvoiceCurrencyCode>USD</);
    expect(cii).toContain('<ram:TaxTotalAmount currencyID="EUR">17.57</ram:TaxTotalAmount>');
    expect(plain(await readDocument(client, id, 'html'))).toMatch(
      /VAT in EUR: EUR 17\.57 at 1 EUR = 1\.0812 USD of 26 Nov\w* 2026 \(rate of the seller\)/,
    );
    expect(JSON.parse(await readDocument(client, id, 'json')).taxInHomeCurrency).toEqual({
      currency: 'eur',
      tax: '17.57',
      rates: [{ currency: 'usd', rate: '1.0812' }],
      rateDate: '2026-11-26',
      source: 'manual',
    });
  });
});

describe('a missing rate', () => {
  it('holds up nothing where the currency was not chosen, is told once a day, and is filled in once it is known', async () => {
    const opened = await open();
    const { client } = opened;
    const first = await bill(opened, 'usd');
    const second = await bill(opened, 'usd', 50);
    await bill(opened, 'eur');
    expect([first, second].map(homeText)).toEqual(Array(2).fill('missing eur of 2026-11-26:  null null'));
    expect(await readDocument(client, first.id, 'ubl')).not.toContain('TaxCurrencyCode');
    const read = async () =>
      (await client.graphql('{ tenant { missingExchangeRates { day currency taxCurrency documents } } }'))
        .tenant;
    expect(await read()).toEqual({
      missingExchangeRates: [{ day: '2026-11-26', currency: 'usd', taxCurrency: 'eur', documents: 2 }],
    });
    await setRate(client, 'gbp', '2026-11-26', '0.85');
    expect((await read()).missingExchangeRates).toHaveLength(1);
    await setRate(client, 'usd', '2026-11-24', '1.9');
    await setRate(client, 'usd', '2026-11-25', '1');
    expect(await read()).toEqual({ missingExchangeRates: [] });
    const text = `query ($id: ID!) { invoice(id: $id) { ${fields} } }`;
    expect(homeText((await client.graphql(text, { id: first.id })).invoice)).toBe(
      '10.00 eur of 2026-11-26: 1.9 usd 2026-11-24 manual',
    );
    expect(homeText((await client.graphql(text, { id: second.id })).invoice)).toBe(
      '5.00 eur of 2026-11-26: 1.9 usd 2026-11-24 manual',
    );
    expect(await readDocument(client, first.id, 'ubl')).toContain('<cbc:TaxAmount currencyID="EUR">10.00<');
    expect(await listEvents(client)).toEqual([
      [
        'exchange_rate_missing',
        { currency: 'usd', taxCurrency: 'eur', day: '2026-11-26', number: first.documentNumber },
      ],
      ['exchange_rate_set', { currency: 'gbp', day: '2026-11-26', before: null, rate: '0.85' }],
      ['exchange_rate_set', { currency: 'usd', day: '2026-11-24', before: null, rate: '1.9' }],
      ['taxes_converted', { first: '2026-11-24', last: '2026-11-24', documents: 2 }],
      ['exchange_rate_set', { currency: 'usd', day: '2026-11-25', before: null, rate: '1' }],
    ]);
  });

  it('refuses to number an invoice where the currency was chosen; a preview warns before', async () => {
    const opened = await open('DE', { taxCurrency: 'eur' });
    const { client, customerId } = opened;
    const previewText = `query ($customerId: ID!, $items: [OneOffChargeInput!]!) { previewInvoice(customerId: $customerId, items: $items) {
      taxInHomeCurrency { currency amount { decimal currency } taxDay rates { currency rate } rateDate source } warnings { code }
    } }`;
    const preview = async () =>
      (await client.graphql(previewText, { customerId, items: buildItems('usd', 100) })).previewInvoice;
    const before = await preview();
    expect([homeText(before), before.warnings]).toEqual([
      'missing eur of 2026-11-26:  null null',
      [{ code: 'exchange_rate_missing' }],
    ]);
    const attempt = await fail(client, createText, { customerId, items: buildItems('usd', 100) });
    expect(attempt[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'currency' }],
    });
    const draft = await bill(opened, 'usd', 100, { draft: true });
    const finalizeText = `mutation ($id: ID!) { finalizeInvoice(id: $id) { ${fields} } }`;
    expect(draft.taxInHomeCurrency).toBeNull();
    await setRate(client, 'usd', '2026-11-26', '1.9');
    const after = await preview();
    expect([homeText(after), after.warnings]).toEqual([
      '10.00 eur of 2026-11-26: 1.9 usd 2026-11-26 manual',
      [],
    ]);
    expect(homeText((await client.graphql(finalizeText, { id: draft.id })).finalizeInvoice)).toBe(
      homeText(after),
    );
  });
});

describe('a rate by hand', () => {
  it.each([
    ['0', 'rate'],
    ['-1', 'rate'],
    ['NaN', undefined],
    ['1e300', undefined],
    [`1${'0'.repeat(300)}`, 'input.rate'],
    ['1000000000.1', 'rate'],
    ['1.1234567890123', 'input.rate'],
    ['', undefined],
  ])('%s is refused', async (rate, path) => {
    const { client } = await open();
    const errors = await fail(
      client,
      'mutation ($input: SetExchangeRateInput!) { setExchangeRate(input: $input) { day } }',
      { input: { currency: 'usd', day: '2026-11-26', rate } },
    );
    expect(errors).toHaveLength(1);
    if (path) expect(errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
    expect((await client.graphql('{ exchangeRates { day } }')).exchangeRates).toEqual([]);
  });

  it.each([
    [{ day: '2026-11-27' }, 'day'],
    [{ day: '1998-12-31' }, 'day'],
    [{ day: '2026-02-30' }, 'day'],
    [{ day: 'today' }, 'day'],
    [{ currency: 'eur' }, 'currency'],
    [{ currency: 'zzz' }, 'currency'],
  ])('%j is refused', async (change, path) => {
    const { client } = await open();
    const errors = await fail(
      client,
      'mutation ($input: SetExchangeRateInput!) { setExchangeRate(input: $input) { day } }',
      { input: { currency: 'usd', day: '2026-11-26', rate: '1.1', ...change } },
    );
    expect(errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });

  it('precedes that of the bank, can be removed, and belongs to one tenant', async () => {
    const { client } = await open();
    const other = await open();
    await setRate(client, 'usd', '2026-11-26', '1.10');
    await setRate(client, 'GBP', '2026-11-26', '0.85');
    const { exchangeRates } = await client.graphql(
      '{ exchangeRates { day source rates { currency rate } } }',
    );
    expect(exchangeRates).toEqual([
      {
        day: '2026-11-26',
        source: 'manual',
        rates: [
          { currency: 'gbp', rate: '0.85' },
          { currency: 'usd', rate: '1.1' },
        ],
      },
    ]);
    expect((await other.client.graphql('{ exchangeRates { day } }')).exchangeRates).toEqual([]);
    expect((await setRate(client, 'usd', '2026-11-26', null)).setExchangeRate.rates).toEqual([
      { currency: 'gbp', rate: '0.85' },
    ]);
    expect((await setRate(client, 'gbp', '2026-11-26', null)).setExchangeRate.rates).toEqual([]);
    expect((await client.graphql('{ exchangeRates { day } }')).exchangeRates).toEqual([]);
  });
});

describe('fifty documents that are numbered at once', () => {
  it.each([
    ['drafts', true],
    ['new invoices', false],
  ])('have one rate each, which arrives meanwhile: %s', async (_, isDraft) => {
    const opened = await open();
    const { client } = opened;
    const each = Array.from({ length: 50 }, (__, nth) => nth);
    const drafts = isDraft
      ? await Promise.all(each.map(() => bill(opened, 'usd', 100, { draft: true })))
      : [];
    const finish = (nth: number) =>
      isDraft
        ? client.graphql(`mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }`, { id: drafts[nth].id })
        : bill(opened, 'usd');
    // The rates are stored between them, in whichever order.
    const work = each.flatMap((nth) => [
      finish(nth),
      ...(nth === 20 ? [setRate(client, 'usd', '2026-11-26', '1.9')] : []),
      ...(nth === 40 ? [setRate(client, 'usd', '2026-11-25', '3')] : []),
    ]);
    await Promise.all(work);
    const { invoices } = await client.graphql(`{ invoices(first: 100) { nodes { ${fields} } } }`);
    const rates = [
      '10.00 eur of 2026-11-26: 1.9 usd 2026-11-26 manual',
      '6.33 eur of 2026-11-26: 3 usd 2026-11-25 manual',
    ];
    expect(invoices.nodes).toHaveLength(50);
    for (const invoice of invoices.nodes) expect(rates).toContain(homeText(invoice));
    expect(new Set(invoices.nodes.map(({ documentNumber }: any) => documentNumber)).size).toBe(50);
    const alias = `home-${aliases}`;
    const kept = await app.service.store.fresh.select('taxConversions', { where: { tenantAlias: alias } });
    expect(kept).toHaveLength(50);
    expect(await findFaults(app, alias)).toEqual([]);
  });
});

describe('credit notes', () => {
  const creditText = `mutation ($id: ID!) {
    createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 119, currency: "usd" } }) { ${fields} }
  }`;

  it('have the rate of their invoice', async () => {
    const opened = await open();
    const { client } = opened;
    await setRate(client, 'usd', '2026-11-26', '1.9');
    const { id } = await bill(opened, 'usd');
    await setRate(client, 'usd', '2026-11-26', '3');
    const { createCreditNote } = await client.graphql(creditText, { id });
    expect(homeText(createCreditNote)).toBe('10.00 eur of 2026-11-26: 1.9 usd 2026-11-26 manual');
  });

  it('of an invoice without a rate get that of its day', async () => {
    const opened = await open();
    const { client } = opened;
    const { id } = await bill(opened, 'usd');
    const { createCreditNote } = await client.graphql(creditText, { id });
    expect(homeText(createCreditNote)).toBe('missing eur of 2026-11-26:  null null');
    await setRate(client, 'usd', '2026-11-26', '1.9');
    const { invoice } = await client.graphql(
      `query ($id: ID!) { invoice(id: $id) { taxInHomeCurrency { amount { decimal } } creditNotes { taxInHomeCurrency { amount { decimal } } } } }`,
      { id },
    );
    expect(invoice).toEqual({
      taxInHomeCurrency: { amount: { decimal: '10.00' } },
      creditNotes: [{ taxInHomeCurrency: { amount: { decimal: '10.00' } } }],
    });
  });
});
