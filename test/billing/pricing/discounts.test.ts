import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  applyDiscounts,
  discountItems,
  selectDiscounts,
  computeUse,
  sumDiscounts,
  type GivenDiscount,
} from '../../../src/billing/pricing/discounts.ts';
import { shareByLargestRemainder } from '../../../src/billing/pricing/largestRemainder.ts';
import { sumLines, type Item, type Line } from '../../../src/billing/pricing/invoiceLines.ts';
import type { DiscountTerms } from '../../../src/storage/model/common.ts';

const explanation = { priceMinor: '0', remainingMs: 1, totalMs: 1, rounding: 'half_up' as const };
const line = (amountMinor: bigint, fields: Partial<Line> = {}): Line => ({
  kind: 'CYCLE',
  description: 'Pro',
  amountMinor,
  currency: 'usd',
  periodStart: '2026-01-01T00:00:00.000Z',
  periodEnd: '2026-02-01T00:00:00.000Z',
  productId: 'a',
  explanation,
  ...fields,
});

const percent = (percentOff: string, productIds?: string[]): DiscountTerms => ({
  discountId: `${percentOff}%`,
  couponId: 'c',
  percentOff,
  ...(productIds && { productIds }),
});
const fixed = (minor: number): DiscountTerms => ({
  discountId: `${minor} off`,
  couponId: 'c',
  amountOffMinor: String(minor),
});

describe('discounts are deducted from the lines of a bill', () => {
  const rows: [name: string, lines: Line[], terms: DiscountTerms[], amounts: bigint[]][] = [
    ['a2.1: 200.00 off 100.00', [line(100_00n)], [fixed(200_00)], [0n]],
    ['a2.2: 200.00 off 300.00', [line(300_00n)], [fixed(200_00)], [100_00n]],
    ['a2.3: 20 % then 5.00 off', [line(100_00n)], [percent('20'), fixed(500)], [75_00n]],
    ['a2.4: 5.00 off then 20 %', [line(100_00n)], [fixed(500), percent('20')], [76_00n]],
    ['a2.5: two of 10 % are 19 %', [line(100_00n)], [percent('10'), percent('10')], [81_00n]],
    ['a2.6: 25 % then 10 % are 32.5 %', [line(100_00n)], [percent('25'), percent('10')], [67_50n]],
    ['a3.2: 500 over 1000 and 2000', [line(1000n), line(2000n)], [fixed(500)], [833n, 1667n]],
    ['a percentage is rounded half up once', [line(5n), line(5n)], [percent('25')], [4n, 3n]],
    ['a fraction of a percent', [line(100_000n)], [percent('0.125')], [99_875n]],
    ['a hundred percent', [line(1n), line(999n)], [percent('100')], [0n, 0n]],
    [
      'of a product, from its lines only',
      [line(1000n), line(2000n, { productId: 'b' }), line(500n, { kind: 'ITEM', productId: undefined })],
      [percent('50', ['b'])],
      [1000n, 1000n, 500n],
    ],
    [
      'from no credit, no proration and no balance',
      [
        line(1000n),
        line(-400n, { kind: 'PRORATION_CREDIT' }),
        line(300n, { kind: 'PRORATION_CHARGE' }),
        line(-100n, { kind: 'BALANCE' }),
        line(-50n, { kind: 'ITEM' }),
      ],
      [percent('50')],
      [500n, -400n, 300n, -100n, -50n],
    ],
    [
      'also from set-up fees, items and stubs',
      [line(100n, { kind: 'SETUP_FEE' }), line(100n, { kind: 'ITEM' }), line(100n, { kind: 'STUB' })],
      [percent('10')],
      [90n, 90n, 90n],
    ],
    ['from nothing', [line(0n)], [percent('50'), fixed(500)], [0n]],
  ];
  test.each(rows)('%s', (_name, lines, terms, amounts) => {
    const net = applyDiscounts(lines, terms);
    expect(net.map(({ amountMinor }) => amountMinor)).toEqual(amounts);
    expect(sumLines(net) + sumDiscounts(net)).toBe(sumLines(lines));
  });

  it('and each line names what each took off', () => {
    const [first, second] = applyDiscounts([line(1000n), line(2000n)], [fixed(500), percent('10')]);
    expect([first!.discounts, second!.discounts]).toEqual([
      [
        { discountId: '500 off', amountMinor: '167' },
        { discountId: '10%', amountMinor: '83' },
      ],
      [
        { discountId: '500 off', amountMinor: '333' },
        { discountId: '10%', amountMinor: '167' },
      ],
    ]);
  });

  it('ties go to the later line', () => {
    expect(shareByLargestRemainder(5n, [10n, 10n])).toEqual([2n, 3n]);
    expect(shareByLargestRemainder(2n, [1n, 1n, 1n])).toEqual([0n, 1n, 1n]);
    expect(shareByLargestRemainder(7n, [0n, 0n])).toEqual([0n, 0n]);
  });
});

describe('the discounts of a whole cycle, by item', () => {
  const item = (amountMinor: bigint, addOnPriceId?: string, productId = 'a') =>
    ({ amountMinor, addOnPriceId, productId }) as Item;
  const off = (of: ReturnType<typeof discountItems>, key?: string) =>
    of.get(key)!.map(({ amountMinor }) => Number(amountMinor));

  test.each<[name: string, terms: DiscountTerms[], off: number[]]>([
    ['a4.5, a4.6: 50 %', [percent('50')], [500_00]],
    ['a4.7: none', [], []],
    ['a4.8: 50.00 off', [fixed(50_00)], [50_00]],
    ['two of them', [fixed(50_00), percent('50')], [50_00, 475_00]],
  ])('%s of 1000.00', (_name, terms, expected) => {
    expect(off(discountItems([item(1000_00n)], terms))).toEqual(expected);
  });

  it('several items share a fixed discount, and a limited one takes only from its product', () => {
    const items = [item(1000n), item(2000n, 'price_2', 'b')];
    const shared = discountItems(items, [fixed(500)]);
    expect([off(shared), off(shared, 'price_2')]).toEqual([[167], [333]]);
    const limited = discountItems(items, [{ ...fixed(500), productIds: ['b'] }]);
    expect([off(limited), off(limited, 'price_2')]).toEqual([[], [500]]);
  });
});

const minor = fc.bigInt({ min: 0n, max: 10n ** 12n });
const someLines = fc.array(
  fc.record({
    amountMinor: fc.bigInt({ min: -1000n, max: 10n ** 12n }),
    kind: fc.constantFrom('CYCLE', 'STUB', 'ITEM', 'SETUP_FEE', 'PRORATION_CREDIT', 'BALANCE'),
    productId: fc.constantFrom('a', 'b', undefined),
  }),
  { minLength: 1, maxLength: 6 },
);
const someTerms = fc.array(
  fc.oneof(
    fc
      .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.boolean())
      .map(([share, isLimited]) => percent(String(share / 10_000), isLimited ? ['a'] : undefined)),
    minor.map((off) => fixed(Number(off) + 1)),
  ),
  { maxLength: 5 },
);

describe('for any lines and discounts', () => {
  it('no line falls below 0, the sums agree, and each line loses at most its amount', () => {
    fc.assert(
      fc.property(someLines, someTerms, (made, terms) => {
        const lines = made.map(({ amountMinor, ...fields }) => line(amountMinor, fields as Partial<Line>));
        const net = applyDiscounts(lines, terms);
        expect(sumLines(net) + sumDiscounts(net)).toBe(sumLines(lines));
        net.forEach((each, index) => {
          const before = lines[index]!.amountMinor;
          const off = sumDiscounts([each]);
          expect(off >= 0n && each.amountMinor === before - off).toBe(true);
          if (before > 0n) expect(each.amountMinor >= 0n).toBe(true);
          else expect(each).toBe(lines[index]);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('shares sum to the amount, differ by less than 1 from the exact share, and never exceed their weight', () => {
    fc.assert(
      fc.property(fc.array(minor, { minLength: 1, maxLength: 8 }), fc.nat(1000), (weights, share) => {
        const total = weights.reduce((sum, weight) => sum + weight, 0n);
        fc.pre(total > 0n);
        const amount = (total * BigInt(share)) / 1000n;
        const shares = shareByLargestRemainder(amount, weights);
        expect(shares.reduce((sum, each) => sum + each, 0n)).toBe(amount);
        shares.forEach((each, index) => {
          expect(each <= weights[index]!).toBe(true);
          const distance = each * total - amount * weights[index]!;
          expect(distance < total && -distance < total).toBe(true);
        });
      }),
    );
  });

  it('the discounts of the items are at most their amounts', () => {
    fc.assert(
      fc.property(fc.array(minor, { minLength: 1, maxLength: 4 }), someTerms, (amounts, terms) => {
        const items = amounts.map((amountMinor, index) => ({
          amountMinor,
          addOnPriceId: index === 0 ? undefined : `price_${index}`,
          productId: index % 2 ? 'a' : 'b',
        }));
        const taken = discountItems(items as Item[], terms);
        for (const { addOnPriceId, amountMinor } of items) {
          const offMinor = sumDiscounts([{ discounts: taken.get(addOnPriceId) }]);
          expect(offMinor >= 0n && offMinor <= amountMinor).toBe(true);
        }
      }),
    );
  });
});

const at = '2026-01-31T00:00:00.000Z';
const given = (id: string, discount: object, coupon: object = {}): GivenDiscount =>
  ({
    discount: {
      id,
      subscriptionId: null,
      position: 1,
      endsAt: null,
      spentInvoiceId: null,
      removedAt: null,
      ...discount,
    },
    coupon: {
      id: `c-${id}`,
      percentOff: '10',
      currency: null,
      productIds: null,
      duration: 'forever',
      ...coupon,
    },
  }) as unknown as GivenDiscount;

describe('the discounts of a bill', () => {
  const own = { subscriptionId: 'sub' };
  test.each<[name: string, discounts: GivenDiscount[], ids: string[]]>([
    ['of the customer', [given('a', {})], ['a']],
    ['of the subscription hide those of the customer', [given('a', {}), given('b', own)], ['b']],
    ['unless they are used up', [given('a', {}), given('b', { ...own, spentInvoiceId: 'i' })], ['a']],
    ['or removed', [given('a', {}), given('b', { ...own, removedAt: at })], ['a']],
    ['or have ended, at their end', [given('a', {}), given('b', { ...own, endsAt: at })], ['a']],
    ['until their end', [given('a', {}), given('b', { ...own, endsAt: '2026-01-31T00:00:00.001Z' })], ['b']],
    ['not those of another subscription', [given('a', {}), given('b', { subscriptionId: 'other' })], ['a']],
    ['in their order', [given('a', { position: 2 }), given('b', { position: 1 })], ['b', 'a']],
    [
      'in the currency of the bill',
      [given('a', {}, { percentOff: null, amountOffMinor: 5n, currency: 'eur' })],
      [],
    ],
  ])('%s', (_name, discounts, ids) => {
    const selected = selectDiscounts(discounts, { subscriptionId: 'sub', currency: 'usd', at });
    expect(selected.map(({ discountId }) => discountId)).toEqual(ids);
  });

  test.each<[name: string, coupon: object, discount: object, use: object | undefined]>([
    ['once: the invoice', { duration: 'once' }, {}, { spentInvoiceId: 'inv' }],
    ['forever: nothing', { duration: 'forever' }, {}, undefined],
    [
      'repeating: months in the calendar',
      { duration: 'repeating', durationInMonths: 1 },
      {},
      { endsAt: '2026-02-28T00:00:00.000Z' },
    ],
    [
      'repeating: from the first use only',
      { duration: 'repeating', durationInMonths: 1 },
      { endsAt: at },
      undefined,
    ],
  ])('%s', (_name, coupon, discount, use) => {
    expect(computeUse(given('a', discount, coupon), 'inv', at, 'UTC')).toEqual(use);
  });
});
