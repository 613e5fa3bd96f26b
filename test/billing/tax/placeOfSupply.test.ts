/** Sales to private customers in other member states: at the seller up to the threshold, at the customer beyond it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

let aliases = 0;
let customers = 0;

async function openTenant(country = 'DE', clock = '2026-03-01T00:00:00.000Z'): Promise<Client> {
  const client = await app.tenant({ alias: `seller-${++aliases}`, clock });
  await client.graphql(
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    { seller: { legalName: 'Acme', address: { country }, registration: 'HRB 1' } },
  );
  return client;
}

const choose = async (client: Client, placeOfSupply: string | null): Promise<any> =>
  (
    await client.graphql(
      `mutation ($input: SetPlaceOfSupplyInput!) { setPlaceOfSupply(input: $input) {
        placeOfSupply unionSales { year state destinationFrom destinationUntil net { decimal } previousNet { decimal }
          threshold { decimal } otherCurrencies { decimal currency } }
      } }`,
      { input: { placeOfSupply } },
    )
  ).setPlaceOfSupply;

const readSales = async (client: Client): Promise<any> =>
  (
    await client.graphql(
      '{ tenant { unionSales { state destinationFrom destinationUntil net { decimal } otherCurrencies { decimal currency } } } }',
    )
  ).tenant.unionSales;

const createCustomer = async (client: Client, country: string, details: object = {}): Promise<string> =>
  (
    await client.graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: {
        email: 'a@example.org',
        firstName: 'A',
        lastName: 'B',
        associatedId: `${country}-${++customers}`,
        address: { country },
        ...details,
      },
    })
  ).createCustomer.id;

const taxFields = 'taxes { category percent country taxable { decimal } tax { decimal } }';

const buildItems = (amount: number, currency: string, fields: object = {}) => [
  { amount: { amount, currency }, description: 'Course', ...fields },
];

const bill = async (
  client: Client,
  customerId: string,
  amount: number,
  currency = 'eur',
  draft = false,
): Promise<any> =>
  (
    await client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $draft: Boolean) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: $draft }) { id ${taxFields} }
      }`,
      { customerId, items: buildItems(amount, currency), draft },
    )
  ).createInvoice;

const preview = async (
  client: Client,
  customerId: string,
  amount: number,
  fields: object = {},
  currency = 'eur',
): Promise<any> =>
  (
    await client.graphql(
      `query ($customerId: ID!, $items: [OneOffChargeInput!]!) { previewInvoice(customerId: $customerId, items: $items) { ${taxFields} } }`,
      { customerId, items: buildItems(amount, currency, fields) },
    )
  ).previewInvoice;

const taxText = ({ taxes }: any): string =>
  taxes
    .map(({ category, percent, country, tax }: any) =>
      [category, percent, tax.decimal, country].filter(Boolean).join(' '),
    )
    .join(', ');

const listEvents = async (client: Client): Promise<any[]> => {
  const { traces } = await client.graphql(
    '{ traces(first: 100, activityType: TenantEvent, order: ASC) { nodes { payload } } }',
  );
  return traces.nodes
    .map(({ payload }: any) => payload)
    .filter(({ action }: any) => action.startsWith('union_'))
    .map(({ action, details }: any) => [action, details.netMinor]);
};

const run = (client: Client, mutation: string, id: string) =>
  client.graphql(`mutation ($id: ID!) { ${mutation} }`, { id });

it('tenants without a place of supply are taxed as before, and nothing is counted', async () => {
  const client = await openTenant();
  const italian = await createCustomer(client, 'IT');
  expect(taxText(await bill(client, italian, 20_000))).toBe('S 22 4400.00');
  expect(await readSales(client)).toBeNull();
});

it('sells at home up to the threshold, warns before it, and at the customer from the sale that exceeds it', async () => {
  const client = await openTenant();
  const [italian, french] = [await createCustomer(client, 'IT'), await createCustomer(client, 'FR')];
  expect(await choose(client, 'seller')).toMatchObject({
    placeOfSupply: 'seller',
    unionSales: { year: 2026, state: 'below', net: { decimal: '0.00' }, threshold: { decimal: '10000.00' } },
  });
  expect(taxText(await bill(client, italian, 7_999.99))).toBe('S 19 1520.00 DE');
  expect(await listEvents(client)).toEqual([]);
  expect(taxText(await bill(client, french, 0.01))).toBe('S 19 0.00 DE');
  expect(await listEvents(client)).toEqual([['union_threshold_near', '800000']]);
  expect(await readSales(client)).toMatchObject({ state: 'near', destinationFrom: null });
  // Exactly the threshold does not exceed it; one cent more does. The preview says the same as the bill.
  expect(taxText(await preview(client, french, 2_000))).toBe('S 19 380.00 DE');
  expect(taxText(await preview(client, french, 2_000.01))).toBe('S 20 400.00');
  expect(taxText(await preview(client, french, 2_380, { taxBehavior: 'inclusive' }))).toBe('S 19 380.00 DE');
  expect(taxText(await preview(client, french, 2_380.02, { taxBehavior: 'inclusive' }))).toBe('S 20 396.67');
  expect(taxText(await bill(client, french, 2_000))).toBe('S 19 380.00 DE');
  expect(await readSales(client)).toMatchObject({ state: 'near', net: { decimal: '10000.00' } });
  expect(taxText(await bill(client, italian, 0.5))).toBe('S 22 0.11');
  expect(await readSales(client)).toEqual({
    state: 'exceeded',
    destinationFrom: '2026-03-01T00:00:00.000Z',
    destinationUntil: '2027-12-31',
    net: { decimal: '10000.50' },
    otherCurrencies: [],
  });
  expect(await listEvents(client)).toEqual([
    ['union_threshold_near', '800000'],
    ['union_threshold_exceeded', '1000050'],
  ]);
  expect(taxText(await bill(client, french, 1))).toBe('S 20 0.20');
  // The next year as well, and no longer after it: then little was sold in the year before.
  for (const [to, text] of [
    ['2027-06-01', 'S 20 0.20'],
    ['2028-01-01', 'S 19 0.19 DE'],
  ] as const) {
    await client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
    expect(taxText(await bill(client, french, 1)), to).toBe(text);
  }
});

it('counts only private customers of other member states, in euros', async () => {
  const client = await openTenant();
  await choose(client, 'seller');
  const vatId = { taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }] };
  for (const [country, details] of [
    ['DE', {}],
    ['US', {}],
    ['FR', vatId],
    ['FR', { taxExempt: true }],
  ] as const)
    await bill(client, await createCustomer(client, country, details), 5_000);
  expect(await readSales(client)).toMatchObject({ state: 'below', net: { decimal: '0.00' } });
  const swede = await createCustomer(client, 'SE');
  expect(taxText(await bill(client, swede, 500_000, 'sek'))).toBe('S 19 95000.00 DE');
  expect(await readSales(client)).toMatchObject({
    state: 'below',
    net: { decimal: '0.00' },
    otherCurrencies: [{ decimal: '500000.00', currency: 'sek' }],
  });
});

describe('in other currencies', () => {
  const setRate = (client: Client, day: string, rate: string | null, currency = 'sek'): Promise<unknown> =>
    client.graphql('mutation ($input: SetExchangeRateInput!) { setExchangeRate(input: $input) { day } }', {
      input: { currency, day, rate },
    });
  const read = async (client: Client): Promise<any> => {
    const { tenant } = await client.graphql(
      `{ tenant { alias unionSales { state net { decimal } otherCurrencies { decimal currency }
        withoutRate { day net { decimal currency } } } } }`,
    );
    const { findings } = await examine(app.service, () => {}, tenant.alias);
    expect(findings.filter(({ check }) => check === 'union_sales')).toEqual([]);
    const { state, net, otherCurrencies, withoutRate } = tenant.unionSales;
    const text = ({ decimal, currency }: any) => `${decimal} ${currency}`;
    const days = withoutRate.map((each: any) => `${each.day} ${text(each.net)}`);
    return [state, net.decimal, otherCurrencies.map(text), days];
  };
  const day = '2026-03-01';

  it('counts by the rate of the day, a later and a corrected one too, and shows what has none', async () => {
    const client = await openTenant();
    const other = await openTenant();
    await choose(client, 'seller');
    await choose(other, 'seller');
    const swede = await createCustomer(client, 'SE');
    await bill(client, swede, 11_000, 'sek');
    const yen = await bill(client, swede, 1_000, 'jpy');
    expect(await read(client)).toEqual([
      'below',
      '0.00',
      ['1000 jpy', '11000.00 sek'],
      [`${day} 1000 jpy`, `${day} 11000.00 sek`],
    ]);
    await setRate(other, day, '10');
    expect((await read(client))[1]).toBe('0.00');
    // A rate holds for seven days.
    await setRate(client, '2026-02-21', '1');
    expect((await read(client))[1]).toBe('0.00');
    await setRate(client, '2026-02-22', '11');
    expect(await read(client)).toEqual(['below', '1000.00', ['1000 jpy'], [`${day} 1000 jpy`]]);
    await setRate(client, day, '10');
    expect((await read(client))[1]).toBe('1100.00');
    await run(client, 'voidInvoice(id: $id) { id }', yen.id);
    expect(await read(client)).toEqual(['below', '1100.00', [], []]);
    await setRate(client, day, null);
    await setRate(client, '2026-02-22', null);
    expect(await read(client)).toEqual(['below', '0.00', ['11000.00 sek'], [`${day} 11000.00 sek`]]);
    await setRate(client, day, '1.1');
    expect(await read(client)).toEqual(['near', '10000.00', [], []]);
    await setRate(client, day, '1.0999');
    expect((await read(client))[0]).toBe('exceeded');
    expect((await listEvents(client)).map(([action]) => action)).toEqual([
      'union_threshold_near',
      'union_threshold_exceeded',
    ]);
    expect((await read(other)).slice(0, 3)).toEqual(['below', '0.00', []]);
  });

  it('the sale that exceeds the threshold is taxed at the customer, in previews as in bills', async () => {
    const client = await openTenant();
    await choose(client, 'seller');
    await setRate(client, day, '11.5');
    const swede = await createCustomer(client, 'SE');
    for (const [amount, text] of [
      [57_500, 'S 19 10925.00 DE'],
      [57_500.06, 'S 25 14375.02'],
      [57_500, 'S 19 10925.00 DE'],
      [0.01, 'S 19 0.00 DE'],
      [0.06, 'S 25 0.02'],
    ] as const) {
      expect(taxText(await preview(client, swede, amount, {}, 'sek')), String(amount)).toBe(text);
      if (amount !== 57_500.06) expect(taxText(await bill(client, swede, amount, 'sek'))).toBe(text);
    }
    expect((await read(client))[0]).toBe('exceeded');
  });

  it('credit notes and voided invoices are taken off', async () => {
    const client = await openTenant();
    await choose(client, 'seller');
    await setRate(client, day, '8', 'usd');
    const italian = await createCustomer(client, 'IT');
    const { id } = await bill(client, italian, 800, 'usd');
    await bill(client, italian, 80, 'usd');
    expect((await read(client))[1]).toBe('110.00');
    await run(
      client,
      'createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 95.2, currency: "usd" } }) { id }',
      id,
    );
    expect((await read(client))[1]).toBe('100.00');
    await run(client, 'voidInvoice(id: $id) { id }', id);
    expect((await read(client))[1]).toBe('10.00');
    await choose(client, null);
    await choose(client, 'seller');
    expect((await read(client))[1]).toBe('10.00');
  });

  it('a drift is found by doctor', async () => {
    const client = await openTenant();
    await choose(client, 'seller');
    await setRate(client, day, '8', 'usd');
    await bill(client, await createCustomer(client, 'IT'), 800, 'usd');
    const { tenant } = await client.graphql('{ tenant { alias } }');
    await app.backdoor.execute(
      `UPDATE union_sales SET net_minor = net_minor + 1 WHERE tenant_alias = '${tenant.alias}'`,
    );
    const { findings } = await examine(app.service, () => {}, tenant.alias);
    expect(findings).toMatchObject([
      {
        check: 'union_sales',
        found:
          'has counted 10001 of 2026 eur towards the threshold of the Union, but its documents have 10000',
      },
    ]);
  });

  it('50 bills at once of two currencies exceed the threshold once', async () => {
    const client = await openTenant();
    await choose(client, 'seller');
    await setRate(client, day, '10', 'usd');
    const italian = await createCustomer(client, 'IT');
    const bills = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        nth % 2 === 0 ? bill(client, italian, 400) : bill(client, italian, 4_000, 'usd'),
      ),
    );
    const atHome = bills.map(taxText).filter((text) => text.endsWith(' DE'));
    expect(atHome).toHaveLength(25);
    expect((await read(client)).slice(0, 2)).toEqual(['exceeded', '20000.00']);
  });
});

it('takes voided invoices and credit notes off, and counts drafts when they are finalized', async () => {
  const client = await openTenant();
  await choose(client, 'seller');
  const italian = await createCustomer(client, 'IT');
  const net = async () => (await readSales(client)).net.decimal;
  const draft = await bill(client, italian, 100, 'eur', true);
  expect(await net()).toBe('0.00');
  await run(client, 'finalizeInvoice(id: $id) { id }', draft.id);
  const other = await bill(client, italian, 1_000);
  expect(await net()).toBe('1100.00');
  await run(
    client,
    'createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 119, currency: "eur" } }) { id }',
    other.id,
  );
  expect(await net()).toBe('1000.00');
  await run(client, 'voidInvoice(id: $id) { id }', other.id);
  expect(await net()).toBe('100.00');
  await run(client, 'voidInvoice(id: $id) { id }', draft.id);
  expect(await net()).toBe('0.00');
});

it('stays exceeded in the year although a credit takes sales back', async () => {
  const client = await openTenant();
  await choose(client, 'seller');
  const italian = await createCustomer(client, 'IT');
  const large = await bill(client, italian, 10_001);
  expect(taxText(large)).toBe('S 22 2200.22');
  await run(client, 'voidInvoice(id: $id) { id }', large.id);
  expect(await readSales(client)).toMatchObject({ state: 'exceeded', net: { decimal: '0.00' } });
  expect(taxText(await bill(client, italian, 1))).toBe('S 22 0.22');
});

it('counts the documents of the time before the choice, and again after it was taken back', async () => {
  const client = await openTenant();
  const italian = await createCustomer(client, 'IT');
  await bill(client, italian, 4_000);
  const voided = await bill(client, italian, 100);
  await run(client, 'voidInvoice(id: $id) { id }', voided.id);
  const credited = await bill(client, italian, 1_000);
  await run(
    client,
    'createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 122, currency: "eur" } }) { id }',
    credited.id,
  );
  await bill(client, await createCustomer(client, 'DE'), 50_000);
  expect((await choose(client, 'destination')).unionSales).toMatchObject({
    state: 'below',
    net: { decimal: '4900.00' },
    previousNet: { decimal: '0.00' },
  });
  expect(taxText(await bill(client, italian, 100))).toBe('S 22 22.00');
  await choose(client, 'seller');
  expect(taxText(await bill(client, italian, 1_000))).toBe('S 19 190.00 DE');
  expect(await choose(client, null)).toEqual({ placeOfSupply: null, unionSales: null });
  expect((await choose(client, 'seller')).unionSales).toMatchObject({ net: { decimal: '6000.00' } });
});

it('bills in a race exceed the threshold once', async () => {
  const client = await openTenant();
  await choose(client, 'seller');
  const italian = await createCustomer(client, 'IT');
  const bills = await Promise.all(Array.from({ length: 24 }, () => bill(client, italian, 500)));
  const texts = bills.map(taxText).toSorted();
  expect(texts.filter((text) => text === 'S 19 95.00 DE')).toHaveLength(20);
  expect(texts.filter((text) => text === 'S 22 110.00')).toHaveLength(4);
  expect((await listEvents(client)).map(([action]) => action)).toEqual([
    'union_threshold_near',
    'union_threshold_exceeded',
  ]);
});

describe('what is sold', () => {
  const createProduct = async (client: Client, input: object): Promise<any> =>
    (
      await client.graphql(
        'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id kind prices { id } } }',
        {
          input: {
            name: 'Plan',
            description: '',
            prices: [{ details: { amount: 100, currency: 'eur' } }],
            ...input,
          },
        },
      )
    ).createProduct;

  const previewOrder = async (client: Client, customerId: string, product: any): Promise<string> => {
    const { previewSubscription } = await client.graphql(
      `query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { ${taxFields} } }`,
      { input: { customerId, productId: product.id, priceId: product.prices[0].id } },
    );
    return taxText(previewSubscription);
  };

  it.each<[kind: string | null, french: string, american: string, company: string]>([
    [null, 'S 20 20.00', 'O 0 0.00', 'AE 0 0.00'],
    ['electronic_service', 'S 20 20.00', 'O 0 0.00', 'AE 0 0.00'],
    ['service', 'S 19 19.00 DE', 'S 19 19.00 DE', 'AE 0 0.00'],
    ['service_on_site', 'S 19 19.00 DE', 'S 19 19.00 DE', 'S 19 19.00 DE'],
    ['goods', 'S 20 20.00', 'G 0 0.00', 'K 0 0.00'],
  ])('%s', async (kind, french, american, company) => {
    const client = await openTenant();
    const product = await createProduct(client, { kind });
    expect(product.kind).toBe(kind);
    const vatId = { taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }] };
    expect(await previewOrder(client, await createCustomer(client, 'FR'), product)).toBe(french);
    expect(await previewOrder(client, await createCustomer(client, 'US'), product)).toBe(american);
    expect(await previewOrder(client, await createCustomer(client, 'FR', vatId), product)).toBe(company);
    const { updateProduct } = await client.graphql(
      'mutation ($id: ID!) { updateProduct(id: $id, input: { kind: service_on_site }) { kind } }',
      { id: product.id },
    );
    expect(updateProduct.kind).toBe('service_on_site');
    expect(await previewOrder(client, await createCustomer(client, 'FR'), product)).toBe('S 19 19.00 DE');
  });

  it.each<[string | null, string, string]>([
    [null, 'S 20 20.00', 'AE 0 0.00'],
    ['electronic_service', 'S 20 20.00', 'AE 0 0.00'],
    ['service', 'S 19 19.00 DE', 'AE 0 0.00'],
    ['service_on_site', 'S 19 19.00 DE', 'S 19 19.00 DE'],
    ['goods', 'S 20 20.00', 'K 0 0.00'],
  ])(
    'a charge of the kind %s: in previews, drafts, at once, and with a waiting one',
    async (kind, french, company) => {
      const client = await openTenant();
      const vatId = { taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }] };
      for (const [details, text] of [
        [{}, french],
        [vatId, company],
      ] as const) {
        const customerId = await createCustomer(client, 'FR', details);
        expect(taxText(await preview(client, customerId, 100, { productKind: kind }))).toBe(text);
        const create = async (draft: boolean, items = buildItems(100, 'eur', { productKind: kind })) =>
          (
            await client.graphql(
              `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id ${taxFields} } }`,
              { input: { customerId, items, collect: 'send_invoice', draft } },
            )
          ).createInvoice;
        expect(taxText(await create(false))).toBe(text);
        const { id } = await create(true);
        const { finalizeInvoice } = await client.graphql(
          `mutation ($id: ID!) { finalizeInvoice(id: $id) { ${taxFields} } }`,
          { id },
        );
        expect(taxText(finalizeInvoice)).toBe(text);
        const { createInvoiceItem } = await client.graphql(
          'mutation ($input: CreateInvoiceItemInput!) { createInvoiceItem(input: $input) { productKind } }',
          { input: { customerId, ...buildItems(100, 'eur', { productKind: kind })[0] } },
        );
        expect(createInvoiceItem.productKind).toBe(kind);
        const both = taxText(await create(false, buildItems(1, 'eur')));
        const plain = taxText(await preview(client, customerId, 100));
        expect(both.split(', ').map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
          ...new Set([plain, text].map((each) => each.split(' ').slice(0, 2).join(' '))),
        ]);
      }
    },
  );

  it('a rate of a charge precedes its kind, and an unknown kind is refused', async () => {
    const client = await openTenant();
    const customerId = await createCustomer(client, 'FR');
    const { createTaxRate } = await client.graphql(
      'mutation { createTaxRate(input: { country: "FR", percent: "5.5", taxCode: "books" }) { id } }',
    );
    const fields = { productKind: 'service', taxRateId: createTaxRate.id };
    expect(taxText(await preview(client, customerId, 100, fields))).toBe('S 5.5 5.50');
    await expect(preview(client, customerId, 100, { productKind: 'thing' })).rejects.toThrow(/ProductKind/);
  });

  it('the report has each tax in its country', async () => {
    const client = await openTenant();
    await choose(client, 'seller');
    await bill(client, await createCustomer(client, 'FR'), 100);
    await choose(client, 'destination');
    await bill(client, await createCustomer(client, 'FR'), 200);
    const { taxReport, taxDocuments } = await client.graphql(
      `{ taxReport(input: { from: "2026-01-01", until: "2027-01-01", by: year }) {
        rows { country treatment percent taxable { decimal } }
      } taxDocuments(input: { from: "2026-01-01", until: "2027-01-01", country: "DE" }) { totalCount nodes { country taxable { decimal } } } }`,
    );
    expect(taxReport.rows).toEqual([
      { country: 'DE', treatment: 'domestic', percent: '19', taxable: { decimal: '100.00' } },
      { country: 'FR', treatment: 'one_stop_shop', percent: '20', taxable: { decimal: '200.00' } },
    ]);
    expect(taxDocuments).toEqual({
      totalCount: 1,
      nodes: [{ country: 'DE', taxable: { decimal: '100.00' } }],
    });
  });
});

it('is refused for sellers outside of the Union', async () => {
  const client = await openTenant('CH');
  const { body } = await client.post(
    'mutation { setPlaceOfSupply(input: { placeOfSupply: seller }) { alias } }',
  );
  expect(body.errors[0].extensions).toMatchObject({
    reason: 'validation_failed',
    issues: [{ path: 'placeOfSupply' }],
  });
});
