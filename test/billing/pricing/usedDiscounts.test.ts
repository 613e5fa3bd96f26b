/** The terms of discounts, which of them a bill has used, and what is left of them afterwards. */
import { expect, it, test } from 'vitest';
import {
  applyDiscounts,
  listUsedDiscounts,
  selectDiscounts,
  spendDiscounts,
  toTerms,
  type GivenDiscount,
} from '../../../src/billing/pricing/discounts.ts';
import { buildPeriodLines } from '../../../src/billing/pricing/invoiceLines.ts';

const at = '2026-01-31T00:00:00.000Z';
const percentage = { id: 'c-1', percentOff: '10', amountOffMinor: null, currency: null, productIds: null };
const fixed = { id: 'c-2', percentOff: null, amountOffMinor: 500n, currency: 'usd', productIds: null };

/** The columns that are read; the others of both rows do not matter. */
const given = (id: string, coupon: object = percentage, duration = 'forever'): GivenDiscount =>
  ({
    discount: { id, subscriptionId: null, position: 1, endsAt: null, spentInvoiceId: null, removedAt: null },
    coupon: { ...coupon, duration, durationInMonths: duration === 'repeating' ? 2 : null },
  }) as unknown as GivenDiscount;

test.each<[coupon: object, terms: object]>([
  [percentage, { discountId: 'a', couponId: 'c-1', percentOff: '10' }],
  [fixed, { discountId: 'a', couponId: 'c-2', amountOffMinor: '500' }],
  [
    { ...percentage, productIds: ['prod_1'] },
    { discountId: 'a', couponId: 'c-1', percentOff: '10', productIds: ['prod_1'] },
  ],
])('the terms of %o', (coupon, terms) => {
  expect(toTerms(given('a', coupon).coupon, 'a')).toStrictEqual(terms);
});

it('selects amounts in the currency of the bill, and none of none', () => {
  const bill = { currency: 'usd', at };
  expect(selectDiscounts([], bill)).toEqual([]);
  const selected = selectDiscounts([given('a', fixed), given('b', { ...fixed, currency: 'eur' })], bill);
  expect(selected).toEqual([{ discountId: 'a', couponId: 'c-2', amountOffMinor: '500' }]);
});

const agreement = {
  productId: 'prod_1',
  addOns: null,
  productName: 'Pro',
  amountMinor: 3000n,
  currency: 'usd',
  frequency: 'Monthly' as const,
  period: 1,
  quantity: null,
  pricing: null,
  taxBehavior: null,
};
const { lines } = buildPeriodLines(agreement, null, at, 'UTC');

it('leaves lines as they are that no discount reduces', () => {
  const [line] = lines;
  const nameless = { ...line, productId: undefined };
  const terms = { discountId: 'a', couponId: 'c', percentOff: '50', productIds: ['prod_2'] };
  const whole = [line, nameless, { ...line, amountMinor: 0n }];
  expect(applyDiscounts(whole, [terms])).toBe(whole);
});

it('lists each used discount once', () => {
  const entry = (discountId: string) => ({ discountId, amountMinor: '1' });
  const used = [
    { discounts: [entry('a'), entry('b')] },
    { discounts: null },
    {},
    { discounts: [entry('a')] },
  ];
  expect(listUsedDiscounts(used)).toEqual(['a', 'b']);
  expect(listUsedDiscounts([])).toEqual([]);
});

it('spends those that a bill has used, and no others', () => {
  const all = [
    given('once', percentage, 'once'),
    given('months', percentage, 'repeating'),
    given('ever'),
    given('idle', percentage, 'once'),
  ];
  const bill = [
    { discounts: ['once', 'months', 'ever'].map((discountId) => ({ discountId, amountMinor: '1' })) },
  ];
  const [once, months, ever, idle] = spendDiscounts(all, bill, at, 'UTC');
  expect(once).toEqual({ ...all[0], discount: { ...all[0]!.discount, spentInvoiceId: 'forecast' } });
  expect(months).toEqual({
    ...all[1],
    discount: { ...all[1]!.discount, endsAt: '2026-03-31T00:00:00.000Z' },
  });
  expect(ever).toEqual(all[2]);
  expect(idle).toBe(all[3]);
});
