/** Moving from Stripe: subscriptions with several items and prices of every model are billed as Stripe would bill them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { findFaults } from '../support/faults.ts';
import { sampled } from '../support/sample.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { customer, item, price, product, seconds, subscription } from '../support/stripeObjects.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-items-'));
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
  const [name, method] = String(kept!['reference']).split('/');
  card = { customer: name!, method: method! };
});
beforeEach(async () => {
  books = await openBooks(app, '2026-02-10');
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true });
});

const importObjects = async (objects: object[], ...flags: string[]) => {
  const file = path.join(folder, 'stripe.json');
  writeFileSync(file, JSON.stringify(objects));
  const args = ['import', 'stripe', file, '--tenant', books.alias, ...flags, '--json'];
  const said = await perennial(app.database, args);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  return said.json;
};

/** A price of its own product, as Stripe's API returns it, and the quantity of its item. */
interface Sold {
  quantity?: number;
  unit_amount?: number | null;
  [field: string]: unknown;
}

/** The customer, the catalogue and one subscription to these prices, in this order. */
function sell(sold: Sold[], fields: object = {}): object[] {
  const settings = { invoice_settings: { default_payment_method: card.method } };
  const prices = sold.map(({ quantity: _, ...terms }, n) => price(`price_${n}`, `prod_${n}`, terms));
  const items = sold.map(({ quantity = 1 }, n) =>
    item({ id: `si_${n}`, price: { id: `price_${n}` }, quantity }),
  );
  return [
    customer(card.customer, settings),
    ...sold.map((_, n) => product(`prod_${n}`)),
    ...prices,
    subscription('sub_1', { customer: card.customer, ...fields }, items),
  ];
}

const tiered = (tiers_mode: string, tiers: object[]) => ({
  billing_scheme: 'tiered',
  tiers_mode,
  tiers,
  unit_amount: null,
});
const tier = (up_to: number | null, unit: number | string | null, flat: number | null = null) => ({
  up_to,
  unit_amount: typeof unit === 'number' ? unit : null,
  unit_amount_decimal: unit === null ? null : String(unit),
  flat_amount: flat,
  flat_amount_decimal: flat === null ? null : String(flat),
});
const seatTiers = [tier(5, 700), tier(10, 650), tier(null, 600)];
const flatTiers = [tier(1000, null, 10_000), tier(10_000, null, 50_000), tier(null, null, 100_000)];
const calls = [tier(1000, '1'), tier(10_000, '0.8'), tier(null, '0.5')];
const perTen = { transform_quantity: { divide_by: 5, round: 'up' }, unit_amount: 1000 };
const yearly = { interval: 'year', interval_count: 1, usage_type: 'licensed' };
const twelveMonths = { interval: 'month', interval_count: 12, usage_type: 'licensed' };
const tenth = { id: 'tenth', object: 'coupon', name: null, percent_off: 10, duration: 'forever' };

// The totals are those of Stripe's invoice for a period, by hand.
const soldRows: [name: string, sold: Sold[], total: number, main: number, fields?: object][] = [
  ['a flat plan after its seats: 20 + 7 × 5', [{ unit_amount: 500, quantity: 7 }, {}], 55, 1],
  ['seats alone: 7 × 5', [{ unit_amount: 500, quantity: 7 }], 35, 0],
  ['graduated: 5 × 7 + 5 × 6.50 + 10 × 6', [{ ...tiered('graduated', seatTiers), quantity: 20 }], 127.5, 0],
  ['volume: 20 × 6', [{ ...tiered('volume', seatTiers), quantity: 20 }], 120, 0],
  ['volume at the end of a tier: 5 × 7', [{ ...tiered('volume', seatTiers), quantity: 5 }], 35, 0],
  ['tiers with flat amounts', [{ ...tiered('volume', flatTiers), quantity: 5000 }], 500, 0],
  [
    'graduated with flat amounts: 10 + 2 × 1 + 5 + 1 × 0.50',
    [{ ...tiered('graduated', [tier(2, 100, 1000), tier(null, 50, 500)]), quantity: 3 }],
    17.5,
    0,
  ],
  [
    'tiers finer than cents: 1000 × 0.01 + 9000 × 0.008 + 5000 × 0.005',
    [{ ...tiered('graduated', calls), quantity: 15_000 }],
    107,
    0,
  ],
  ['packages of 5, the second one begun: 2 × 10', [{ ...perTen, quantity: 6 }], 20, 0],
  ['packages of 5, one full: 10', [{ ...perTen, quantity: 5 }], 10, 0],
  [
    'a unit finer than a cent, rounded half up: 3 × 0.005',
    [{ unit_amount: null, unit_amount_decimal: '0.5', quantity: 3 }],
    0.02,
    0,
  ],
  ['one unit finer than a cent', [{ unit_amount: null, unit_amount_decimal: '0.5' }], 0.01, 0],
  ['a decimal that is whole', [{ unit_amount: 1999, unit_amount_decimal: '1999.000000000000' }], 19.99, 0],
  ['yen: 3 × 500', [{ currency: 'jpy', unit_amount: 500, quantity: 3 }], 1500, 0],
  [
    'krónur, in hundredths at Stripe: 3 × 500',
    [{ currency: 'isk', unit_amount: 50_000, quantity: 3 }],
    1500,
    0,
  ],
  ['dinars: 2 × 1.230', [{ currency: 'kwd', unit_amount: 1230, quantity: 2 }], 2.46, 0],
  [
    'a year and 12 months: 20 + 30',
    [{ recurring: yearly }, { recurring: twelveMonths, unit_amount: 3000 }],
    50,
    0,
  ],
  ['a free plan and an add-on', [{ unit_amount: 0 }, { unit_amount: 900 }], 9, 0],
  [
    'every model, less 10 %: 18 + 114.75 + 108 + 18 + 31.50',
    [
      { ...tiered('graduated', seatTiers), quantity: 20 },
      { ...tiered('volume', seatTiers), quantity: 20 },
      {},
      { ...perTen, quantity: 6 },
      { unit_amount: 500, quantity: 7 },
    ],
    290.25,
    2,
    { discounts: [{ id: 'di_1', object: 'discount', coupon: tenth }] },
  ],
  ['21 items: 21 × 20', Array.from({ length: 21 }, () => ({})), 420, 0],
];
it.each(sampled(soldRows, 3))('bills %s', async (_name, sold, total, main, fields) => {
  const objects = sell(sold, fields);
  const brought = await importObjects(objects, '--yes');
  expect(brought).toMatchObject({ subscriptions: 1, left: [], lost: [], counts: {} });
  const [charge] = brought.charges;
  const due = '2026-02-15T00:00:00.000Z';
  expect(charge).toMatchObject({
    amount: total,
    date: due,
    product: `Plan prod_${main}`,
    addOns: sold.length - 1,
  });
  const again = await importObjects(objects, '--yes');
  expect(again).toMatchObject({ products: 0, prices: 0, subscriptions: 0, known: 2, charges: [] });
  const { subscription: read } = await books.client.graphql(
    'query ($id: ID!) { subscription(id: $id) { items { productName quantity isMain addedAt } } }',
    { id: charge.subscriptionId },
  );
  const order = [main, ...sold.keys()].filter((n, index, all) => all.indexOf(n) === index);
  expect(read.items).toEqual(
    order.map((n) => ({
      productName: `Plan prod_${n}`,
      quantity: sold[n]!.quantity ?? 1,
      isMain: n === main,
      addedAt: '2026-01-15T00:00:00.000Z',
    })),
  );
  expect(await books.forecast(charge.subscriptionId, '2026-02-20')).toEqual([`2026-02-15 ${total}`]);
  const before = running.stripe.moved.length;
  await books.advance('2026-02-20');
  expect(await books.bills(charge.subscriptionId)).toEqual([`2026-02-15 paid ${total}`]);
  const smallestUnits = { usd: 100, jpy: 1, isk: 100, kwd: 1000 }[charge.currency as string]!;
  expect(running.stripe.moved.slice(before)).toMatchObject([
    { kind: 'charge', amount: Math.round(total * smallestUnits), currency: charge.currency },
  ]);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('changes the quantity of an imported add-on within the period that Stripe charged', async () => {
  const { charges } = await importObjects(sell([{}, { unit_amount: 1400, quantity: 2 }]), '--yes');
  const [{ subscriptionId: id, amount }] = charges;
  expect(amount).toBe(48);
  const read = () =>
    books.client.graphql('query ($id: ID!) { subscription(id: $id) { items { id quantity isMain } } }', {
      id,
    });
  const addOn = (await read()).subscription.items.find(({ isMain }: any) => !isMain);
  await books.client.graphql(
    'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
    { id, input: { addOns: [{ priceId: addOn.id.split(':')[1], quantity: 3 }], billing: 'next_invoice' } },
  );
  // 20 + 3 × 14, and for the last 5 of the 31 days 42 × 5 / 31 = 6.77 less 28 × 5 / 31 = 4.52.
  expect(await books.forecast(id, '2026-02-20')).toEqual(['2026-02-15 64.25']);
  await books.advance('2026-03-20');
  expect(await books.bills(id)).toEqual(['2026-02-15 paid 64.25', '2026-03-15 paid 62']);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('continues a trial, and bills all items at its end', async () => {
  const trial_end = seconds('2026-02-20T12:00:00Z');
  const trial = { status: 'trialing', trial_end, billing_cycle_anchor: trial_end };
  const { charges } = await importObjects(sell([{}, { unit_amount: 500, quantity: 2 }], trial), '--yes');
  expect(charges).toMatchObject([{ amount: 30, date: '2026-02-20T12:00:00.000Z', addOns: 1 }]);
  await books.advance('2026-03-01');
  expect(await books.bills(charges[0].subscriptionId)).toEqual(['2026-02-20T12:00 paid 30']);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('imports the trial days and the tiers of prices', async () => {
  const recurring = { interval: 'month', interval_count: 1, usage_type: 'licensed' };
  const trial = { recurring: { ...recurring, trial_period_days: 14 } };
  const objects = [
    product('prod_1'),
    price('price_1', 'prod_1', trial),
    price('price_2', 'prod_1', { recurring: { ...recurring, trial_period_days: 0 } }),
    price('price_3', 'prod_1', { ...trial, ...tiered('graduated', calls) }),
    price('price_4', 'prod_1', perTen),
    price('price_5', 'prod_1', tiered('volume', [tier(10, 100), { ...tier(null, 50), up_to: 'inf' }])),
  ];
  expect(await importObjects(objects, '--yes')).toMatchObject({ products: 1, prices: 5, left: [] });
  expect(await importObjects(objects, '--yes')).toMatchObject({ products: 0, prices: 0, left: [] });
  const { products } = await books.client.graphql(
    `{ products { nodes { prices {
      model trialDays packageSize details { decimal } tiers { upTo unitAmount flatAmount }
    } } } }`,
  );
  const plain = { tiers: [], packageSize: null, trialDays: null };
  const listKey = ({ model, trialDays }: any) => `${model} ${trialDays}`;
  const read = products.nodes[0].prices.toSorted((a: any, b: any) => (listKey(a) < listKey(b) ? -1 : 1));
  expect(read.map((each: any) => ({ ...each, details: each.details.decimal }))).toEqual([
    { ...plain, model: 'flat', trialDays: 14, details: '20.00' },
    { ...plain, model: 'flat', details: '20.00' },
    {
      ...plain,
      model: 'graduated',
      trialDays: 14,
      details: '0.01',
      tiers: [
        { upTo: '1000', unitAmount: '0.01', flatAmount: '0.00' },
        { upTo: '10000', unitAmount: '0.008', flatAmount: '0.00' },
        { upTo: null, unitAmount: '0.005', flatAmount: '0.00' },
      ],
    },
    { ...plain, model: 'package', packageSize: 5, details: '10.00' },
    {
      ...plain,
      model: 'volume',
      details: '1.00',
      tiers: [
        { upTo: '10', unitAmount: '1.00', flatAmount: '0.00' },
        { upTo: null, unitAmount: '0.50', flatAmount: '0.00' },
      ],
    },
  ]);
});

it('reads the trial days of prices from CSV, which has no tiers and no fractions', async () => {
  const heading =
    'Price ID,Product ID,Product Name,Amount,Currency,Interval,Interval Count,Usage Type,Billing Scheme,Trial Period Days';
  const file = path.join(folder, 'prices.csv');
  const rows = [
    'price_1,prod_1,Pro,20.00,usd,month,1,licensed,per_unit,14',
    'price_2,prod_1,Pro,"20,00",usd,month,1,licensed,per_unit,',
    'price_3,prod_1,Pro,,usd,month,1,licensed,tiered,',
    'price_4,prod_1,Pro,,usd,month,1,licensed,per_unit,',
  ];
  writeFileSync(file, [heading, ...rows].join('\n'));
  const args = ['import', 'stripe', file, '--tenant', books.alias, '--yes', '--json'];
  const { json } = await perennial(app.database, args);
  expect(json).toMatchObject({ products: 1, prices: 2 });
  expect(json.left).toEqual([
    { stripeId: 'price_3', why: 'has tiers, which only JSON has' },
    { stripeId: 'price_4', why: 'has fractions of the smallest unit, which only JSON has' },
  ]);
  const { products } = await books.client.graphql('{ products { nodes { prices { trialDays } } } }');
  expect(products.nodes[0].prices.map(({ trialDays }: any) => trialDays).toSorted()).toEqual([14, null]);
});

const weekly = { interval: 'week', interval_count: 1, usage_type: 'licensed' };
const metered = { interval: 'month', interval_count: 1, usage_type: 'metered' };
const later = { current_period_end: seconds('2026-02-16T00:00:00Z') };

const soldFaults: [name: string, sold: Sold[], why: string, kinds?: string[]][] = [
  ['two intervals', [{}, { recurring: weekly }], 'it has items with different intervals', ['items']],
  ['two currencies', [{}, { currency: 'eur' }], 'it has items in several currencies', ['items']],
  ['a metered item', [{}, { recurring: metered }], 'its price price_1 is not here'],
  ['a deleted price', [{}, { deleted: true, currency: undefined }], 'its price price_1 is not here'],
  ['no units of an item', [{}, { quantity: 0 }], 'it is for 0 of its price'],
  ['less than no units', [{ quantity: -1 }], 'it is for -1 of its price'],
  ['more units than can be counted', [{ quantity: 2_000_000_000 }], 'quantity must be from 1 to 1000000000'],
  ['22 items', Array.from({ length: 22 }, () => ({})), 'it has more than 21 items', ['items']],
  ['no items', [], 'it has no items'],
];
it.each(sampled(soldFaults, 3))(
  'leaves a subscription with %s with Stripe',
  async (_name, sold, why, kinds) => {
    const objects = sell(sold);
    for (const flags of [[], ['--yes'], ['--accept', 'discount,tax', '--yes']]) {
      const { left, subscriptions } = await importObjects(objects, ...flags);
      expect(subscriptions).toBe(0);
      expect(left.at(-1)).toEqual({ stripeId: 'sub_1', why, ...(kinds && { kinds }) });
    }
    expect(await app.backdoor.all(`select id from intents where tenant_alias = '${books.alias}'`)).toEqual(
      [],
    );
    expect(await findFaults(app, books.alias)).toEqual([]);
  },
);

const itemFaults: [name: string, items: object[], why: string][] = [
  ['one price twice', [item(), item({ id: 'si_2' })], 'it has two items of one price'],
  [
    'two prices that are one here',
    [item(), item({ price: { id: 'price_same' } })],
    'it has two items of one price',
  ],
  [
    'two periods',
    [item(), item({ price: { id: 'price_2' }, ...later })],
    'it has items with different periods',
  ],
];
it.each(sampled(itemFaults, 3))('leaves items of %s with Stripe', async (_name, items, why) => {
  const objects = [
    customer(card.customer),
    product('prod_1'),
    price('price_1', 'prod_1'),
    price('price_same', 'prod_1'),
    price('price_2', 'prod_1', { unit_amount: 100 }),
    subscription('sub_1', { customer: card.customer }, items),
  ];
  const brought = await importObjects(objects, '--yes');
  expect(brought).toMatchObject({ subscriptions: 0, prices: 2, counts: { items: 1 } });
  expect(brought.left).toEqual([{ stripeId: 'sub_1', why, kinds: ['items'] }]);
});

it('lists one-off charges that a subscription began with, and imports it', async () => {
  const objects = sell([{}], { add_invoice_items: [{ price: 'price_once', quantity: 1 }] });
  const brought = await importObjects(objects, '--yes');
  expect(brought).toMatchObject({ subscriptions: 1, left: [], counts: { setup: 1 } });
  expect(brought.lost).toMatchObject([{ stripeId: 'sub_1', kind: 'setup', field: 'add_invoice_items' }]);
  expect(brought.charges).toMatchObject([{ amount: 20 }]);
});

const termFaults: [name: string, terms: Sold, why: string][] = [
  [
    'rounded down',
    { ...perTen, transform_quantity: { divide_by: 5, round: 'down' } },
    'does not round it up',
  ],
  ['of packages and tiers', { ...tiered('volume', seatTiers), ...perTen }, 'has tiers of packages'],
  [
    'without its tiers',
    tiered('graduated', []),
    'has tiers that are not in the file: export prices with --expand',
  ],
  ['with tiers of another mode', tiered('stairs', seatTiers), 'has tiers of an unknown mode (stairs)'],
  [
    'with tiers that descend',
    tiered('volume', [tier(10, 1), tier(5, 1), tier(null, 1)]),
    'tiers.1.upTo must be more',
  ],
  ['with an end of its last tier', tiered('volume', [tier(10, 1), tier(20, 1)]), 'tiers.1.upTo must be null'],
  [
    'with a tier of no units',
    tiered('volume', [tier(0, 1), tier(null, 1)]),
    'tiers.0.upTo must be more than 0',
  ],
  [
    'with 101 tiers',
    tiered('volume', [...Array.from({ length: 100 }, (_, n) => tier(n + 1, 1)), tier(null, 1)]),
    '100',
  ],
  [
    'finer than 12 decimals',
    { unit_amount: null, unit_amount_decimal: '0.00000000001' },
    'more than 12 decimals',
  ],
  ['without an amount', { unit_amount: null }, 'has no amount'],
  [
    'with a trial of 1000 days',
    { recurring: { ...weekly, trial_period_days: 1000 } },
    'trialDays must be at most 730',
  ],
  ['of another billing scheme', { billing_scheme: 'auction' }, 'has an unknown billing scheme'],
  [
    'by an interval of every object',
    { recurring: { ...weekly, interval: '__proto__' } },
    'is charged by the __proto__',
  ],
  ['by the hour', { recurring: { ...weekly, interval: 'hour' } }, 'is charged by the hour'],
  ['for 0 weeks', { recurring: { ...weekly, interval_count: 0 } }, 'period must be a whole number'],
];
it.each(sampled(termFaults, 3))(
  'leaves a price %s with Stripe, and its product',
  async (_name, terms, why) => {
    const brought = await importObjects(sell([terms]), '--yes');
    expect(brought).toMatchObject({ customers: 1, products: 0, prices: 0, subscriptions: 0 });
    expect(brought.left).toMatchObject([
      { stripeId: 'price_0', why: expect.stringContaining(why) },
      { stripeId: 'sub_1', why: 'its price price_0 is not here' },
    ]);
    expect(await app.backdoor.all(`select id from products where tenant_alias = '${books.alias}'`)).toEqual(
      [],
    );
  },
);

it('names the add-ons in the list of first charges', async () => {
  const file = path.join(folder, 'shown.json');
  writeFileSync(file, JSON.stringify(sell([{}, { unit_amount: 500, quantity: 2 }])));
  const said = await perennial(app.database, ['import', 'stripe', file, '--tenant', books.alias]);
  expect(said.out).toMatch(/\n2026-02-15T00:00:00\.000Z +30 usd +yes +\S+ +Plan prod_0 \+ 1 add-on +sub_1\n/);
});

it('archives the prices that are not active, for all but their subscribers', async () => {
  const objects = [
    ...sell([{ unit_amount: 3000, active: false }]),
    // One price of these terms is active, so the price of both is.
    price('price_old', 'prod_0', { unit_amount: 2000, active: false }),
    price('price_new', 'prod_0', { unit_amount: 2000 }),
    price('price_gone', 'prod_0', { unit_amount: 1000, active: false }),
  ];
  expect(await importObjects(objects, '--yes')).toMatchObject({ prices: 3, subscriptions: 1 });
  const read = '{ prices: products { nodes { prices { details { amount } archivedAt } } } }';
  const list = async () =>
    (await books.client.graphql(read)).prices.nodes
      .flatMap(({ prices }: any) => prices)
      .map(({ details, archivedAt }: any) => [details.amount, archivedAt !== null])
      .toSorted(([a]: [number], [b]: [number]) => a - b);
  const expected = [
    [10, true],
    [20, false],
    [30, true],
  ];
  expect(await list()).toEqual(expected);
  expect(await importObjects(objects, '--yes')).toMatchObject({ prices: 0 });
  expect(await list()).toEqual(expected);
  expect(await findFaults(app, books.alias)).toEqual([]);
});
