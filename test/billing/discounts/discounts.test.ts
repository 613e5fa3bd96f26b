/** Coupons and discounts: who may redeem them, and what they take off invoices over the life of a subscription. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { openBooks } from '../../support/books.ts';
import {
  apply,
  bills,
  confirm,
  createCode,
  createCoupon,
  discountsOf,
  intend,
  remove,
  timesRedeemed,
  updateCode,
  updateCoupon,
} from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(async () => {
  // What all these lives leave behind adds up.
  const { json } = await perennial(app.database, ['doctor', '--json']);
  await app.close();
  expect(json.findings).toEqual([]);
});

const usd = (decimal: string) => ({ decimal, currency: 'usd' });
const open = () => openBooks(app, '2026-01-01');

async function subscribed(amount = 100, fields: object = {}) {
  const books = await open();
  const customer = await books.shop.customer();
  const price = await books.plan(amount, { currency: 'usd', ...fields });
  const id: string = await books.subscribe(customer, price);
  return { books, customer, price, id };
}

describe('a coupon on a subscription', () => {
  const monthly = ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'];
  const half = { percentOff: '50' };
  test.each<[name: string, coupon: object, expected: string[]]>([
    ['forever', half, ['100 − 50 = 50', '100 − 50 = 50', '100 − 50 = 50', '100 − 50 = 50']],
    [
      'once',
      { ...half, duration: 'once' },
      ['100 − 50 = 50', '100 − 0 = 100', '100 − 0 = 100', '100 − 0 = 100'],
    ],
    [
      'for 2 months from its first use',
      { ...half, duration: 'repeating', durationInMonths: 2 },
      ['100 − 50 = 50', '100 − 50 = 50', '100 − 0 = 100', '100 − 0 = 100'],
    ],
    [
      'the largest amount, 10^18 minor units',
      { amountOff: usd('10000000000000000'), duration: 'once' },
      ['100 − 100 = 0', '100 − 0 = 100', '100 − 0 = 100', '100 − 0 = 100'],
    ],
    [
      'an amount beyond the price, whose excess is lost',
      { amountOff: usd('130'), duration: 'once' },
      ['100 − 100 = 0', '100 − 0 = 100', '100 − 0 = 100', '100 − 0 = 100'],
    ],
  ])('%s: each renewal is billed as it was forecast', async (_name, coupon, expected) => {
    const { books, id } = await subscribed();
    const made = await createCoupon(books, coupon);
    await apply(books, { subscriptionId: id, couponId: made.id });
    const forecast = await books.forecast(id, '2026-05-01');
    for (const day of monthly) await books.advance(day);
    expect((await bills(books, id)).slice(1)).toEqual(expected);
    expect(forecast).toEqual(monthly.map((day, n) => `${day} ${Number(expected[n]!.split(' = ')[1])}`));
  });

  it('makes no invoice by itself, and a removed one reduces none', async () => {
    const { books, id } = await subscribed();
    const { id: couponId } = await createCoupon(books, half);
    const { id: discountId } = await apply(books, { subscriptionId: id, couponId });
    expect(await bills(books, id)).toEqual(['100 − 0 = 100']);
    await books.advance('2026-02-01');
    expect(await remove(books, discountId)).toMatchObject({
      active: false,
      removedAt: '2026-02-01T00:00:00.000Z',
    });
    await remove(books, discountId);
    await books.advance('2026-03-01');
    expect(await bills(books, id)).toEqual(['100 − 0 = 100', '100 − 50 = 50', '100 − 0 = 100']);
    expect(await timesRedeemed(books, couponId)).toBe(1);
  });

  it('goes on after the coupon was renamed, deactivated and has expired', async () => {
    const { books, id } = await subscribed();
    const { id: couponId } = await createCoupon(books, { ...half, redeemBy: '2026-01-15' });
    await apply(books, { subscriptionId: id, couponId });
    expect(await updateCoupon(books, couponId, { name: 'Old', active: false })).toMatchObject({
      name: 'Old',
    });
    await books.advance('2026-02-01');
    expect(await bills(books, id)).toEqual(['100 − 0 = 100', '100 − 50 = 50']);
  });

  it('repeats in the calendar: 4 months are one year of a yearly subscription, 18 weeks of a weekly one', async () => {
    for (const [recurring, until, count] of [
      [{ frequency: 'Yearly' }, '2028-06-01', 1],
      [{ frequency: 'Weekly' }, '2026-07-01', 18],
    ] as const) {
      const { books, id } = await subscribed(100, { recurring });
      const { id: couponId } = await createCoupon(books, {
        ...half,
        duration: 'repeating',
        durationInMonths: 4,
      });
      await apply(books, { subscriptionId: id, couponId });
      const forecast = await books.forecast(id, until);
      expect(forecast.filter((charge) => charge.endsWith(' 50'))).toHaveLength(count);
    }
  });

  it('is deducted in the order in which it was applied', async () => {
    for (const [first, second, total] of [
      [{ percentOff: '20' }, { amountOff: usd('5') }, 75],
      [{ amountOff: usd('5') }, { percentOff: '20' }, 76],
    ] as const) {
      const { books, id } = await subscribed();
      for (const coupon of [first, second]) {
        await apply(books, { subscriptionId: id, couponId: (await createCoupon(books, coupon)).id });
      }
      expect(await books.forecast(id, '2026-02-01')).toEqual([`2026-02-01 ${total}`]);
      await books.advance('2026-02-01');
      expect((await bills(books, id)).at(-1)).toBe(`100 − ${100 - total} = ${total}`);
    }
  });

  it('covers its products only', async () => {
    const { books, id, price } = await subscribed();
    const { product } = await books.shop.product();
    const others = await createCoupon(books, { ...half, productIds: [product.id] });
    const own = await createCoupon(books, { percentOff: '10', productIds: [price.productId, product.id] });
    for (const { id: couponId } of [others, own]) await apply(books, { subscriptionId: id, couponId });
    await books.advance('2026-02-01');
    expect((await bills(books, id)).at(-1)).toBe('100 − 10 = 90');
  });

  it('once, is free again where the invoice that used it was voided', async () => {
    const books = await open();
    const [customer, price] = [await books.shop.customer(), await books.plan(100, { currency: 'usd' })];
    const other = await books.plan(80, { currency: 'usd' });
    const id = await books.subscribe(customer, price);
    const { id: couponId } = await createCoupon(books, { ...half, duration: 'once' });
    await apply(books, { customerId: customer.id, couponId });
    const waiting = await intend(books, customer, other);
    await confirm(books, waiting.id, 'sandbox_requires_action');
    // Reserved by the payment in progress: the renewal of the other subscription cannot use it as well.
    expect(await books.forecast(id, '2026-02-01')).toEqual(['2026-02-01 100']);
    await books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id: waiting.id });
    expect(await books.forecast(id, '2026-03-01')).toEqual(['2026-02-01 50', '2026-03-01 100']);
    await books.advance('2026-02-01');
    expect((await bills(books, id)).at(-1)).toBe('100 − 50 = 50');
  });
});

describe('a coupon on a customer', () => {
  it('reduces first bills and renewals of subscriptions without discounts of their own', async () => {
    const { books, customer, id } = await subscribed();
    const [theirs, own] = [
      await createCoupon(books, { percentOff: '10' }),
      await createCoupon(books, { percentOff: '50' }),
    ];
    await apply(books, { customerId: customer.id, couponId: theirs.id });
    const second = await books.subscribe(customer, await books.plan(40, { currency: 'usd' }));
    await apply(books, { subscriptionId: second, couponId: own.id });
    expect(await discountsOf(books, second)).toEqual({ own: [own.id], customer: [theirs.id] });
    await books.advance('2026-02-01');
    expect(await bills(books, id)).toEqual(['100 − 0 = 100', '100 − 10 = 90']);
    expect(await bills(books, second)).toEqual(['40 − 4 = 36', '40 − 20 = 20']);
  });

  it('once, is used by one of two subscriptions, and the forecast of the tenant knows it', async () => {
    const { books, customer, id } = await subscribed();
    const second = await books.subscribe(customer, await books.plan(40, { currency: 'usd' }));
    const { id: couponId } = await createCoupon(books, { percentOff: '50', duration: 'once' });
    await apply(books, { customerId: customer.id, couponId });
    const { tenant } = await books.client.graphql(
      '{ tenant { forecast(until: "2026-02-15") { total { amount } charges } } }',
    );
    await books.advance('2026-02-01');
    const totals = [...(await bills(books, id)), ...(await bills(books, second))];
    const used = totals.filter((bill) => !bill.includes(' − 0 = '));
    expect(used).toHaveLength(1);
    const renewals = (await books.invoices()).slice(-2).reduce((sum, { total }) => sum + total.amount, 0);
    expect(tenant.forecast).toEqual([{ total: { amount: renewals }, charges: 2 }]);
    expect(await discountsOf(books, id)).toEqual({ own: [], customer: [] });
  });

  it('of another currency waits', async () => {
    const { books, customer, id } = await subscribed();
    const { id: couponId } = await createCoupon(books, { amountOff: { amount: 5, currency: 'eur' } });
    await apply(books, { customerId: customer.id, couponId });
    await books.advance('2026-02-01');
    expect((await bills(books, id)).at(-1)).toBe('100 − 0 = 100');
  });
});

describe('a promotion code of an intent', () => {
  const prepare = async (coupon: object = {}, code: object = {}) => {
    const books = await open();
    const [customer, price] = [await books.shop.customer(), await books.plan(100, { currency: 'usd' })];
    const made = await createCoupon(books, { percentOff: '25', ...coupon });
    const { id: codeId } = await createCode(books, { couponId: made.id, code: 'Spring-26', ...code });
    return { books, customer, price, couponId: made.id as string, codeId };
  };

  it('reduces the first payment and becomes a discount of the subscription', async () => {
    const { books, customer, price, couponId } = await prepare();
    const intent = await intend(books, customer, price, { promotionCode: ' sPRING-26' });
    expect([intent.promotionCode.code, await timesRedeemed(books, couponId)]).toEqual(['Spring-26', 0]);
    const { subscriptionId } = await confirm(books, intent.id);
    expect(await timesRedeemed(books, couponId)).toBe(1);
    expect(await discountsOf(books, subscriptionId)).toEqual({ own: [couponId], customer: [] });
    await books.advance('2026-02-01');
    expect(await bills(books, subscriptionId)).toEqual(['100 − 25 = 75', '100 − 25 = 75']);
  });

  it('once, is used up by the first payment; a hundred percent start for free', async () => {
    const { books, customer, price } = await prepare({ percentOff: '100', duration: 'once' });
    const intent = await intend(books, customer, price, { promotionCode: 'spring-26' });
    const { subscriptionId } = await confirm(books, intent.id);
    expect(await discountsOf(books, subscriptionId)).toEqual({ own: [], customer: [] });
    await books.advance('2026-02-01');
    expect(await bills(books, subscriptionId)).toEqual(['100 − 100 = 0', '100 − 0 = 100']);
  });

  it('for 2 months, counts from the first payment', async () => {
    const { books, customer, price } = await prepare({ duration: 'repeating', durationInMonths: 2 });
    const intent = await intend(books, customer, price, { promotionCode: 'SPRING-26' });
    const { subscriptionId } = await confirm(books, intent.id);
    await books.advance('2026-03-15');
    expect(await bills(books, subscriptionId)).toEqual(['100 − 25 = 75', '100 − 25 = 75', '100 − 0 = 100']);
  });

  it('waits with a later start for the first invoice', async () => {
    const { books, customer, price, couponId } = await prepare({ duration: 'once' });
    const intent = await intend(books, customer, price, {
      promotionCode: 'spring-26',
      startDate: '2026-01-10',
    });
    const { subscriptionId } = await confirm(books, intent.id);
    expect([await timesRedeemed(books, couponId), await bills(books, subscriptionId)]).toEqual([1, []]);
    await books.advance('2026-02-10');
    expect(await bills(books, subscriptionId)).toEqual(['100 − 25 = 75', '100 − 0 = 100']);
  });

  it('is counted from the start of the payment, and released by a decline and a cancellation', async () => {
    const { books, customer, price, couponId } = await prepare({ maxRedemptions: 1 });
    const intent = await intend(books, customer, price, { promotionCode: 'spring-26' });
    expect(await confirm(books, intent.id, 'sandbox_declined')).toMatch('payment_failed');
    expect(await timesRedeemed(books, couponId)).toBe(0);
    await confirm(books, intent.id, 'sandbox_requires_action');
    expect(await timesRedeemed(books, couponId)).toBe(1);
    const second = await books.shop.customer();
    expect(await intend(books, second, price, { promotionCode: 'spring-26' })).toBe(
      'coupon_not_redeemable promotionCode',
    );
    await books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id: intent.id });
    expect(await timesRedeemed(books, couponId)).toBe(0);
    const again = await intend(books, second, price, { promotionCode: 'spring-26' });
    expect(await confirm(books, again.id)).toMatchObject({ status: 'succeeded' });
    expect(await timesRedeemed(books, couponId)).toBe(1);
  });

  it('that lapses before the payment is refused then, and the intent can be paid by another', async () => {
    const { books, customer, price, codeId, couponId } = await prepare();
    const intent = await intend(books, customer, price, { promotionCode: 'spring-26' });
    await updateCode(books, codeId, { active: false });
    expect(await confirm(books, intent.id)).toBe('coupon_not_redeemable promotionCode');
    await updateCode(books, codeId, { active: true });
    expect(await confirm(books, intent.id)).toMatchObject({ status: 'succeeded' });
    expect(await timesRedeemed(books, couponId)).toBe(1);
  });
});

describe('a plan change credits what was billed, and charges with the present discounts', () => {
  test.each<[name: string, before: object | undefined, after: object | undefined, lines: string[]]>([
    ['a4.5: 25 % to 50 %', { percentOff: '25' }, { percentOff: '50' }, ['-37.50', '250.00']],
    ['a4.6: none to 50 %', undefined, { percentOff: '50' }, ['-50.00', '250.00']],
    ['a4.7: 25 % to none', { percentOff: '25' }, undefined, ['-37.50', '500.00']],
    ['a4.8: 25.00 to 50.00', { amountOff: usd('25') }, { amountOff: usd('50') }, ['-37.50', '475.00']],
  ])('%s, 100.00 to 1000.00 at half a period', async (_name, before, after, amounts) => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const group = await books.shop.group({ prorateUpgrades: true });
    const [low, high] = [
      await books.plan(100, { currency: 'usd', groupId: group.id }),
      await books.plan(1000, { currency: 'usd', groupId: group.id }),
    ];
    let promotionCode: string | undefined;
    if (before) {
      const { id: couponId } = await createCoupon(books, before);
      promotionCode = (await createCode(books, { couponId, code: 'FIRST' })).code;
    }
    const intent = await intend(books, customer, low, { promotionCode });
    const { subscriptionId } = await confirm(books, intent.id);
    await books.advance('2026-06-16');
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { discounts { id } } }',
      { id: subscriptionId },
    );
    for (const { id } of subscription.discounts) await remove(books, id);
    if (after) {
      const { id: couponId } = await createCoupon(books, after);
      await apply(books, { subscriptionId, couponId });
    }
    const preview = await books.client.graphql(
      `query ($id: ID!, $price: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $price }) {
        lines { kind amount { decimal } } } }`,
      { id: subscriptionId, price: high.id },
    );
    const shown = preview.previewSubscriptionChange.lines.map(({ amount }: any) => amount.decimal);
    expect(shown).toEqual(amounts);
    await books.subscribe(customer, high);
    const { invoices } = await books.client.graphql(
      `query ($id: ID!) { invoices(subscriptionId: $id, first: 1) { nodes { lines { amount { decimal } } } } }`,
      { id: subscriptionId },
    );
    expect(invoices.nodes[0].lines.map(({ amount }: any) => amount.decimal)).toEqual(amounts);
  });
});

describe('an invoice with discounts', () => {
  it('is refunded at most by what was paid', async () => {
    const { books, id } = await subscribed();
    const { id: couponId } = await createCoupon(books, { percentOff: '30' });
    await apply(books, { subscriptionId: id, couponId });
    await books.advance('2026-02-01');
    const [, invoice] = await books.invoices(id);
    const refund = `mutation ($id: ID!, $amount: MoneyInput) {
      refundInvoice(id: $id, input: { amount: $amount }) { refunded { amount } refundable { amount } subtotal { amount } }
    }`;
    const { body } = await books.client.post(refund, { id: invoice.id, amount: usd('70.01') });
    expect(body.errors[0].extensions.reason).toBe('refund_too_large');
    expect((await books.client.graphql(refund, { id: invoice.id })).refundInvoice).toEqual({
      refunded: { amount: 70 },
      refundable: { amount: 0 },
      subtotal: { amount: 100 },
    });
  });
});

describe('a bank transfer with a code', () => {
  it('starts when the money came: a credit note gives credit for the days before, by their share of what was paid', async () => {
    const books = await open();
    const customer = await books.shop.customer();
    const recurring = { frequency: 'Monthly', executionDate: '2026-01-21' };
    const price = await books.plan(100, { currency: 'usd', recurring });
    const { id: couponId } = await createCoupon(books, { percentOff: '50', duration: 'once' });
    await createCode(books, { couponId, code: 'transfer' });
    const intent = await intend(books, customer, price, { promotionCode: 'transfer' });
    await confirm(books, intent.id, 'manual');
    const [invoice] = await books.invoices();
    expect([invoice.status, invoice.total.amount]).toEqual(['open', 32.26]);
    await books.advance('2026-01-11');
    await books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "17", amount: { amount: 32.26, currency: "usd" } }) { id } }',
      { id: invoice.id },
    );
    const { subscriptionId } = (
      await books.client.graphql('query ($id: ID!) { intent(id: $id) { subscriptionId } }', { id: intent.id })
    ).intent;
    expect((await books.invoices(subscriptionId)).flatMap(({ lines }: any) => lines)).toMatchObject([
      { kind: 'stub', amount: { amount: 32.26 }, discounts: [{ amount: { decimal: '32.26' } }] },
    ]);
    const { creditNotes } = await books.client.graphql(
      '{ creditNotes { nodes { invoice { id } total { amount } } } }',
    );
    expect(creditNotes.nodes).toEqual([{ invoice: { id: invoice.id }, total: { amount: 16.13 } }]);
    expect(await books.credits(customer)).toEqual([1613n]);
    expect(await discountsOf(books, subscriptionId)).toEqual({ own: [], customer: [] });
  });

  it('that is cancelled frees the code and the discounts of the customer', async () => {
    const books = await open();
    const customer = await books.shop.customer();
    const price = await books.plan(100, { currency: 'usd' });
    const { id: couponId } = await createCoupon(books, { percentOff: '50', duration: 'once' });
    await apply(books, { customerId: customer.id, couponId });
    for (const _ of [1, 2]) {
      const intent = await intend(books, customer, price);
      await confirm(books, intent.id, 'manual');
      const [awaited] = (await books.invoices()).slice(-1);
      expect([awaited.status, awaited.total.amount]).toEqual(['open', 50]);
      await books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id: intent.id });
    }
    const document = 'query ($id: ID!) { customer(id: $id) { discounts { active } } }';
    const { customer: holder } = await books.client.graphql(document, { id: customer.id });
    expect(holder.discounts).toEqual([{ active: true }]);
  });
});

describe('the months of a repeating discount of a customer', () => {
  const invoiceDocument = `mutation ($id: ID!) { createInvoice(
    input: { customerId: $id, items: [{ amount: { amount: 10, currency: "usd" }, description: "Work" }], collect: send_invoice }
  ) { id discount { decimal } } }`;

  async function openRepeating() {
    const { books, customer, id } = await subscribed();
    const made = await createCoupon(books, { percentOff: '50', duration: 'repeating', durationInMonths: 2 });
    await apply(books, { customerId: customer.id, couponId: made.id });
    const bill = async (): Promise<string> => {
      const { createInvoice: invoice } = await books.client.graphql(invoiceDocument, { id: customer.id });
      expect(invoice.discount.decimal).toBe('5.00');
      return invoice.id;
    };
    const close = (invoice: string) =>
      books.client.graphql('mutation ($id: ID!) { voidInvoice(id: $id) { id } }', { id: invoice });
    const renewals = async () => (await bills(books, id)).slice(1).map((text) => text.split(' = ')[1]);
    return { books, bill, close, renewals };
  }

  it('begin with a later invoice where the one that began them was voided', async () => {
    const { books, bill, close, renewals } = await openRepeating();
    const first = await bill();
    await books.advance('2026-01-20');
    await close(first);
    for (const day of ['2026-02-01', '2026-03-01', '2026-04-01']) await books.advance(day);
    expect(await renewals()).toEqual(['50', '50', '100']);
  });

  it('stay where another invoice is voided, and follow the next one that is owed', async () => {
    const { books, bill, close, renewals } = await openRepeating();
    const first = await bill();
    await books.advance('2026-01-10');
    const second = await bill();
    await books.advance('2026-01-15');
    await close(await bill());
    // From 10 January: until 10 March.
    await close(first);
    await books.advance('2026-03-01');
    expect(await renewals()).toEqual(['50', '50']);
    await close(second);
    // From 1 February on, the first renewal that is left: until 1 April.
    await books.advance('2026-04-01');
    expect(await renewals()).toEqual(['50', '50', '100']);
  });
});

describe('a renewal that is never paid', () => {
  it('gives a once-coupon back when it is given up', async () => {
    const { books, customer, id } = await subscribed();
    const { id: couponId } = await createCoupon(books, { percentOff: '50', duration: 'once' });
    await apply(books, { customerId: customer.id, couponId });
    await books.client.graphql(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok_then_declined" }) { id } }',
      { id },
    );
    await books.advance('2026-02-02');
    expect(await discountsOf(books, id)).toEqual({ own: [], customer: [] });
    await books.advance('2026-03-15');
    expect((await bills(books, id)).at(-1)).toBe('100 − 50 = 50');
    expect(await discountsOf(books, id)).toEqual({ own: [], customer: [couponId] });
  });
});
