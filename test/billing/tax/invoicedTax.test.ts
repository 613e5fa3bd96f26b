/** Tax on real bills: what is previewed and forecast is what is billed, and what is given back has its tax. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBookFaults } from '../../support/faults.ts';
import { afn, ask } from '../../support/oneOff.ts';
import { apply as applyDiscount, createCoupon } from '../discounts/shop.ts';
import {
  billText,
  openTaxed,
  parties,
  readInvoices,
  taxDocuments,
  taxText,
  type Taxed,
} from '../../support/taxes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

interface Shop extends Taxed {
  customer: { id: string };
  /** Creates a monthly price in the group of the plans. */
  price: (amount: number, options?: { included?: boolean; [field: string]: unknown }) => Promise<any>;
  preview: (id: string, input: object) => Promise<any>;
  change: (id: string, input: object) => Promise<void>;
  expected: (id: string, until: string) => Promise<any[]>;
  bills: () => Promise<any[]>;
}

async function open(clock: string, seller = 'DE', buyer = 'german'): Promise<Shop> {
  const taxed = await openTaxed(app, clock, seller);
  const { client, shop } = taxed;
  const customer = await shop.customer();
  await taxed.move(customer, parties[buyer]!);
  const group = await shop.group({ prorateUpgrades: true });
  return {
    ...taxed,
    customer,
    price: async (amount, { included = false, ...fields } = {}) => {
      const { price } = await shop.product({ amount, groupId: group.id, ...fields });
      if (included) await taxed.include(price);
      return price;
    },
    preview: async (id, input) =>
      (await client.graphql(taxDocuments.preview, { id, input })).previewSubscriptionChange,
    change: async (id, input) => void (await client.graphql(taxDocuments.change, { id, input })),
    expected: async (id, until) => (await client.graphql(taxDocuments.forecast, { id, until })).forecast,
    bills: () => readInvoices(taxed, customer),
  };
}

const texts = (bills: any[]) => bills.map(billText);

/** Checks that the invoices after `known` have the lines, taxes and totals that were expected. */
async function expectBilled(shop: Shop, known: number, expected: any[]): Promise<void> {
  const shown = ({ total, tax, taxes, lines }: any) => ({ total, tax, taxes, lines });
  expect((await shop.bills()).slice(known).map(shown)).toEqual(expected.map(shown));
}

const cases: [name: string, buyer: string, options: Record<string, unknown>, bill: string, taxes: string][] =
  [
    ['a national', 'german', {}, '119: cycle 100 +19', 'S 19% 19 of 100'],
    ['a price with its tax', 'german', { included: true }, '100: cycle 100 (15.97)', 'S 19% 15.97 of 84.03'],
    ['a private customer of another member state', 'french', {}, '120: cycle 100 +20', 'S 20% 20 of 100'],
    [
      'a company of another member state',
      'frenchCompany',
      {},
      '100: cycle 100 +0',
      'AE 0% 0 of 100 reverse_charge',
    ],
    ['a customer outside of the union', 'american', {}, '100: cycle 100 +0', 'O 0% 0 of 100 outside_scope'],
    ['an exempt customer', 'exempt', {}, '100: cycle 100 +0', 'E 0% 0 of 100 exempt_customer'],
    ['an unknown country', 'unknown', {}, '119: cycle 100 +19', 'S 19% 19 of 100'],
    [
      'a set-up fee',
      'german',
      { price: { setupFee: afn(10) } },
      '130.9: cycle 100 +19, setup_fee 10 +1.9',
      'S 19% 20.9 of 110',
    ],
    [
      'a stub until the anchor, rounded once',
      'german',
      { recurring: { frequency: 'Monthly', executionDate: '2026-06-12' } },
      '42.22: stub 35.48 +6.74',
      'S 19% 6.74 of 35.48',
    ],
  ];

describe('a subscription is billed with tax, now and as forecast', () => {
  test.each(cases)('%s', async (_name, buyer, options, bill, taxes) => {
    const shop = await open('2026-06-01', 'DE', buyer);
    const id = await shop.subscribe(shop.customer, await shop.price(100, options));
    const [first] = await shop.bills();
    expect([billText(first), taxText(first)]).toEqual([bill, taxes]);
    const expected = await shop.expected(id, '2026-08-15');
    expect(expected.length).toBeGreaterThan(1);
    await shop.advance('2026-08-15');
    await expectBilled(shop, 1, expected);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });
});

type Change = (shop: Shop) => Promise<{ id: string; date: string; input: object }>;

const changes: [
  name: string,
  seller: string,
  buyer: string,
  begin: string,
  change: Change,
  bills: string[],
][] = [
  [
    'seats are added',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      const price = await shop.price(10, { price: { model: 'per_unit' } });
      const id = await shop.subscribe(shop.customer, price, undefined, { quantity: 1 });
      return { id, date: '2026-06-16', input: { quantity: 3 } };
    },
    [
      '11.9: cycle 10 +1.9',
      '11.9: proration_credit -5 -0.95, proration_charge 15 +2.85',
      '35.7: cycle 30 +5.7',
    ],
  ],
  [
    'the credit has the rate before it changed',
    'EE',
    'estonian',
    '2025-06-16',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      return { id, date: '2025-07-01', input: { priceId: large.id } };
    },
    ['122: cycle 100 +22', '63: proration_credit -50 -11, proration_charge 100 +24', '248: cycle 200 +48'],
  ],
  [
    'it waits for the next invoice',
    'EE',
    'estonian',
    '2025-06-16',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      return { id, date: '2025-07-01', input: { priceId: large.id, billing: 'next_invoice' } };
    },
    ['122: cycle 100 +22', '311: cycle 200 +48, proration_credit -50 -11, proration_charge 100 +24'],
  ],
  [
    'prices contain the tax',
    'EE',
    'estonian',
    '2025-06-16',
    async (shop) => {
      const small = await shop.price(122, { included: true });
      const large = await shop.price(248, { included: true });
      const id = await shop.subscribe(shop.customer, small);
      return { id, date: '2025-07-01', input: { priceId: large.id } };
    },
    [
      '122: cycle 122 (22)',
      '63: proration_credit -61 (-11), proration_charge 124 (24)',
      '248: cycle 248 (48)',
    ],
  ],
  [
    'the customer moved to another country',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      await shop.move(shop.customer, parties['french']!);
      return { id, date: '2026-06-16', input: { priceId: large.id } };
    },
    ['119: cycle 100 +19', '60.5: proration_credit -50 -9.5, proration_charge 100 +20', '240: cycle 200 +40'],
  ],
  [
    'a cheaper price now leaves a balance with its tax',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, large);
      return { id, date: '2026-06-16', input: { priceId: small.id, billing: 'charge_now' } };
    },
    [
      '238: cycle 200 +38',
      '0: proration_credit -100 -19, proration_charge 50 +9.5, balance 59.5',
      '59.5: cycle 100 +19, balance -59.5',
    ],
  ],
  [
    'a coupon and a reset',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      const coupon = await createCoupon(shop, { name: 'A tenth', percentOff: '10', duration: 'forever' });
      await applyDiscount(shop, { subscriptionId: id, couponId: coupon.id });
      return { id, date: '2026-06-16', input: { priceId: large.id, billing: 'reset' } };
    },
    ['119: cycle 100 +19', '154.7: proration_credit -50 -9.5, cycle 180 +34.2', '214.2: cycle 180 +34.2'],
  ],
  [
    'a product has a rate of its own',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      await shop.addRate('7', 'books');
      const [book, other] = [await shop.price(100), await shop.price(10)];
      await shop.setTaxCode(book.productId, 'books');
      const id = await shop.subscribe(shop.customer, book);
      const addOns = [{ priceId: other.id, quantity: 1 }];
      return { id, date: '2026-06-16', input: { addOns } };
    },
    ['107: cycle 100 +7', '5.95: proration_charge 5 +0.95', '118.9: cycle 100 +7, cycle 10 +1.9'],
  ],
  [
    'a product with a rate of its own waits for the next invoice',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      await shop.addRate('7', 'books');
      const [small, large] = [await shop.price(100), await shop.price(200)];
      for (const { productId } of [small, large]) await shop.setTaxCode(productId, 'books');
      const id = await shop.subscribe(shop.customer, small);
      return { id, date: '2026-06-16', input: { priceId: large.id, billing: 'next_invoice' } };
    },
    ['107: cycle 100 +7', '267.5: cycle 200 +14, proration_credit -50 -3.5, proration_charge 100 +7'],
  ],
  [
    'the seller had no address at first',
    '',
    'german',
    '2026-06-01',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      await shop.sellIn('DE');
      return { id, date: '2026-06-16', input: { priceId: large.id } };
    },
    ['100: cycle 100', '69: proration_credit -50, proration_charge 100 +19', '238: cycle 200 +38'],
  ],
  [
    'a rate began after the instant of the change, and before its payment',
    'DE',
    'german',
    '2026-06-01',
    async (shop) => {
      const [small, large] = [await shop.price(100), await shop.price(200)];
      const id = await shop.subscribe(shop.customer, small);
      await shop.client.graphql(
        'mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }',
        { input: { country: 'DE', percent: '10', effectiveFrom: '2026-06-14' } },
      );
      return { id, date: '2026-06-20', input: { priceId: large.id, at: '2026-06-11' } };
    },
    [
      '119: cycle 100 +19',
      '67.32: proration_credit -66.67 -12.67, proration_charge 133.33 +13.33',
      '220: cycle 200 +20',
    ],
  ],
];

describe('a change is billed as previewed, and the renewal as forecast', () => {
  test.each(changes)('%s', async (_name, seller, buyer, begin, change, bills) => {
    const shop = await open(begin, seller, buyer);
    const { id, date, input } = await change(shop);
    await shop.advance(date);
    const preview = await shop.preview(id, input);
    await shop.change(id, input);
    const billed = await shop.bills();
    if (billed.length > 1) await expectBilled(shop, 1, [preview]);
    else expect([preview.lines, preview.tax.amount]).toEqual([[], 0]);
    const next = preview.nextInvoice;
    const expected = await shop.expected(id, new Date(Date.parse(date) + 45 * 86_400_000).toISOString());
    expect(billText(expected[0])).toBe(billText(next));
    await shop.advance(expected[0].date);
    await expectBilled(shop, billed.length, expected.slice(0, 1));
    expect(texts(await shop.bills())).toEqual(bills);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });
});

describe('what is given back', () => {
  it('is the amount with its tax, in parts and whole', async () => {
    const shop = await open('2026-06-01');
    await shop.subscribe(shop.customer, await shop.price(100));
    const [{ id, refundable }] = await shop.bills();
    expect(refundable.amount).toBe(119);
    expect(await ask(shop, 'refundInvoice', { id, amount: afn(19) })).toMatchObject({
      refundable: { amount: 100 },
    });
    const { body } = await shop.client.post(
      `mutation { refundInvoice(id: "${id}", input: { amount: { amount: 100.01, currency: "afn" } }) { id } }`,
    );
    expect(body.errors[0].extensions.reason).toBe('refund_too_large');
    await ask(shop, 'refundInvoice', { id });
    expect((await shop.bills())[0]).toMatchObject({ refundable: { amount: 0 }, refunded: { amount: 119 } });
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });

  it('is never more than was paid, by a credit and refunds together', async () => {
    const shop = await open('2026-06-01');
    const [small, large] = [await shop.price(0.03), await shop.price(1)];
    const id = await shop.subscribe(shop.customer, small);
    await shop.advance('2026-06-02');
    await shop.change(id, { priceId: large.id });
    const paid = (await shop.bills()).map(({ id: invoiceId, refundable }) => ({ invoiceId, refundable }));
    // Of 0.04, the change credited 0.03 and its tax of 0.01.
    expect(paid[0]!.refundable.amount).toBe(0);
    expect(paid.some(({ refundable }) => refundable.amount > 0)).toBe(true);
    for (const { invoiceId, refundable } of paid)
      if (refundable.amount > 0) await ask(shop, 'refundInvoice', { id: invoiceId });
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });
});

it('parallel refunds give back what was paid with its tax, and no more', async () => {
  const shop = await open('2026-06-01');
  await shop.subscribe(shop.customer, await shop.price(10));
  const [{ id }] = await shop.bills();
  const document =
    'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 0.7, currency: "afn" } }) { id } }';
  const answers = await Promise.all(Array.from({ length: 50 }, () => shop.client.post(document, { id })));
  expect(answers.filter(({ body }) => !body.errors)).toHaveLength(17);
  expect((await shop.bills())[0]).toMatchObject({ refunded: { amount: 11.9 }, refundable: { amount: 0 } });
  expect(await findBookFaults(app, shop.alias)).toEqual([]);
});

describe('one-off charges', () => {
  it('are billed with tax, after discounts and before the balance', async () => {
    const shop = await open('2026-06-01');
    const customerId = shop.customer.id;
    const coupon = await createCoupon(shop, { name: 'A fifth', percentOff: '20', duration: 'forever' });
    await applyDiscount(shop, { customerId, couponId: coupon.id });
    await ask(shop, 'grantCredit', { customerId, amount: afn(5), reason: 'Welcome' });
    await ask(shop, 'createInvoiceItem', { customerId, amount: afn(10), description: 'Waiting' });
    const items = [{ amount: afn(20), description: 'Set-up', quantity: 2 }];
    await ask(shop, 'createInvoice', { customerId, items, collect: 'send_invoice' });
    const [bill] = await shop.bills();
    expect(billText(bill)).toBe('42.6: item 32 +6.08, item 8 +1.52, balance -5');
    expect([bill.subtotal.amount, bill.discount.amount, bill.tax.amount]).toEqual([50, 10, 7.6]);
    await ask(shop, 'recordPayment', { id: bill.id });
    expect((await shop.bills())[0]).toMatchObject({ status: 'paid', refundable: { amount: 47.6 } });
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });
});

describe('a payment in flight', () => {
  const resume = 'mutation ($id: ID!) { resumeIntent(id: $id) { status } }';

  it('keeps the tax of its start, and that of the credit it reserves', async () => {
    const shop = await open('2025-06-30T12:00:00Z', 'EE', 'estonian');
    const [small, large] = [await shop.price(100), await shop.price(200)];
    await shop.subscribe(shop.customer, small);
    const { intentId } = await shop.shop.intent(shop.customer, large);
    await shop.shop.confirm(intentId, 'sandbox_requires_action');
    expect((await shop.bills())[0].refundable.amount).toBe(0);
    await shop.advance('2025-07-01T06:00:00Z');
    expect((await shop.client.graphql(resume, { id: intentId })).resumeIntent.status).toBe('succeeded');
    expect(texts(await shop.bills())).toEqual([
      '122: cycle 100 +22',
      '122: proration_credit -100 -22, proration_charge 200 +44',
    ]);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });

  it('that is cancelled releases the credit with its tax', async () => {
    const shop = await open('2026-06-01');
    const [small, large] = [await shop.price(100), await shop.price(200)];
    await shop.subscribe(shop.customer, small);
    await shop.advance('2026-06-16');
    const { intentId } = await shop.shop.intent(shop.customer, large);
    await shop.shop.confirm(intentId, 'sandbox_requires_action');
    expect((await shop.bills())[0].refundable.amount).toBe(59.5);
    await shop.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id: intentId });
    expect((await shop.bills())[0].refundable.amount).toBe(119);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });

  it('by bank transfer keeps the tax of its start', async () => {
    const shop = await open('2025-06-30', 'EE', 'estonian');
    await shop.client.graphql(
      'mutation { updateTenant(input: { bankAccount: { accountHolder: "P", iban: "EE382200221020145685" } }) { alias } }',
    );
    const { intentId } = await shop.shop.intent(shop.customer, await shop.price(100));
    await shop.shop.confirm(intentId, 'manual');
    const [open_] = await shop.bills();
    expect(billText(open_)).toBe('122: cycle 100 +22');
    await shop.advance('2025-07-02');
    await ask(shop, 'recordPayment', { id: open_.id });
    expect(texts(await shop.bills())).toEqual(['122: cycle 100 +22']);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });

  it('credits a part of a stub with its tax when the money arrives later', async () => {
    const shop = await open('2026-06-01');
    await shop.client.graphql(
      'mutation { updateTenant(input: { bankAccount: { accountHolder: "P", iban: "DE89370400440532013000" } }) { alias } }',
    );
    const price = await shop.price(30, { recurring: { frequency: 'Monthly', executionDate: '2026-07-01' } });
    const { intentId } = await shop.shop.intent(shop.customer, price);
    await shop.shop.confirm(intentId, 'manual');
    await shop.advance('2026-06-16');
    const [{ id }] = await shop.bills();
    await ask(shop, 'recordPayment', { id });
    const [kept] = await shop.bills();
    expect([billText(kept), taxText(kept)]).toEqual(['35.7: cycle 30 +5.7', 'S 19% 5.7 of 30']);
    const { creditNotes } = await shop.client.graphql(
      '{ creditNotes { nodes { kind total { amount } tax { amount } } } }',
    );
    expect(creditNotes.nodes).toEqual([{ kind: 'credit', total: { amount: 17.85 }, tax: { amount: 2.85 } }]);
    expect(await shop.credits(shop.customer)).toEqual([1785n]);
    expect(await findBookFaults(app, shop.alias)).toEqual([]);
  });
});

it('the forecast of a tenant is the sum of those of its customers', async () => {
  const shop = await open('2025-06-16', 'EE', 'estonian');
  const company = await shop.shop.customer();
  await shop.move(company, parties['frenchCompany']!);
  const price = await shop.price(100);
  await shop.subscribe(shop.customer, price);
  await shop.subscribe(company, price);
  const { tenant } = await shop.client.graphql(
    '{ tenant { forecast(until: "2025-08-20") { charges total { amount } } } }',
  );
  expect(tenant.forecast).toEqual([
    { charges: 2, total: { amount: 224 } },
    { charges: 2, total: { amount: 224 } },
  ]);
});

it('a tenant without a seller has no tax, and does not see that of others', async () => {
  const shop = await open('2026-06-01', '');
  await shop.subscribe(shop.customer, await shop.price(100));
  const [bill] = await shop.bills();
  expect([billText(bill), bill.tax.amount, bill.taxes]).toEqual(['100: cycle 100', 0, []]);
});
