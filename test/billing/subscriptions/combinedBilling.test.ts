/** Trials, items, coupons, credits and changes together: amounts that each of them alone gets right. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, ask, createCode, createCoupon } from '../discounts/shop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openItems } from '../../support/items.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const seat = { amount: '5', model: 'per_unit' };
const itemDocument = `mutation ($customerId: ID!) {
  createInvoiceItem(input: { customerId: $customerId, amount: { amount: 7, currency: "usd" }, description: "Work" }) { id }
}`;
const creditDocument = `mutation ($customerId: ID!, $amount: Float!, $expiresAt: DateTime) {
  grantCredit(input: { customerId: $customerId, amount: { amount: $amount, currency: "usd" }, reason: "Sorry", expiresAt: $expiresAt }) { id }
}`;

it('a charge made during a trial is billed at its end, and the books are sound', async () => {
  const items = await openItems(app, { ...seat, trialDays: 10 }, { quantity: 2 });
  await items.client.graphql(itemDocument, { customerId: items.customer.id });
  expect(await items.renew('2026-06-11')).toEqual(['cycle 10', 'item 7']);
  expect(await findFaults(app, items.alias)).toEqual([]);
});

it('a preview of the next invoice has the credits that the change leaves', async () => {
  const items = await openItems(app, seat, { quantity: 2 });
  const give = (amount: number, expiresAt?: string) =>
    items.client.graphql(creditDocument, { customerId: items.customer.id, amount, expiresAt });
  await give(5, '2026-06-20');
  await give(22);
  await items.advance('2026-06-16');
  const { lines, nextInvoice } = await items.preview({ quantity: 4 });
  expect(lines).toEqual(['proration_credit -5', 'proration_charge 10', 'balance -5']);
  expect(nextInvoice.lines).toEqual(['cycle 20', 'balance -20']);
  expect(await items.change({ quantity: 4 })).toEqual(lines);
  expect(await items.renew('2026-07-01')).toEqual(nextInvoice.lines);
});

it('a coupon for one invoice reduces one, also if a charge waits for it', async () => {
  const items = await openItems(app, seat, { quantity: 2 });
  const { id: couponId } = await createCoupon(items.books, {
    duration: 'once',
    amountOff: { amount: 4, currency: 'usd' },
  });
  await apply(items.books, { subscriptionId: items.id, couponId });
  await items.advance('2026-06-16');
  expect(await items.change({ quantity: 4, billing: 'next_invoice' })).toEqual([]);
  // This change uses the coupon, prorated; the waiting charge has none of it.
  await items.advance('2026-06-21');
  expect(await items.change({ quantity: 6, billing: 'charge_now' })).toEqual(['proration_charge 8.67']);
  const renewed = await items.renew('2026-07-01');
  expect(renewed).toEqual(['cycle 30', 'proration_credit -5', 'proration_charge 3.33']);
  expect(await findFaults(app, items.alias)).toEqual([]);
});

it('a trial without a payment method redeems its code, as often as the coupon allows', async () => {
  const { books } = await openItems(app, seat, { quantity: 1 });
  const { id: couponId } = await createCoupon(books, { percentOff: '50', maxRedemptions: 2 });
  await createCode(books, { couponId, code: 'TRY' });
  const plan = () => books.plan(10, { currency: 'usd', price: { trialDays: 10 } });
  const begin = async () => {
    const [customer, price] = [await books.shop.customer(), await plan()];
    const { tenantAlias: _, ...order } = books.shop.intentInput(customer, price, {}) as Record<
      string,
      unknown
    >;
    const { data } = await ask(
      books,
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      { input: { ...order, trialDays: 10, promotionCode: 'try' } },
    ).then(({ body }) => body);
    const started = await ask(
      books,
      'mutation ($id: ID!) { startTrial(id: $id) { subscriptionId } }',
      data.createSubscriptionIntent,
    );
    return started.body;
  };
  for (const expected of [1, 2]) {
    const { data } = await begin();
    expect(data.startTrial.subscriptionId).toMatch(/^sub_/);
    const { coupon } = await books.client.graphql('query ($id: ID!) { coupon(id: $id) { timesRedeemed } }', {
      id: couponId,
    });
    expect(coupon.timesRedeemed).toBe(expected);
  }
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('a trial that is extended after a change keeps the fixed day of billing', async () => {
  const recurring = { frequency: 'Monthly', period: 1, executionDate: '2026-06-20' };
  const items = await openItems(app, { ...seat, trialDays: 10, recurring }, { quantity: 2 });
  expect(await items.change({ quantity: 4 })).toEqual([]);
  await items.client.graphql(
    'mutation ($id: ID!) { extendTrial(id: $id, input: { trialEndsAt: "2026-06-15" }) { id } }',
    { id: items.id },
  );
  await items.renew('2026-06-15');
  expect(await items.read()).toMatchObject({ currentPeriodEnd: '2026-06-20T00:00:00.000Z' });
});

it('an add-on that was removed without billing, and is added again, is charged once for its time', async () => {
  const items = await openItems(app, seat, { quantity: 2, addOns: { extra: { amount: '4' } } });
  await items.advance('2026-06-16');
  expect(await items.change({ addOns: {}, billing: 'none' })).toEqual([]);
  const again = { addOns: { extra: { amount: '4' } }, billing: 'charge_now' };
  const { lines } = await items.preview(again);
  expect(lines).toEqual(['proration_credit -2', 'proration_charge 2']);
  expect(await items.change(again)).toEqual(lines);
  expect(await findFaults(app, items.alias)).toEqual([]);
});
