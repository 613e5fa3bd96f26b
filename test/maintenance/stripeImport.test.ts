/** Moving from Stripe: what its dashboard and its interface export, and what is billed afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { findFaults } from '../support/faults.ts';
import { listMovements } from '../support/revenue.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-stripe-'));
let app: TestApp;
let books: Books;

beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string, content: string) => {
  const full = path.join(folder, name);
  writeFileSync(full, content);
  return full;
};
const seconds = (instant: string) => Date.parse(instant) / 1000;

const csv = () => [
  file(
    'customers.csv',
    '\uFEFFid,Description,Email,Name,Created (UTC),user_id (metadata)\r\n' +
      'cus_1,,ada@example.com,Ada King Lovelace,2025-01-31 10:00,u-1\r\n' +
      'cus_2,"Says ""hi"", twice",grace@example.com,Grace Hopper,2025-02-01 10:00,u-2\r\n' +
      'cus_3,,,Nobody,2025-02-01 10:00,u-3\r\n',
  ),
  file(
    'prices.csv',
    'Price ID,Product ID,Product Name,Product Statement Descriptor,Product Tax Code,Description,Created (UTC),Amount,Currency,Interval,Interval Count,Usage Type,Aggregate Usage,Billing Scheme,Trial Period Days,Tax Behavior\n' +
      'price_m,prod_1,Pro,,,,2025-01-01 00:00,"29,90",usd,month,1,licensed,,per_unit,,unspecified\n' +
      'price_y,prod_1,Pro,,,,2025-01-01 00:00,290.00,usd,year,1,licensed,,per_unit,,unspecified\n' +
      'price_u,prod_2,Calls,,,,2025-01-01 00:00,0.01,usd,month,1,metered,sum,per_unit,,unspecified\n',
  ),
  file(
    'subscriptions.csv',
    'id,Customer ID,Customer Email,Plan,Quantity,Interval,Amount,Status,Created (UTC),Start Date (UTC),Current Period Start (UTC),Current Period End (UTC),Trial Start (UTC),Trial End (UTC),Cancel At Period End\n' +
      'sub_1,cus_1,ada@example.com,price_m,2,month,59.80,active,2025-01-31 10:00,2025-01-31 10:00,2026-01-31 10:00,2026-02-28 10:00,,,false\n' +
      'sub_2,cus_2,grace@example.com,price_y,1,year,290.00,trialing,2026-02-01 00:00,2026-02-01 00:00,2026-02-01 00:00,2026-02-20 12:00,2026-02-01 00:00,2026-02-20 12:00,false\n' +
      'sub_3,cus_2,grace@example.com,price_u,1,month,0.01,active,2025-01-01 00:00,2025-01-01 00:00,2026-02-01 00:00,2026-03-01 00:00,,,false\n' +
      'sub_4,cus_2,grace@example.com,price_m,1,month,29.90,canceled,2025-01-01 00:00,,,,,,false\n' +
      'sub_5,cus_3,,price_m,1,month,29.90,active,2025-01-01 00:00,2025-01-01 00:00,2026-02-01 00:00,2026-03-01 00:00,,,false\n',
  ),
];

const importFiles = async (files: string[], ...flags: string[]) => {
  const said = await perennial(app.database, [
    'import',
    'stripe',
    ...files,
    '--tenant',
    books.alias,
    ...flags,
    '--json',
  ]);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  return said.json;
};
const readRows = (table: string) =>
  app.backdoor.all(`select * from ${table} where tenant_alias = '${books.alias}' order by id`);

it('shows the first charges of a CSV file, and saves nothing without --yes', async () => {
  books = await openBooks(app, '2026-02-10T00:00:00Z');
  const shown = await importFiles(csv(), '--associated-id', 'user_id');
  expect(shown).toMatchObject({
    kept: false,
    customers: 2,
    products: 1,
    prices: 2,
    subscriptions: 2,
    known: 0,
  });
  expect(shown.charges).toMatchObject([
    {
      stripeId: 'sub_1',
      date: '2026-02-28T10:00:00.000Z',
      amount: 59.8,
      currency: 'usd',
      hasPaymentMethod: false,
    },
    { stripeId: 'sub_2', date: '2026-02-20T12:00:00.000Z', amount: 290, product: 'Pro' },
  ]);
  expect(shown.left).toEqual([
    { stripeId: 'cus_3', why: 'it has no email address' },
    { stripeId: 'price_u', why: 'is charged by use' },
    { stripeId: 'sub_3', why: 'its price price_u is not here' },
    { stripeId: 'sub_4', why: 'it is canceled' },
    { stripeId: 'sub_5', why: 'its customer cus_3 is not here' },
  ]);
  for (const table of ['customers', 'products', 'subscriptions', 'intents'])
    expect(await readRows(table)).toEqual([]);
  const text = await perennial(app.database, ['import', 'stripe', ...csv(), '--tenant', books.alias]);
  expect(text.out).toMatch(
    /^Would import 2 customers, 1 product, .*\n\nFIRST CHARGE +AMOUNT +PAYMENT METHOD/,
  );
  expect(text.out).toMatch(/\n\d+ records not imported:\n {2}cus_3: it has no email address\n/);
  expect(text.out).toMatch(/Nothing was saved; run it again with --yes to save it\.\n$/);
});

it('bills imported subscriptions on their next dates, and imports nothing twice', async () => {
  const files = csv();
  const brought = await importFiles(files, '--associated-id', 'user_id', '--yes');
  expect(brought).toMatchObject({ kept: true, subscriptions: 2 });
  const again = await importFiles(files, '--associated-id', 'user_id', '--yes');
  expect(again).toMatchObject({
    customers: 0,
    products: 0,
    prices: 0,
    subscriptions: 0,
    known: 4,
    charges: [],
  });
  // From the start of sub_1; the trial of sub_2 brings revenue with its first payment.
  expect(await listMovements(books)).toEqual(['2025-01-31T10:00 new 59.80 → 59.80']);
  const { subscriptionId } = brought.charges[0];
  expect(await books.subscription(subscriptionId)).toMatchObject({
    status: 'active',
    productName: 'Pro',
    nextBillingDate: '2026-02-28T10:00:00.000Z',
    currentPeriodEnd: '2026-02-28T10:00:00.000Z',
    agreedPrice: { amount: 59.8, currency: 'usd' },
  });
  const sold = await books.client.graphql(
    `query ($id: ID!) { subscription(id: $id) { quantity price { id model details { decimal } } } }`,
    { id: subscriptionId },
  );
  expect(sold.subscription).toEqual({
    quantity: 2,
    price: { id: expect.any(String), model: 'per_unit', details: { decimal: '29.90' } },
  });
  expect(await books.forecast(subscriptionId, '2026-05-01')).toEqual([
    '2026-02-28T10:00 59.8',
    '2026-03-31T10:00 59.8',
    '2026-04-30T10:00 59.8',
  ]);
  expect((await perennial(app.database, ['doctor', '--json'])).json.findings).toEqual([]);
  await app.backdoor.execute(
    `insert into payment_methods (tenant_alias, id, customer_id, provider, reference, created_at)
     select tenant_alias, 'pm_own', customer_id, 'sandbox', 'sandbox_ok', created_at from subscriptions where id = '${subscriptionId}'`,
  );
  await app.backdoor.execute(
    `update subscriptions set payment_method_id = 'pm_own' where id = '${subscriptionId}'`,
  );
  await books.advance('2026-04-15T00:00:00Z');
  expect(await books.bills(subscriptionId)).toEqual([
    '2026-02-28T10:00 paid 59.8',
    '2026-03-31T10:00 paid 59.8',
  ]);
  expect(await listMovements(books)).toEqual(['2025-01-31T10:00 new 59.80 → 59.80']);
  const { findings } = (await perennial(app.database, ['doctor', '--json'])).json;
  // That the method was changed past the program is all there is to find.
  expect(new Set(findings.map(({ check }: any) => check))).toEqual(new Set(['traces']));
});

it('reads responses of the Stripe API, with payment methods', async () => {
  books = await openBooks(app, '2026-02-10T00:00:00Z', 'Asia/Kabul');
  const list = (data: object[]) => ({ object: 'list', data });
  const subscription = (id: string, fields: object) => ({
    object: 'subscription',
    id,
    customer: 'cus_1',
    status: 'active',
    start_date: seconds('2025-12-31T10:00:00Z'),
    billing_cycle_anchor: seconds('2025-12-31T10:00:00Z'),
    cancel_at_period_end: false,
    items: list([
      {
        price: { id: 'price_1' },
        quantity: 1,
        current_period_start: seconds('2026-01-31T10:00:00Z'),
        current_period_end: seconds('2026-02-28T10:00:00Z'),
      },
    ]),
    ...fields,
  });
  const objects = [
    {
      object: 'customer',
      id: 'cus_1',
      email: 'ada@example.com',
      name: 'Ada',
      invoice_settings: { default_payment_method: 'pm_1' },
    },
    { object: 'customer', id: 'cus_2', email: 'grace@example.com', name: null },
    { object: 'product', id: 'prod_1', name: 'Pro', description: null, active: true },
    {
      object: 'price',
      id: 'price_1',
      product: 'prod_1',
      unit_amount: 1500,
      currency: 'jpy',
      recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
      billing_scheme: 'per_unit',
    },
    subscription('sub_1', { default_payment_method: null }),
    subscription('sub_2', { customer: 'cus_2', cancel_at_period_end: true }),
    subscription('sub_3', { discounts: ['di_1'] }),
    subscription('sub_4', { status: 'past_due' }),
    subscription('sub_5', { items: list([{ price: 'price_1' }, { price: 'price_1' }]) }),
    subscription('sub_6', {
      customer: 'cus_2',
      items: list([
        {
          price: 'price_1',
          quantity: 1,
          current_period_start: 0,
          current_period_end: seconds('2026-02-09T00:00:00Z'),
        },
      ]),
    }),
  ];
  const lines = file('stripe.jsonl', objects.map((object) => JSON.stringify(object)).join('\n'));
  const brought = await importFiles([lines], '--yes');
  expect(brought.charges).toMatchObject([
    {
      stripeId: 'sub_1',
      date: '2026-02-28T10:00:00.000Z',
      amount: 1500,
      currency: 'jpy',
      hasPaymentMethod: true,
    },
    { stripeId: 'sub_2', date: null, amount: 0, hasPaymentMethod: false },
  ]);
  expect(brought.left.map(({ stripeId, why }: any) => `${stripeId}: ${why}`)).toEqual([
    'sub_3: it has a discount',
    'sub_4: it is past_due',
    'sub_5: it has two items of one price',
    'sub_6: its period ended at 2026-02-09T00:00:00.000Z: export it anew',
  ]);
  expect(await readRows('payment_methods')).toMatchObject([{ provider: 'stripe', reference: 'cus_1/pm_1' }]);
  expect(await readRows('customers')).toMatchObject([
    { first_name: 'Ada', last_name: '-', associated_id: 'cus_1' },
    { first_name: 'grace', last_name: '-' },
  ]);
});

describe('shows the payment methods', () => {
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031, fingerprint: 'xyz' };
  const method = { object: 'payment_method', id: 'pm_1', type: 'card', card };
  const shown = { type: 'card', brand: 'visa', last4: '4242', expires_at: '2032-01-01T00:00:00.000Z' };
  const plan = [
    { object: 'product', id: 'prod_1', name: 'Pro' },
    {
      object: 'price',
      id: 'price_1',
      product: 'prod_1',
      unit_amount: 1500,
      currency: 'eur',
      recurring: { interval: 'month', interval_count: 1 },
    },
  ];
  const period = {
    current_period_start: seconds('2026-01-31T10:00:00Z'),
    current_period_end: seconds('2026-02-28T10:00:00Z'),
  };
  const person = (fields: object) => ({
    object: 'customer',
    id: 'cus_1',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    ...fields,
  });
  const agreed = (fields: object) => ({
    object: 'subscription',
    id: 'sub_1',
    customer: 'cus_1',
    status: 'active',
    start_date: seconds('2025-12-31T10:00:00Z'),
    items: { object: 'list', data: [{ price: 'price_1', quantity: 1, ...period }] },
    ...fields,
  });
  const importObjects = async (objects: object[]) => {
    books = await openBooks(app, '2026-02-10T00:00:00Z');
    const lines = file('methods.jsonl', [...plan, ...objects].map((each) => JSON.stringify(each)).join('\n'));
    return importFiles([lines], '--yes');
  };
  const unexpanded = { invoice_settings: { default_payment_method: 'pm_1' } };
  const visa = { object: 'card', id: 'card_1', ...card, brand: 'Visa' };

  it.each<[string, object[], object]>([
    ['expanded in the subscription', [person({}), agreed({ default_payment_method: method })], shown],
    [
      'expanded in the customer',
      [person({ invoice_settings: { default_payment_method: method } }), agreed({})],
      shown,
    ],
    ['in a list of their own', [person(unexpanded), agreed({}), { object: 'list', data: [method] }], shown],
    ['given as cards of the older API', [person({ default_source: visa }), agreed({})], shown],
    [
      'that are bank accounts',
      [
        person(unexpanded),
        agreed({}),
        { ...method, type: 'sepa_debit', card: undefined, sepa_debit: { last4: '3000', bank_code: '1' } },
      ],
      { type: 'sepa_debit', brand: null, last4: '3000', expires_at: null },
    ],
    ['of which only the id is known', [person(unexpanded), agreed({})], { type: null, last4: null }],
  ])('%s', async (_, objects, expected) => {
    await importObjects(objects);
    expect(await readRows('payment_methods')).toMatchObject([{ ...expected, fingerprint: null }]);
  });

  it.each([
    [{ brand: {} }, 'card.brand must be text'],
    [{ last4: '4'.repeat(101) }, 'card.last4 must be at most 100 characters'],
    [{ exp_month: 13 }, 'card.exp_month must be 1 to 12, not 13'],
    [{ exp_year: 99_999 }, 'card.exp_year must be a year, not 99999'],
    [{ exp_year: 'soon' }, 'card.exp_year must be a whole number'],
  ])('refuses a file with %j', async (fields, message) => {
    const spoilt = JSON.stringify({ ...method, card: { ...card, ...fields } });
    const said = await perennial(app.database, [
      'import',
      'stripe',
      file('spoilt.json', spoilt),
      '--tenant',
      books.alias,
    ]);
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringContaining(`The payment_method pm_1 cannot be read: ${message}`),
    });
  });

  it('of a CSV file', async () => {
    books = await openBooks(app, '2026-02-10T00:00:00Z');
    const [, ...others] = csv();
    const header = 'id,Email,Name,Card ID,Card Last4,Card Brand,Card Exp Month,Card Exp Year';
    const row = 'cus_1,ada@example.com,Ada King,card_9,0005,American Express,1,2030';
    await importFiles([file('cards.csv', `${header}\n${row}\n`), ...others], '--yes');
    expect(await readRows('payment_methods')).toMatchObject([
      { reference: 'cus_1/card_9', brand: 'amex', last4: '0005', expires_at: '2030-02-01T00:00:00.000Z' },
    ]);
  });
});

it('skips the second subscription of a customer in a group, and reports it before it saves', async () => {
  books = await openBooks(app, '2026-02-10T00:00:00Z');
  const formatLine = (object: object) => JSON.stringify(object);
  const product = (id: string, name: string) => ({ object: 'product', id, name, active: true });
  const buildPrice = (id: string, of: string) => ({
    object: 'price',
    id,
    product: of,
    unit_amount: 1500,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    billing_scheme: 'per_unit',
  });
  const buildSubscription = (id: string, customer: string, price: string) => ({
    object: 'subscription',
    id,
    customer,
    status: 'active',
    start_date: seconds('2025-12-31T10:00:00Z'),
    billing_cycle_anchor: seconds('2025-12-31T10:00:00Z'),
    cancel_at_period_end: false,
    items: {
      object: 'list',
      data: [
        {
          price: { id: price },
          quantity: 1,
          current_period_start: seconds('2026-01-31T10:00:00Z'),
          current_period_end: seconds('2026-02-28T10:00:00Z'),
        },
      ],
    },
  });
  const catalog = [
    product('prod_1', 'Basic'),
    product('prod_2', 'Pro'),
    product('prod_3', 'Extra'),
    buildPrice('price_1', 'prod_1'),
    buildPrice('price_2', 'prod_2'),
    buildPrice('price_3', 'prod_3'),
  ].map(formatLine);
  await importFiles([file('catalog.jsonl', catalog.join('\n'))], '--yes');
  const { id: groupId } = await books.shop.group({ name: 'Plans' });
  const { products } = await books.client.graphql('{ products(first: 10) { nodes { id name } } }');
  for (const { id, name } of products.nodes.filter((each: any) => each.name !== 'Extra')) {
    const moved = await books.client.rest('PATCH', `/products/${id}`, { tenantAlias: books.alias, groupId });
    expect(moved.status, name).toBe(200);
  }
  const running = [
    { object: 'customer', id: 'cus_1', email: 'ada@example.com', name: 'Ada Lovelace' },
    { object: 'customer', id: 'cus_2', email: 'grace@example.com', name: 'Grace Hopper' },
    buildSubscription('sub_1', 'cus_1', 'price_1'),
    buildSubscription('sub_2', 'cus_1', 'price_2'),
    buildSubscription('sub_3', 'cus_1', 'price_3'),
    buildSubscription('sub_4', 'cus_2', 'price_2'),
    buildSubscription('sub_5', 'cus_1', 'price_1'),
  ].map(formatLine);
  const lines = file('group.jsonl', [...catalog, ...running].join('\n'));
  const left = [
    { stripeId: 'sub_2', why: 'its customer subscribes to Basic already, which is in one group with Pro' },
    { stripeId: 'sub_5', why: 'its customer subscribes to Basic already' },
  ];
  const shown = await importFiles([lines]);
  expect(shown).toMatchObject({ kept: false, subscriptions: 3, left });
  expect(await readRows('subscriptions')).toEqual([]);
  expect(await importFiles([lines], '--yes')).toMatchObject({ kept: true, subscriptions: 3, left });
  expect(await importFiles([lines], '--yes')).toMatchObject({ subscriptions: 0, left });
  expect(await readRows('subscriptions')).toHaveLength(3);
  expect(await findFaults(app, books.alias)).toEqual([]);
});
