/** Moving from Stripe: what comes along, what is listed as lost before anything is kept, and what is charged after it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { findBookFaults, findFaults } from '../support/faults.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import {
  begin,
  item,
  price,
  product,
  seconds,
  customer as buildCustomer,
  subscription as buildSubscription,
} from '../support/stripeObjects.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-losses-'));
let running: StripeApp;
let app: TestApp;
let books: Books;
/** A customer and a kept card that the server which plays Stripe knows. */
let card: { customer: string; method: string };

beforeAll(async () => {
  running = await startStripeApp();
  ({ app } = running);
  const first = await openBooks(app, '2026-01-01');
  await first.subscribe(await first.shop.customer(), await first.plan(1), 'pm_card_visa');
  const [kept] = await app.backdoor.all('select reference from payment_methods');
  const [customer, method] = String(kept!['reference']).split('/');
  card = { customer: customer!, method: method! };
});
beforeEach(async () => {
  books = await openBooks(app, '2026-02-10');
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true });
});

let files = 0;
const file = (objects: object[] | string) => {
  const full = path.join(folder, `${++files}.json`);
  writeFileSync(full, typeof objects === 'string' ? objects : JSON.stringify(objects));
  return full;
};

const customer = (id: string, fields: object = {}) =>
  buildCustomer(id, { invoice_settings: { default_payment_method: card.method }, ...fields });
const subscription = (id: string, fields: object = {}, items?: object[]) =>
  buildSubscription(id, { customer: card.customer, ...fields }, items);
const catalog = [product('prod_1'), price('price_1', 'prod_1')];

const importObjects = async (objects: object[] | string, ...flags: string[]) => {
  const said = await perennial(app.database, [
    'import',
    'stripe',
    file(objects),
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
const findings = () => findFaults(app, books.alias);
const details = async (id: string) =>
  (
    await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { cancelAt cancelAtPeriodEnd cancelledAt metadata } }',
      { id },
    )
  ).subscription;

it('imports a balance as credit once, and the credit reduces the next charge', async () => {
  const objects = [customer(card.customer, { balance: -1250 }), ...catalog, subscription('sub_1')];
  const shown = await importObjects(objects);
  expect(shown).toMatchObject({ kept: false, lost: [], left: [], counts: {} });
  const credit = { stripeId: card.customer, amount: 12.5, currency: 'usd' };
  expect(shown.credits).toMatchObject([credit]);
  expect(await readRows('balance_entries')).toEqual([]);
  const brought = await importObjects(objects, '--yes');
  expect(brought.credits).toMatchObject([credit]);
  expect(await importObjects(objects, '--yes')).toMatchObject({ credits: [], lost: [], known: 2 });
  const { subscriptionId } = brought.charges[0];
  const before = running.stripe.moved.length;
  await books.advance('2026-04-01');
  const moved = running.stripe.moved.slice(before);
  expect(moved.map(({ kind, amount, currency }) => [kind, amount, currency])).toEqual([
    ['charge', 750, 'usd'],
    ['charge', 2000, 'usd'],
  ]);
  expect(await books.bills(subscriptionId)).toEqual(['2026-02-15 paid 7.5', '2026-03-15 paid 20']);
  const [row] = await readRows('customers');
  expect(await books.credits({ id: row!['id'] })).toEqual([0n]);
  expect(await findings()).toEqual([]);
});

it('reads the signs of both balances as Stripe documents them', async () => {
  const brought = await importObjects(
    [
      customer('cus_debt', { balance: 500 }),
      customer('cus_all', { balance: -300, invoice_credit_balance: { usd: 300, jpy: 1500, eur: -200 } }),
      customer('cus_none', { balance: 0, invoice_credit_balance: {} }),
      customer('cus_lost', { balance: -100, currency: null }),
      customer('cus_cash', { cash_balance: { object: 'cash_balance', available: { eur: 4200 } } }),
    ],
    '--yes',
  );
  expect(
    brought.credits.map(({ stripeId, amount, currency }: any) => `${stripeId} ${amount} ${currency}`),
  ).toEqual(['cus_all 3 usd', 'cus_all 1500 jpy']);
  expect(brought.lost).toMatchObject([
    { stripeId: 'cus_lost', kind: 'balance', why: expect.stringContaining('without a currency') },
    { stripeId: 'cus_cash', kind: 'cash_balance', field: 'cash_balance' },
    { stripeId: 'cus_debt', kind: 'balance', why: expect.stringMatching(/^owes 5\.00 USD/) },
    { stripeId: 'cus_all', kind: 'balance', why: expect.stringMatching(/^owes 2\.00 EUR/) },
  ]);
  expect(brought.counts).toEqual({ balance: 3, cash_balance: 1 });
  expect(await findings()).toEqual([]);
});

it('reports credit of customers who were imported without it', async () => {
  await books.shop.customer({ associatedId: 'cus_1' });
  const again = await importObjects([customer('cus_1', { balance: -900 })], '--yes');
  expect(again.credits).toEqual([]);
  expect(again.lost).toMatchObject([{ stripeId: 'cus_1', why: expect.stringContaining('was here already') }]);
  expect(await readRows('balance_entries')).toEqual([]);
});

it('skips credit that a skipped subscription uses, until that subscription is imported', async () => {
  const stays = subscription('sub_1', { discounts: ['di_1'] });
  const objects = [customer(card.customer, { balance: -900 }), ...catalog, stays];
  const brought = await importObjects(objects, '--yes');
  expect(brought).toMatchObject({ customers: 1, credits: [] });
  expect(brought.lost).toMatchObject([
    { why: expect.stringContaining('a subscription that stays with Stripe') },
  ]);
  expect(await readRows('balance_entries')).toEqual([]);
  const later = await importObjects(objects, '--accept', 'discount', '--yes');
  expect(later).toMatchObject({ subscriptions: 1, credits: [{ amount: 9 }] });
  expect(await findings()).toEqual([]);
});

it('imports the metadata and the default source of subscriptions', async () => {
  const metadata = { plan: 'gold', seats: '7' };
  const own = { metadata, default_source: { id: card.method, object: 'card' } };
  const objects = [
    customer(card.customer, { invoice_settings: { default_payment_method: null } }),
    ...catalog,
    subscription('sub_1', own),
  ];
  const { charges } = await importObjects(objects, '--yes');
  expect(charges).toMatchObject([{ hasPaymentMethod: true }]);
  expect(await details(charges[0].subscriptionId)).toMatchObject({
    metadata: { ...metadata, stripeId: 'sub_1' },
  });
});

it.each<[name: string, cancelAt: string, forecast: string[], bills: string[], cancelled: string]>([
  ['at the end of the paid period', '2026-02-15', [], [], '2026-02-15'],
  ['within the paid period', '2026-02-12', [], [], '2026-02-12'],
  ['at the end of a later period', '2026-03-15', ['2026-02-15 20'], ['2026-02-15 paid 20'], '2026-03-15'],
  [
    'within a later period, of which a part is charged',
    '2026-03-22',
    ['2026-02-15 20', '2026-03-15 4.52'],
    ['2026-02-15 paid 20', '2026-03-15 paid 4.52'],
    '2026-03-22',
  ],
])('cancels %s, as cancel_at says', async (_, cancelAt, forecast, bills, cancelled) => {
  const cancel = { cancel_at: seconds(`${cancelAt}T00:00:00Z`) };
  const { charges } = await importObjects(
    [customer(card.customer), ...catalog, subscription('sub_1', cancel)],
    '--yes',
  );
  const [{ subscriptionId: id, date }] = charges;
  expect(date).toBe(forecast.length === 0 ? null : '2026-02-15T00:00:00.000Z');
  expect(await books.forecast(id, '2026-12-01')).toEqual(forecast);
  await books.advance('2026-12-01');
  expect(await books.bills(id)).toEqual(bills);
  expect((await details(id)).cancelledAt).toBe(`${cancelled}T00:00:00.000Z`);
  expect(await findings()).toEqual([]);
});

it('continues billing if a cancellation is undone', async () => {
  const cancel = { cancel_at: seconds('2026-02-12T00:00:00Z') };
  const { charges } = await importObjects(
    [customer(card.customer), ...catalog, subscription('sub_1', cancel)],
    '--yes',
  );
  const [{ subscriptionId: id }] = charges;
  expect(await details(id)).toMatchObject({ cancelAt: '2026-02-12T00:00:00.000Z', cancelAtPeriodEnd: false });
  await books.run('uncancelSubscription(id: $id)', id);
  await books.advance('2026-03-01');
  expect(await books.bills(id)).toEqual(['2026-02-15 paid 20']);
  expect(await findings()).toEqual([]);
});

const taxRate = { id: 'txr_1', object: 'tax_rate', percentage: 19 };
const losing: [kind: string, fields: object, items?: object[]][] = [
  ['discount', { discounts: ['di_1'] }],
  ['discount', { discount: { id: 'di_1', object: 'discount' } }],
  ['discount', {}, [item({ discounts: [{ id: 'di_2' }] })]],
  ['tax', { default_tax_rates: [taxRate] }],
  ['tax', {}, [item({ tax_rates: [taxRate] })]],
  ['tax', { automatic_tax: { enabled: true } }],
  ['items', {}, [item(), item({ id: 'si_2' })]],
  ['items', { items: { object: 'list', data: [item()], has_more: true } }],
  ['collection', { collection_method: 'send_invoice', days_until_due: 30 }],
  ['collection', { managed_payments: { enabled: true } }],
  ['pause', { pause_collection: { behavior: 'void', resumes_at: null } }],
  ['schedule', { schedule: 'sub_sched_1' }],
  ['schedule', { billing_schedules: [{ key: 'a' }] }],
  ['pending_update', { pending_update: { expires_at: begin } }],
  ['connect', { application_fee_percent: 10 }],
  ['connect', { transfer_data: { destination: 'acct_1' } }],
  ['connect', { on_behalf_of: 'acct_1' }],
  ['thresholds', { billing_thresholds: { amount_gte: 1000 } }],
  ['thresholds', { pending_invoice_item_interval: { interval: 'day', interval_count: 1 } }],
  ['currency', { presentment_details: { presentment_currency: 'eur' } }],
  ['trial', {}, [item({ current_trial: { end_date: begin } })]],
];
it.each(losing)('skips a subscription that would lose %s: %o', async (kind, fields, items) => {
  const objects = [customer(card.customer), ...catalog, subscription('sub_1', fields, items)];
  for (const flags of [[], ['--yes']]) {
    const brought = await importObjects(objects, ...flags);
    expect(brought).toMatchObject({ subscriptions: 0, charges: [], counts: { [kind]: 1 } });
    expect(brought.left).toMatchObject([
      { stripeId: 'sub_1', kinds: [kind], why: expect.stringMatching(/^it /) },
    ]);
  }
  expect(await readRows('subscriptions')).toEqual([]);
  const isAcceptable = kind === 'discount' || kind === 'tax';
  const accepted = await importObjects(objects, '--accept', 'discount,tax');
  expect(accepted.subscriptions).toBe(isAcceptable ? 1 : 0);
  if (isAcceptable) {
    expect(accepted.lost).toMatchObject([{ stripeId: 'sub_1', kind, field: expect.any(String) }]);
    expect(accepted.charges).toMatchObject([{ amount: 20 }]);
  }
});

it('lists all losses with counts before it saves', async () => {
  const objects = [
    customer(card.customer, { discount: { id: 'di_9', object: 'discount' }, balance: 700 }),
    customer('cus_2'),
    ...catalog,
    subscription('sub_1'),
    subscription('sub_2', { customer: 'cus_2', discounts: ['di_1'], default_tax_rates: [taxRate] }),
    subscription('sub_3', { customer: 'cus_2', status: 'canceled', discounts: ['di_1'] }),
  ];
  const shown = await importObjects(objects);
  expect(shown.counts).toEqual({ discount: 2, tax: 1, balance: 1 });
  expect(shown.left).toEqual([
    { stripeId: 'sub_1', why: 'it belongs to a customer with a discount', kinds: ['discount'] },
    {
      stripeId: 'sub_2',
      why: expect.stringMatching(/^it has a discount, has tax rates \(here /),
      kinds: ['discount', 'tax'],
    },
    { stripeId: 'sub_3', why: 'it is canceled' },
  ]);
  for (const table of ['customers', 'products', 'intents']) expect(await readRows(table)).toEqual([]);
  const said = await perennial(app.database, ['import', 'stripe', file(objects), '--tenant', books.alias]);
  expect(said.out).toContain(
    `1 detail that would not be imported:\n  ${card.customer} (balance): it owes 7.00 USD`,
  );
  expect(said.out).toContain('Losses by kind: discount 2, tax 1, balance 1\n');
  expect(said.out).toMatch(/Nothing was saved; run it again with --yes to save it\.\n$/);
});

it('charges first at the end of a trial, and lists its rule for a trial without a card', async () => {
  const trial = {
    status: 'trialing',
    trial_end: seconds('2026-02-20T12:00:00Z'),
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
  };
  const shown = await importObjects([customer(card.customer), ...catalog, subscription('sub_1', trial)]);
  expect(shown.charges).toMatchObject([{ date: '2026-02-20T12:00:00.000Z', amount: 20 }]);
  expect(shown.lost).toMatchObject([
    { stripeId: 'sub_1', kind: 'trial_end_behavior', field: 'trial_settings' },
  ]);
});

it('continues a trial, which is announced, moved and billed like one that began here', async () => {
  const trial_end = seconds('2026-02-20T12:00:00Z');
  const trial = { status: 'trialing', trial_end, billing_cycle_anchor: trial_end };
  const objects = [customer(card.customer), ...catalog, subscription('sub_1', trial)];
  await importObjects(objects, '--yes');
  const [row] = await readRows('subscriptions');
  // A text on SQLite, a date on PostgreSQL.
  const readTime = (column: string) => new Date(row![column] as string | Date).toISOString();
  expect(['trial_ends_at', 'due_at', 'anchor'].map(readTime)).toEqual([
    '2026-02-20T12:00:00.000Z',
    '2026-02-17T12:00:00.000Z',
    '2026-02-20T12:00:00.000Z',
  ]);
  const extended = await books.run(
    'extendTrial(id: $id, input: { trialEndsAt: "2026-03-05" })',
    row!['id'] as string,
  );
  expect(extended).toMatchObject({
    status: 'trialing',
    nextBillingDate: '2026-03-05T00:00:00.000Z',
    dueAt: '2026-03-02T00:00:00.000Z',
  });
  expect(await books.forecast(row!['id'] as string, '2026-04-01')).toEqual(['2026-03-05 20']);
  expect(await findBookFaults(app, books.alias)).toEqual([]);
});

it('skips prices without a fixed amount', async () => {
  const shown = await importObjects([
    product('prod_1'),
    price('price_1', 'prod_1', { transform_quantity: { divide_by: 10, round: 'down' } }),
    price('price_2', 'prod_1', { custom_unit_amount: { minimum: 100 }, unit_amount: null }),
  ]);
  expect(shown.left).toEqual([
    { stripeId: 'price_1', why: 'divides its quantity, and does not round it up' },
    { stripeId: 'price_2', why: 'is chosen by the payer' },
  ]);
});

it('reads the same from CSV, and reports the columns that CSV lacks', async () => {
  const csv = [
    'id,Customer ID,Plan,Quantity,Status,Created (UTC),Start Date (UTC),Current Period Start (UTC),Current Period End (UTC),Trial End (UTC),Cancel At Period End,Cancel At (UTC),Coupon,Tax Percent,Application Fee Percent,team (metadata)',
    'sub_1,cus_1,price_1,1,active,2026-01-15 00:00,2026-01-15 00:00,2026-01-15 00:00,2026-02-15 00:00,,false,2026-03-15 00:00,,0.00,,blue',
    'sub_2,cus_2,price_1,1,active,2026-01-15 00:00,2026-01-15 00:00,2026-01-15 00:00,2026-02-15 00:00,,false,,SAVE10,19.0,,',
  ];
  const customers = [
    'id,Email,Name,Account Balance,Currency',
    'cus_1,ada@example.com,Ada,-12.50,usd',
    'cus_2,grace@example.com,Grace,0.00,usd',
  ];
  const folderFile = (lines: string[]) => file(`${lines.join('\n')}\n`);
  const said = await perennial(app.database, [
    'import',
    'stripe',
    folderFile(csv),
    folderFile(customers),
    file(catalog),
    '--tenant',
    books.alias,
    '--yes',
    '--json',
  ]);
  expect(said.json).toMatchObject({
    subscriptions: 1,
    credits: [{ stripeId: 'cus_1', amount: 12.5, currency: 'usd' }],
    left: [{ stripeId: 'sub_2', kinds: ['discount', 'tax'] }],
    notes: [expect.stringContaining('export JSON')],
  });
  expect(await details(said.json.charges[0].subscriptionId)).toMatchObject({
    cancelAt: '2026-03-15T00:00:00.000Z',
    metadata: { team: 'blue', stripeId: 'sub_1' },
  });
});

it('refuses --accept for losses that cannot be accepted', async () => {
  for (const kinds of ['items', 'discount,pause', '', 'constructor']) {
    const said = await perennial(app.database, [
      'import',
      'stripe',
      file(catalog),
      '--tenant',
      books.alias,
      '--accept',
      kinds,
    ]);
    expect(said.code).toBe(1);
    expect(said.err).toMatch(/^--accept takes discount and tax, not /);
  }
});

it('imports discounts whose coupons are in the files, and charges as Stripe would', async () => {
  const coupon = (id: string, fields: object) => ({ id, object: 'coupon', name: null, ...fields });
  const half = coupon('half', { percent_off: 50, duration: 'repeating', duration_in_months: 3 });
  const five = coupon('five', { amount_off: 500, currency: 'usd', duration: 'once', name: 'Sorry' });
  const tenth = coupon('tenth', { percent_off: 12.5, duration: 'forever' });
  const end = seconds('2026-03-20T00:00:00Z');
  const objects = [
    customer(card.customer, { discount: { id: 'di_1', object: 'discount', coupon: tenth } }),
    ...catalog,
    product('prod_2'),
    price('price_2', 'prod_2'),
    subscription('sub_1', {
      discounts: [
        { id: 'di_2', object: 'discount', coupon: half, end },
        // Since 2025-09-30 Stripe names the coupon as the source.
        { id: 'di_3', object: 'discount', source: { type: 'coupon', coupon: five } },
      ],
    }),
    subscription('sub_2', { items: { data: [item({ id: 'si_2', price: price('price_2', 'prod_2') })] } }),
  ];
  const brought = await importObjects(objects, '--yes');
  expect(brought).toMatchObject({ lost: [], left: [], counts: {} });
  expect(brought.charges.map(({ amount }: any) => amount)).toEqual([5, 17.5]);
  const again = await importObjects(objects, '--yes');
  expect(again.charges).toEqual([]);
  const coupons = await readRows('coupons');
  expect(coupons.map((row) => [row['name'], Number(row['times_redeemed']), Number(row['active'])])).toEqual([
    ['tenth', 1, 0],
    ['half', 1, 0],
    ['Sorry', 1, 0],
  ]);
  await books.advance('2026-04-20');
  const [first, second] = brought.charges.map(({ subscriptionId }: any) => subscriptionId);
  expect(await books.bills(first)).toEqual([
    '2026-02-15 paid 5',
    '2026-03-15 paid 10',
    // The discounts of the subscription have ended, so that of the customer applies.
    '2026-04-15 paid 17.5',
  ]);
  expect(await books.bills(second)).toEqual(['02', '03', '04'].map((month) => `2026-${month}-15 paid 17.5`));
  expect(await findings()).toEqual([]);
});

it.each([
  ['limited to products', { applies_to: { products: ['prod_1'] } }],
  ['without terms', { percent_off: null }],
  ['finer than percents are here', { percent_off: 33.33333 }],
])('leaves a discount by a coupon %s with Stripe', async (_name, fields) => {
  const coupon = { id: 'c', object: 'coupon', name: null, percent_off: 10, duration: 'forever', ...fields };
  const stays = subscription('sub_1', { discounts: [{ id: 'di_1', object: 'discount', coupon }] });
  const shown = await importObjects([customer(card.customer), ...catalog, stays], '--yes');
  expect(shown.left).toMatchObject([{ stripeId: 'sub_1', kinds: ['discount'] }]);
  expect(await readRows('discounts')).toEqual([]);
});
