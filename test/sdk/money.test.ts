/** Arithmetic of amounts, compared with whole numbers of their smallest unit. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importSdk } from '../support/sdk.ts';

const { Money } = await importSdk();

const scale = 12;
const minor = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const decimals = fc.integer({ min: 0, max: scale });
const amount = fc.tuple(minor, decimals);

/** The amount in units of the twelfth decimal. */
const exact = (value: bigint, places: number) => value * 10n ** BigInt(scale - places);
const make = ([value, places]: [bigint, number]) => Money.fromMinor(value, 'usd', places);

it('adds, subtracts, multiplies and compares exactly', () => {
  fc.assert(
    fc.property(amount, amount, fc.bigInt({ min: -1000n, max: 1000n }), (one, other, factor) => {
      const [a, b] = [make(one), make(other)];
      const [x, y] = [exact(...one), exact(...other)];
      expect(Money.toMinor(Money.add(a, b), scale)).toBe(x + y);
      expect(Money.toMinor(Money.subtract(a, b), scale)).toBe(x - y);
      expect(Money.toMinor(Money.multiply(a, factor), scale)).toBe(x * factor);
      expect(Math.sign(Money.compare(a, b))).toBe(x < y ? -1 : x > y ? 1 : 0);
      expect(Money.isZero(Money.subtract(a, a))).toBe(true);
      expect(Money.toMinor(Money.of(a.decimal, 'USD'))).toBe(one[0]);
    }),
  );
});

it.each([
  ['0.00', 0n],
  ['9.00', 900n],
  ['-0.05', -5n],
  ['1234567890123456789.99', 123456789012345678999n],
  ['100', 100n],
])('reads %s', (decimal, expected) => {
  expect(Money.toMinor(Money.of(decimal, 'usd'))).toBe(expected);
  expect(Money.fromMinor(expected, 'usd', decimal.split('.')[1]?.length ?? 0).decimal).toBe(decimal);
});

it.each(['', '1.', '.5', '1e3', ' 1', '1,5', 'NaN', '--1'])('refuses %j', (decimal) => {
  expect(() => Money.of(decimal, 'usd')).toThrow(RangeError);
});

it('refuses to mix currencies and to lose decimals', () => {
  expect(() => Money.add(Money.of('1', 'usd'), Money.of('1', 'eur'))).toThrow('usd and eur');
  expect(() => Money.toMinor(Money.of('0.005', 'usd'), 2)).toThrow(RangeError);
});

it('sums and formats amounts that no number has', () => {
  const large = Money.of('9007199254740993.01', 'usd');
  expect(Money.sum([large, Money.of('0.01', 'usd')], 'usd')).toEqual({
    decimal: '9007199254740993.02',
    currency: 'usd',
  });
  expect(Money.sum([], 'usd')).toEqual({ decimal: '0', currency: 'usd' });
  expect(Money.format(large, 'en-US')).toBe('$9,007,199,254,740,993.01');
  expect(Money.format(Money.of('12.5', 'jpy'), 'en-US', { maximumFractionDigits: 1 })).toBe('¥12.5');
});
