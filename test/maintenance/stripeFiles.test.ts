/** Moving from Stripe with damaged or hostile files: each has a clear error or a listed record, and saves nothing else. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { findFaults } from '../support/faults.ts';
import { isLong, sampled } from '../support/sample.ts';
import { begin, customer, item, price, product, seconds, subscription } from '../support/stripeObjects.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-files-'));
let app: TestApp;
let books: Books;

beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  books = await openBooks(app, '2026-02-10');
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const importFile = async (content: string | Uint8Array, ...flags: string[]) => {
  const file = path.join(folder, 'stripe');
  writeFileSync(file, content);
  const said = await perennial(app.database, ['import', 'stripe', file, '--tenant', books.alias, ...flags]);
  return { ...said, err: said.err.replace(`${file}: `, '') };
};
const importObjects = async (objects: object[]) => {
  const said = await importFile(JSON.stringify(objects), '--yes', '--json');
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  return said.json;
};

const tables = ['customers', 'products', 'prices', 'intents', 'subscriptions', 'coupons', 'discounts'];
const counted = [...tables, 'payment_methods', 'balance_entries', 'traces'];
/** How many rows the tenant has in each table. */
const countRows = async () => {
  const counts: Record<string, number> = {};
  for (const table of counted) {
    const rows = await app.backdoor.all(`select 1 from ${table} where tenant_alias = '${books.alias}'`);
    counts[table] = rows.length;
  }
  return counts;
};

const lines = (...objects: (object | string)[]) =>
  objects.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
const mebibyte = 'x'.repeat(1024 * 1024);
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
const good = [customer('cus_1'), product('prod_1'), price('price_1', 'prod_1'), subscription('sub_1')];
const expected =
  "Expected a CSV file of Stripe's dashboard, or JSON of its API: a list, an array, or one object per line.";
const pricesHead =
  'Price ID,Product ID,Product Name,Amount,Currency,Interval,Interval Count,Usage Type,Billing Scheme';
const subscriptionsHead =
  'id,Customer ID,Plan,Quantity,Status,Start Date (UTC),Current Period Start (UTC),Current Period End (UTC)';

const refused: [name: string, content: string | Uint8Array, problem: string][] = [
  ['nothing', '', `The file is empty. ${expected}`],
  ['spaces and a byte order mark', '\uFEFF \r\n\t', `The file is empty. ${expected}`],
  ['null', 'null', `The JSON holds something other than objects. ${expected}`],
  ['a number', '42', `The JSON holds something other than objects. ${expected}`],
  ['a text', '"cus_1"', `The JSON holds something other than objects. ${expected}`],
  ['numbers', '[1,2]', `The JSON holds something other than objects. ${expected}`],
  [
    'an empty list',
    '[]',
    `The files contain no customers, products, prices, tax rates or subscriptions. ${expected}`,
  ],
  ['null among records', lines(...good, 'null'), `The JSON holds something other than objects. ${expected}`],
  ['a list of lists', JSON.stringify([good]), `The JSON holds something other than objects. ${expected}`],
  ['a list without data', lines(...good, { object: 'list' }), 'A list has no data.'],
  ['a list with an object as data', lines({ object: 'list', data: {} }), 'A list has no data.'],
  ['half of an array', JSON.stringify(good).slice(0, -20), 'The JSON cannot be read: '],
  ['half of a formatted array', JSON.stringify(good, null, 2).slice(0, -20), 'The JSON cannot be read: '],
  ['a line that was cut', lines(...good, '{"obj'), 'The JSON cannot be read at line 5: '],
  ['deep lists', nest(100_000), 'The JSON cannot be read: it is nested deeper than 64 levels.'],
  [
    'deep metadata',
    `{"object":"customer","id":"cus_9","email":"a@b.co","metadata":{"a":${nest(50_000)}}}`,
    'The JSON cannot be read: it is nested deeper than 64 levels.',
  ],
  ['UTF-16', utf16(lines(...good)), `The file is not UTF-8 text. ${expected}`],
  [
    'bytes that are not text',
    Uint8Array.of(0x7b, 0x22, 0xff, 0xfe),
    `The file is not UTF-8 text. ${expected}`,
  ],
  [
    'an object without a kind',
    lines(...good, { id: 'cus_9' }),
    "Stripe's object is not customer, product, price",
  ],
  [
    'an invoice',
    lines(...good, { object: 'invoice', id: 'in_1' }),
    "Stripe's invoice is not customer, product",
  ],
  [
    'a kind that every object has',
    lines(...good, { object: 'constructor', id: 'c' }),
    "Stripe's constructor is not",
  ],
  ['a long kind', lines(...good, { object: mebibyte, id: 'c' }), "Stripe's xxxxxxxxxx"],
  ['a customer without an id', lines(...good, { object: 'customer' }), 'A customer has no id.'],
  ['an id that is a number', lines(...good, product(5 as never)), 'A product has no id.'],
  ['a long id', lines(...good, product(mebibyte)), 'of a product must have at most 255 characters'],
  ['an id with an escape sequence', lines(...good, product('a\u001B[2J')), 'and no control characters.'],
  [
    'a customer twice, and different',
    lines(...good, customer('cus_1', { email: 'other@example.com' })),
    'The customer cus_1 is in the files twice, and differs: keep one of them.',
  ],
  [
    'a subscription twice, with another quantity',
    lines(...good, subscription('sub_1', {}, [item({ quantity: 2 })])),
    'The subscription sub_1 is in the files twice, and differs: keep one of them.',
  ],
  [
    'NUL in a name',
    lines(...good, customer('cus_9', { name: 'A\0' })),
    'The customer cus_9 cannot be read: name must',
  ],
  [
    'half a surrogate',
    lines(...good, customer('cus_9', { name: 'A\uD800' })),
    'The customer cus_9 cannot be read: name must be well-formed Unicode without NUL.',
  ],
  ['CSV without rows', 'id,Email,Name\n', `The CSV file has no rows. ${expected}`],
  ['unknown columns', 'a,b\n1,2\n', `No export of Stripe has the columns a, b, …. ${expected}`],
  [
    'a quote that is not closed',
    'id,Email,Name\n"cus_1","b@b.co","B\n',
    'The CSV cannot be read: Quote Not Closed: ',
  ],
  ['a row without an id', 'id,Email,Name\n,b@b.co,B\n', 'A customer has no id.'],
  [
    'an amount that is a word',
    `${pricesHead}\nprice_1,prod_1,Pro,much,usd,month,1,licensed,per_unit\n`,
    'The price price_1 cannot be read: "much" is not an amount.',
  ],
  [
    'an amount below zero',
    `${pricesHead}\nprice_1,prod_1,Pro,-5.00,usd,month,1,licensed,per_unit\n`,
    'The price price_1 cannot be read: "-5.00" is not an amount.',
  ],
  [
    'an unknown currency in CSV',
    `${pricesHead}\nprice_1,prod_1,Pro,5.00,zzz,month,1,licensed,per_unit\n`,
    'The price price_1 cannot be read: Currency must be an ISO 4217 currency code',
  ],
  [
    'a day that no calendar has',
    `${subscriptionsHead}\nsub_1,cus_1,price_1,1,active,2026-13-45 10:00,2026-01-15 00:00,2026-02-15 00:00\n`,
    'The subscription sub_1 cannot be read: "2026-13-45 10:00" is not a date in Stripe\'s format.',
  ],
  [
    'a quantity that is a word in CSV',
    `${subscriptionsHead}\nsub_1,cus_1,price_1,x,active,2026-01-15 10:00,2026-01-15 00:00,2026-02-15 00:00\n`,
    'The subscription sub_1 cannot be read: Quantity must be a whole number, not "x".',
  ],
];
// After good records, which must not be saved either.
it.each(sampled(refused, 3))(
  'refuses a file that holds %s, and saves nothing',
  async (_name, content, problem) => {
    const before = await countRows();
    const said = await importFile(content, '--yes');
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toMatch(/\.\n$/);
    expect(said.err.length).toBeLessThan(500);
    expect(said.err).toContain(problem);
    expect(await countRows()).toEqual(before);
  },
);

const monthly = { interval: 'month', interval_count: 1, usage_type: 'licensed' };
const tiered = (tiers: unknown, mode: unknown = 'volume') => ({
  billing_scheme: 'tiered',
  tiers_mode: mode,
  tiers,
});

const unreadable: [
  kind: 'customer' | 'product' | 'price' | 'subscription',
  fields: Record<string, unknown>,
  problem: string,
][] = [
  ['customer', { email: {} }, 'email must be text, not {}'],
  ['customer', { name: 5 }, 'name must be text, not 5'],
  ['customer', { metadata: 'plan' }, 'metadata must be an object, not "plan"'],
  ['customer', { balance: 'much' }, 'balance must be a whole number, not "much"'],
  ['customer', { balance: -5, currency: 'zzz' }, 'currency must be an ISO 4217 currency code'],
  [
    'customer',
    { invoice_credit_balance: { zzz: 5 } },
    'invoice_credit_balance must be an ISO 4217 currency code',
  ],
  [
    'customer',
    { cash_balance: { available: { usd: [] } } },
    'cash_balance.available.usd must be a whole number',
  ],
  ['customer', { default_source: [] }, 'default_source must be text, not []'],
  [
    'customer',
    { invoice_settings: { default_payment_method: { id: 5 } } },
    'default_payment_method must be text, not 5',
  ],
  ['customer', { discounts: 'di_1' }, 'discounts must be a list'],
  ['product', { name: ['Pro'] }, 'name must be text, not ["Pro"]'],
  ['price', { currency: 'zzz' }, 'currency must be an ISO 4217 currency code'],
  ['price', { currency: null }, 'currency must be an ISO 4217 currency code'],
  ['price', { unit_amount: 1.5 }, 'unit_amount must be a whole number, not 1.5'],
  ['price', { unit_amount: -500 }, 'unit_amount_decimal must be a decimal number, 0 or more, not "-500"'],
  ['price', { unit_amount: 1e21 }, 'unit_amount must be a whole number'],
  ['price', { unit_amount: [500] }, 'unit_amount must be a whole number, not [500]'],
  [
    'price',
    { unit_amount_decimal: '1e3' },
    'unit_amount_decimal must be a decimal number, 0 or more, not "1e3"',
  ],
  [
    'price',
    { unit_amount: 500, unit_amount_decimal: '501' },
    'unit_amount is 500, but unit_amount_decimal is "501"',
  ],
  ['price', { unit_amount_decimal: {} }, 'unit_amount_decimal must be a decimal number, 0 or more, not {}'],
  ['price', { recurring: 'monthly' }, 'recurring must be an object, not "monthly"'],
  [
    'price',
    { recurring: { ...monthly, interval_count: 'x' } },
    'recurring.interval_count must be a whole number',
  ],
  [
    'price',
    { recurring: { ...monthly, trial_period_days: 1.5 } },
    'recurring.trial_period_days must be a whole number',
  ],
  [
    'price',
    { recurring: { ...monthly, interval: mebibyte } },
    'recurring.interval must be at most 40 characters',
  ],
  ['price', tiered('all'), 'tiers must be a list, not "all"'],
  ['price', tiered([5]), 'tiers.0 must be an object, not 5'],
  ['price', tiered([{ up_to: 5 }]), 'tiers.0.unit_amount must be given, or flat_amount'],
  ['price', tiered([{ up_to: 'x', unit_amount: 1 }]), 'tiers.0.up_to must be a whole number, not "x"'],
  ['price', tiered([{ up_to: 1.5, unit_amount: 1 }]), 'tiers.0.up_to must be a whole number, not 1.5'],
  [
    'price',
    tiered([{ up_to: null, flat_amount: -1 }]),
    'tiers.0.flat_amount must be a decimal number, 0 or more',
  ],
  ['price', tiered([{ up_to: null, unit_amount: 1 }], 5), 'tiers_mode must be text, not 5'],
  ['price', { transform_quantity: 5 }, 'transform_quantity must be an object, not 5'],
  [
    'price',
    { transform_quantity: { round: 'up', divide_by: 'ten' } },
    'transform_quantity.divide_by must be a whole number, not "ten"',
  ],
  [
    'subscription',
    { billing_cycle_anchor: 'soon' },
    'billing_cycle_anchor must be a time in seconds since 1970',
  ],
  ['subscription', { start_date: 1e15 }, 'start_date must be a time in seconds since 1970'],
  ['subscription', { start_date: [begin] }, 'start_date must be a time in seconds since 1970'],
  ['subscription', { items: [] }, 'items must be an object, not []'],
  ['subscription', { items: { data: {} } }, 'items.data must be a list, not {}'],
  ['subscription', { items: { data: [null] } }, 'items.data.0 must be an object, not null'],
  ['subscription', { items: { data: ['si_1'] } }, 'items.data.0 must be an object, not "si_1"'],
  [
    'subscription',
    { items: { data: [{ quantity: 'x' }] } },
    'items.quantity must be a whole number, not "x"',
  ],
  [
    'subscription',
    { items: { data: [{ quantity: [5] }] } },
    'items.quantity must be a whole number, not [5]',
  ],
  ['subscription', { items: { data: [{ price: 5 }] } }, 'items.price must be text, not 5'],
  ['subscription', { status: mebibyte }, 'status must be at most 40 characters'],
  ['subscription', { customer: mebibyte }, 'customer must be at most 255 characters'],
  [
    'subscription',
    { discounts: [{ coupon: { id: 'c', amount_off: 'x', currency: 'usd', duration: 'once' } }] },
    'coupon.amount_off must be a whole number, not "x"',
  ],
];

it.each(sampled(unreadable, 3).map(([kind, fields, problem]) => ({ kind, fields, problem })))(
  'names the field of a $kind that it cannot read: $problem',
  async ({ kind, fields, problem }) => {
    const builders = { customer, product, subscription };
    const built =
      kind === 'price' ? price('bad_1', 'prod_1', fields) : { ...builders[kind]('bad_1'), ...fields };
    const before = await countRows();
    const said = await importFile(lines(...good, built), '--yes');
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain(`The ${kind} bad_1 cannot be read: `);
    expect(said.err).toContain(problem);
    expect(said.err.length).toBeLessThan(300);
    expect(await countRows()).toEqual(before);
  },
);

const coupon = (fields: object) => ({
  discounts: [{ coupon: { id: 'c', name: 'C', percent_off: 10, duration: 'forever', ...fields } }],
});
const manyKeys = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key_${n}`, 'x']));

const unsuitable: [name: string, bad: object[], left: Record<string, string>][] = [
  [
    'a subscription of a missing customer',
    [subscription('bad', { customer: 'cus_9' })],
    { bad: 'its customer cus_9 is not' },
  ],
  [
    'a subscription to a missing price',
    [subscription('bad', {}, [item({ price: 'price_9' })])],
    { bad: 'its price price_9 is not here' },
  ],
  [
    'a price of a missing product',
    [price('bad', 'prod_9')],
    { bad: 'its product prod_9 is not in the files' },
  ],
  [
    'a product without a name',
    [{ ...product('prod_9'), name: null }, price('bad', 'prod_9')],
    { bad: 'its product prod_9 has no name' },
  ],
  [
    'a product with a name of 1 MiB',
    [{ ...product('prod_9'), name: mebibyte }, price('bad', 'prod_9')],
    { bad: 'name must be at most 200 characters' },
  ],
  [
    'a product with a description of 1 MiB',
    [{ ...product('prod_9'), description: mebibyte }, price('bad', 'prod_9')],
    { bad: 'description must be at most 5000 characters' },
  ],
  [
    'a customer with a name of 1 MiB',
    [customer('bad', { name: mebibyte })],
    { bad: 'must be at most 200 characters' },
  ],
  [
    'a customer with an address of 1 MiB',
    [customer('bad', { email: `${mebibyte}@b.co` })],
    { bad: 'email must be at most 254 characters' },
  ],
  [
    'a deleted customer',
    [{ object: 'customer', id: 'bad', deleted: true }],
    { bad: 'it has no email address' },
  ],
  [
    'metadata with a text of 1 MiB',
    [customer('bad', { metadata: { a: mebibyte } })],
    { bad: 'metadata must be' },
  ],
  [
    'metadata of a customer that is not text',
    [customer('bad', { metadata: { a: 5 } })],
    { bad: 'must be text' },
  ],
  ['too many keys', [customer('bad', { metadata: manyKeys })], { bad: 'metadata must have at most 50 keys' }],
  [
    'metadata of a subscription with a text of 1 MiB',
    [customer('cus_2'), subscription('bad', { customer: 'cus_2', metadata: { a: mebibyte } })],
    { bad: 'metadata must be at most 16384 bytes' },
  ],
  [
    'a coupon of no percent',
    [customer('cus_2'), subscription('bad', { customer: 'cus_2', ...coupon({ percent_off: 0 }) })],
    { bad: 'percentOff must be more than 0' },
  ],
  [
    'a customer with a coupon of 101 percent',
    [customer('bad', coupon({ percent_off: 101 }))],
    { bad: 'at most 100' },
  ],
  [
    'a coupon below zero',
    [
      customer('cus_2'),
      subscription('bad', {
        customer: 'cus_2',
        ...coupon({ percent_off: null, amount_off: -5, currency: 'usd' }),
      }),
    ],
    { bad: 'amountOff.decimal must be a decimal number, 0 or more' },
  ],
  [
    'a subscription without a period',
    [
      customer('cus_2'),
      subscription('bad', { customer: 'cus_2' }, [
        item({ current_period_start: null, current_period_end: null }),
      ]),
    ],
    { bad: 'it has no current period' },
  ],
  [
    'a subscription without a start',
    [customer('cus_2'), subscription('bad', { customer: 'cus_2', start_date: null, created: null })],
    { bad: 'it has no start_date' },
  ],
  [
    'a period that ends before it begins',
    [
      customer('cus_2'),
      subscription('bad', { customer: 'cus_2' }, [
        item({ current_period_start: seconds('2026-03-01'), current_period_end: seconds('2026-02-15') }),
      ]),
    ],
    { bad: 'its period ends at 2026-02-15T00:00:00.000Z, before it begins' },
  ],
  [
    'a period that ends with the calendar',
    [
      customer('cus_2', { invoice_settings: { default_payment_method: 'pm_1' } }),
      subscription('bad', { customer: 'cus_2' }, [item({ current_period_end: 253_402_300_799 })]),
    ],
    { bad: 'must be in the years 1 to 9999' },
  ],
  [
    'an end that has passed',
    [customer('cus_2'), subscription('bad', { customer: 'cus_2', cancel_at: seconds('2026-02-01') })],
    { bad: 'it was to end at 2026-02-01T00:00:00.000Z: export it anew' },
  ],
  ['a status of Stripe that is new', [subscription('bad', { status: 'napping' })], { bad: 'it is napping' }],
  [
    'amounts that are too large together',
    [
      customer('cus_2'),
      product('prod_2'),
      price('price_2', 'prod_2', { unit_amount: 9e15, recurring: monthly }),
      subscription('bad', { customer: 'cus_2' }, [item({ price: 'price_2', quantity: 1_000_000 })]),
    ],
    { bad: 'quantity results in an amount that is too large' },
  ],
];
it.each(sampled(unsuitable, 3))('lists %s, and imports the other records', async (_name, bad, left) => {
  const brought = await importObjects([...good, ...bad]);
  expect(brought.subscriptions).toBe(1);
  expect(brought.charges).toMatchObject([{ stripeId: 'sub_1', amount: 20 }]);
  const listed = Object.fromEntries(brought.left.map(({ stripeId, why }: any) => [stripeId, why]));
  expect(Object.keys(listed)).toEqual(Object.keys(left));
  for (const [id, why] of Object.entries(left)) expect(listed[id]).toContain(why);
  expect(JSON.stringify(brought.left).length).toBeLessThan(500);
  expect(await countRows()).toMatchObject({
    subscriptions: 1,
    intents: 1,
    payment_methods: 0,
    coupons: 0,
    discounts: 0,
  });
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it.each<[name: string, content: string | Uint8Array]>([
  ['a byte order mark', `\uFEFF${JSON.stringify(good)}`],
  ['an array', JSON.stringify(good)],
  ['a formatted array', JSON.stringify(good, null, 2)],
  ['a list', JSON.stringify({ object: 'list', has_more: false, data: good })],
  [
    'a list on each line',
    lines({ object: 'list', data: good.slice(0, 2) }, { object: 'list', data: good.slice(2) }),
  ],
  ['an object on each line', lines(...good)],
  [
    'lines that end as on Windows, with empty ones',
    `\r\n${good.map((each) => JSON.stringify(each)).join('\r\n\r\n')}\r\n`,
  ],
  ['the same records twice', lines(...good, ...good)],
])('reads %s', async (_name, content) => {
  const said = await importFile(content, '--yes', '--json');
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  expect(said.json).toMatchObject({
    customers: 1,
    products: 1,
    prices: 1,
    subscriptions: 1,
    known: 0,
    left: [],
    notes: [],
  });
});

it('refuses an unknown tenant', async () => {
  const file = path.join(folder, 'good');
  writeFileSync(file, JSON.stringify(good));
  expect(await perennial(app.database, ['import', 'stripe', file, '--tenant', 'nobody'])).toMatchObject({
    code: 1,
    err: 'tenant: there is no tenant nobody\n',
  });
});

it.each(['user_id', 'constructor', '__proto__'])('takes the associated id %s from text only', async (key) => {
  const values = ['"u-1"', '5', 'null', '{"a":1}', '["u"]', '""', `"${mebibyte}"`];
  const customers = values.map((value, n) => {
    const built = JSON.stringify(customer(`cus_${n}`));
    return built.replace('"metadata":{}', `"metadata":{${JSON.stringify(key)}:${value}}`);
  });
  const content = lines(...customers, customer('cus_without'));
  const said = await importFile(content, '--associated-id', key, '--yes', '--json');
  expect(said, said.err).toMatchObject({ code: 0, json: { customers: 1 } });
  expect(said.json.left).toHaveLength(values.length);
  const rows = await app.backdoor.all(
    `select associated_id from customers where tenant_alias = '${books.alias}'`,
  );
  expect(rows).toEqual([{ associated_id: 'u-1' }]);
});

it('notes a list that has further pages', async () => {
  const page = (has_more: boolean) => JSON.stringify({ object: 'list', has_more, data: [product('prod_1')] });
  const first = await importFile(page(true), '--json');
  expect(first.json.notes).toEqual([expect.stringContaining('further pages')]);
  const last = await importFile(page(false), '--yes');
  expect(last.out).toMatch(/No subscription was imported\.\n$/);
  expect(last.out).not.toContain('further pages');
});

it.runIf(isLong)('reads a CSV file with more rows than a function has arguments', async () => {
  const rows = Array.from(
    { length: 130_000 },
    (_, n) => `price_${n},prod_1,Pro,5.00,usd,,1,licensed,per_unit`,
  );
  const said = await importFile(`${pricesHead}\n${rows.join('\n')}\n`, '--json');
  expect(said, said.err).toMatchObject({ code: 0, json: { products: 0, prices: 0 } });
  expect(said.json.left).toHaveLength(130_000);
});
