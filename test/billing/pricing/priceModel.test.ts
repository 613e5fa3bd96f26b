import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  parseDecimal,
  readDecimal,
} from '../../../src/lib/decimal.ts';
import { decimalText } from '../../../src/lib/money.ts';
import { computeCycleAmount, listCharges } from '../../../src/billing/pricing/priceModel.ts';
import type { PriceTier, Pricing } from '../../../src/storage/model/common.ts';

/** Writes tiers as `[up to, unit amount, flat amount]`. */
const tiers = (...rows: [string | null, string, string?][]): PriceTier[] =>
  rows.map(([upTo, unitAmount, flatAmount = '0']) => ({ upTo, unitAmount, flatAmount }));

const perUnit = (unitAmount: string): Pricing => ({ model: 'per_unit', unitAmount });
const inPackages = (unitAmount: string, packageSize: number): Pricing => ({
  model: 'package',
  unitAmount,
  packageSize,
});

const seats = tiers(['5', '7'], ['10', '6.5'], [null, '6']);
const calls = tiers(['1000', '0.01'], ['10000', '0.008'], [null, '0.005']);
const requests = tiers(['1000', '0.10'], ['10000', '0.05'], [null, '0.01']);
const wholesale = tiers(['1000', '4', '150'], ['2000', '3', '100'], [null, '2']);
const team = tiers(['10', '10'], [null, '8']);
const storage = tiers(['10000', '0.0010'], ['50000', '0.0008'], ['100000', '0.0006'], [null, '0.0004']);
const storageWithFee = storage.map((tier) => ({ ...tier, flatAmount: '10' }));
const bundles = tiers(['1000', '0', '100'], ['10000', '0', '500'], [null, '0', '1000']);
const blocks = tiers(['100', '1'], [null, '0.5']);
const megabytes = tiers(['1024', '0.5'], [null, '0.1']);
const videos = tiers(['5', '2'], [null, '1']);
const includedSeats = tiers(['5', '0', '350'], [null, '30']);
const flatTiers = tiers(['25', '0', '200'], [null, '0', '500']);

const graduated = (of: PriceTier[]): Pricing => ({ model: 'graduated', tiers: of });
const volume = (of: PriceTier[]): Pricing => ({ model: 'volume', tiers: of });

/** Published examples: where they come from, the price, and what each quantity costs in USD. */
const published: [source: string, pricing: Pricing, costs: Record<number, string>][] = [
  ['Lago, standard charge: 0.05 for each call', perUnit('0.05'), { 1000: '50.00' }],
  ['Kill Bill issue 1124: 3.685 is rounded half up', perUnit('0.067'), { 55: '3.69' }],
  ['Stripe, quantities: 9.99 for each site', perUnit('9.99'), { 2: '19.98' }],
  [
    'Stripe, quantities: 10 for each 5 users',
    inPackages('10', 5),
    { 1: '10.00', 5: '10.00', 6: '20.00', 10: '20.00' },
  ],
  ['Lago, package charge: 5 for each 100, the first 100 not counted', inPackages('5', 100), { 101: '10.00' }],
  [
    'Chargebee, package pricing: 1.25 for a million tokens',
    inPackages('1.25', 1_000_000),
    { 10: '1.25', 1_000_000: '1.25', 1_500_000: '2.50' },
  ],
  ['Flexprice: packages of 1,000 at 1.00', inPackages('1', 1000), { 4500: '5.00' }],
  ['Stripe, graduated', graduated(seats), { 1: '7.00', 5: '35.00', 6: '41.50', 20: '127.50', 25: '157.50' }],
  ['Autumn, graduated', graduated(calls), { 15000: '107.00' }],
  ['Zuplo, graduated', graduated(requests), { 15000: '600.00' }],
  ['Plude, graduated with flat amounts', graduated(wholesale), { 2500: '8250.00' }],
  ['Polar, seats, graduated', graduated(team), { 14: '132.00' }],
  ['Kill Bill, all tiers: 150 blocks of ten minutes', graduated(blocks), { 150: '125.00' }],
  ['Kill Bill, all tiers: 2,048 megabytes', graduated(megabytes), { 2048: '614.40' }],
  ['Kill Bill, videos', graduated(videos), { 13: '18.00' }],
  ['Polar issue 7861: five seats in the base price', graduated(includedSeats), { 5: '350.00', 6: '380.00' }],
  ['Stripe, volume', volume(seats), { 1: '7.00', 5: '35.00', 6: '39.00', 20: '120.00', 25: '150.00' }],
  ['Lago, volume with a fee', volume(storageWithFee), { 65000: '49.00' }],
  ['Flexprice, volume', volume(storage), { 65000: '39.00' }],
  ['Autumn, volume by flat amounts', volume(bundles), { 500: '100.00', 5000: '500.00', 15000: '1000.00' }],
  ['Autumn, volume: 0.08 each and 50', volume(tiers([null, '0.08', '50'])), { 5000: '450.00' }],
  ['Polar, seats, volume', volume(team), { 14: '112.00' }],
  ['Kill Bill, top tier: blocks', volume(blocks), { 150: '75.00' }],
  ['Kill Bill, top tier: megabytes', volume(megabytes), { 2048: '204.80' }],
  ['Polar issue 7791: flat tiers', volume(flatTiers), { 10: '200.00', 25: '200.00', 26: '500.00' }],
];

const price = (pricing: Pricing | null, amountMinor = 0n, currency = 'usd') => ({
  pricing,
  amountMinor,
  currency,
});

describe('published examples', () => {
  test.each(published)('%s', (_source, pricing, costs) => {
    for (const [quantity, cost] of Object.entries(costs)) {
      const { amountMinor } = computeCycleAmount(price(pricing), Number(quantity));
      expect(decimalText(amountMinor, 'usd'), quantity).toBe(cost);
    }
  });

  it('says by which tiers it charged', () => {
    expect(computeCycleAmount(price(graduated(seats)), 6).tiers).toEqual([
      { upTo: '5', unitAmount: '7', flatAmount: '0', quantity: '5', amount: '35' },
      { upTo: '10', unitAmount: '6.5', flatAmount: '0', quantity: '1', amount: '6.5' },
    ]);
    expect(computeCycleAmount(price(volume(seats)), 6).tiers).toEqual([
      { upTo: '10', unitAmount: '6.5', flatAmount: '0', quantity: '6', amount: '39' },
    ]);
  });

  it('charges a flat price whatever the quantity', () => {
    expect(computeCycleAmount(price(null, 990n), 1)).toEqual({ amountMinor: 990n });
  });

  test.each([
    ['jpy', '0.5', 3, 2n],
    ['kwd', '0.0005', 1, 1n],
    ['usd', '0.000375', 40, 2n],
    ['usd', '0.000375', 13, 0n],
    ['usd', '0.000000000001', 1_000_000_000, 0n],
  ])(
    'rounds once, half up, to the decimals of %s: %s × %d',
    (currency, unitAmount, quantity, amountMinor) => {
      expect(computeCycleAmount(price(perUnit(unitAmount), 0n, currency), quantity).amountMinor).toBe(
        amountMinor,
      );
    },
  );
});

test.each([
  [price(null, 990n), ['1 × 9.9 = 9.9']],
  [price(null, 990n, 'jpy'), ['1 × 990 = 990']],
  [price(perUnit('0.000375')), ['6 × 0.000375 = 0.00225']],
  [price(inPackages('10', 5)), ['2 × 10 = 20']],
  [price(graduated(seats)), ['5 × 7 = 35', '1 × 6.5 = 6.5']],
  [price(volume(seats)), ['6 × 6.5 = 39']],
])('lists what six units are made of, row %#', (of, charges) =>
  expect(
    listCharges(of, 6).map(({ quantity, unitAmount, amount }) => `${quantity} × ${unitAmount} = ${amount}`),
  ).toEqual(charges),
);

const decimal = fc
  .tuple(fc.nat(10 ** 6), fc.nat(12))
  .map(([digits, scale]) => formatDecimal({ digits: BigInt(digits), scale }));
const someTiers = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 5 }),
    fc.array(decimal, { minLength: 12, maxLength: 12 }),
  )
  .map(([ends, amounts]) => {
    const upTo = [...ends.toSorted((a, b) => a - b).map(String), null];
    return upTo.map((end, n): PriceTier => ({
      upTo: end,
      unitAmount: amounts[n]!,
      flatAmount: amounts[n + 6]!,
    }));
  });
const quantities = fc.integer({ min: 1, max: 1000 });
const cost = (pricing: Pricing, quantity: number) => computeCycleAmount(price(pricing), quantity).amountMinor;

describe('for any tiers', () => {
  it('a graduated total never falls as the quantity rises', () => {
    fc.assert(
      fc.property(someTiers, quantities, quantities, (of, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(cost(graduated(of), less)).toBeLessThanOrEqual(cost(graduated(of), more));
      }),
    );
  });

  it('the quantities of the tiers come to the quantity, and their amounts to the total', () => {
    fc.assert(
      fc.property(someTiers, quantities, fc.constantFrom(graduated, volume), (of, quantity, model) => {
        const { tiers: charged, amountMinor } = computeCycleAmount(price(model(of), 0n, 'usd'), quantity);
        const sum = (parts: string[]) => parts.map(readDecimal).reduce(addDecimals);
        expect(formatDecimal(sum(charged!.map((tier) => tier.quantity)))).toBe(String(quantity));
        const exact = sum(charged!.map(({ amount }) => amount));
        const doubledGap = addDecimals(
          { digits: amountMinor * 2n, scale: 2 },
          { digits: exact.digits * -2n, scale: exact.scale },
        );
        const isNearest =
          compareDecimals(doubledGap, { digits: 1n, scale: 2 }) <= 0 &&
          compareDecimals(doubledGap, { digits: -1n, scale: 2 }) > 0;
        expect(isNearest).toBe(true);
      }),
    );
  });

  it('one tier is the same in both models', () => {
    fc.assert(
      fc.property(decimal, decimal, quantities, (unitAmount, flatAmount, quantity) => {
        const only = [{ upTo: null, unitAmount, flatAmount }];
        expect(cost(graduated(only), quantity)).toBe(cost(volume(only), quantity));
      }),
    );
  });
});

describe('decimals', () => {
  test.each(['0', '1', '-1', '0.000375', '123456789012345678.123456789012', '-0.5'])(
    '%s is written as it was read',
    (text) => {
      expect(formatDecimal(parseDecimal(text)!)).toBe(text);
    },
  );

  test.each([
    ['1.50', '1.5'],
    ['007', '7'],
    ['-0', '0'],
    ['2.000', '2'],
  ])('%s is written %s', (text, shortest) => expect(formatDecimal(parseDecimal(text)!)).toBe(shortest));

  test.each([
    '',
    '.5',
    '1.',
    '+1',
    '1e3',
    ' 1',
    '1 ',
    '1,5',
    '0x1',
    'NaN',
    'Infinity',
    '١',
    '1234567890123456789',
    '0.1234567890123',
    '1\n',
  ])('%j is none', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
    expect(() => readDecimal(text)).toThrow(RangeError);
  });

  test.each([
    ['1.500', { digits: 15n, scale: 1 }],
    ['-2.000', { digits: -2n, scale: 0 }],
    ['100', { digits: 100n, scale: 0 }],
  ])('%s has no trailing zeros', (text, decimals) => expect(parseDecimal(text)).toEqual(decimals));

  it('has no trailing zeros when written', () => {
    expect(formatDecimal({ digits: 1500n, scale: 3 })).toBe('1.5');
    expect(formatDecimal({ digits: -100n, scale: 2 })).toBe('-1');
  });

  test.each([
    ['1', '1.0', 0],
    ['1', '1.1', -1],
    ['1.1', '1', 1],
    ['-1', '-0.5', -1],
    ['-1', '1', -1],
    ['0', '-0', 0],
  ])('%s compared to %s is %d', (a, b, expected) =>
    expect(compareDecimals(readDecimal(a), readDecimal(b))).toBe(expected),
  );
});
