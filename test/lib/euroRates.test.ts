import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../../src/lib/decimal.ts';
import { convertMinor, listRated, readRate } from '../../src/lib/euroRates.ts';
import { addDays, isDay } from '../../src/lib/time.ts';

describe('a conversion', () => {
  it.each([
    // [minor, from, to, rates, expected]
    [1900n, 'usd', 'eur', { usd: '1.0812' }, 1757n],
    [1900n, 'eur', 'pln', { pln: '4.2512' }, 8077n],
    [2300n, 'usd', 'pln', { usd: '1.0812', pln: '4.2512' }, 9043n],
    [19n, 'jpy', 'eur', { jpy: '161.5' }, 12n],
    [1900n, 'eur', 'jpy', { jpy: '161.5' }, 3069n],
    [1n, 'eur', 'usd', { usd: '0.5' }, 1n],
    [-1n, 'eur', 'usd', { usd: '0.5' }, -1n],
    [1n, 'eur', 'usd', { usd: '0.499999999999' }, 0n],
    [10n ** 18n, 'kwd', 'jpy', { kwd: '0.000000000001', jpy: '1000000000' }, 10n ** 36n],
    [0n, 'usd', 'eur', { usd: '1' }, 0n],
  ])('%d %s to %s by %j is %d', (amountMinor, from, to, rates, expected) => {
    expect(convertMinor(amountMinor, { from, to }, rates)).toBe(expected);
  });

  const rate = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.integer({ min: 0, max: 12 }))
    .map(([digits, scale]) => formatDecimal({ digits, scale }))
    .filter((text) => readRate(text) !== undefined);
  const amount = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

  it('is odd, keeps the order, and is the same amount at equal rates', () => {
    fc.assert(
      fc.property(amount, amount, rate, rate, (one, other, usd, pln) => {
        const convert = (value: bigint) => convertMinor(value, { from: 'usd', to: 'pln' }, { usd, pln });
        expect(convert(-one)).toBe(-convert(one));
        if (one <= other) expect(convert(one) <= convert(other)).toBe(true);
        expect(convertMinor(one, { from: 'usd', to: 'pln' }, { usd, pln: usd })).toBe(one);
      }),
    );
  });

  it('is half a unit at most from the exact amount', () => {
    fc.assert(
      fc.property(amount, rate, (minor, usd) => {
        const { digits, scale } = parseDecimal(usd)!;
        const converted = convertMinor(minor, { from: 'usd', to: 'eur' }, { usd });
        const error = 2n * (converted * digits - minor * 10n ** BigInt(scale));
        expect(error <= digits && error >= -digits).toBe(true);
      }),
    );
  });
});

describe('a rate', () => {
  it.each([
    ['1.50', '1.5'],
    ['0.000000000001', '0.000000000001'],
    ['1000000000', '1000000000'],
    ['1000000000.000000000001', undefined],
    ['0', undefined],
    ['0.000', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    [' 1', undefined],
    ['1,5', undefined],
    ['1.1234567890123', undefined],
    ['', undefined],
  ])('%j is %s', (text, expected) => {
    expect(readRate(text)).toBe(expected);
  });
});

it.each([
  ['2026-02-28', true],
  ['2026-02-29', false],
  ['2024-02-29', true],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['+2026-01-01', false],
  ['', false],
])('%s is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

it('days are counted by the calendar', () => {
  expect([addDays('2026-03-01', -1), addDays('2026-12-28', 7)]).toEqual(['2026-02-28', '2027-01-04']);
  expect(listRated('usd', 'eur', 'usd')).toEqual(['usd']);
});
