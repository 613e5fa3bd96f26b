/** The arithmetic of limits in credits. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measureUse, type Counter } from '../../../src/billing/entitlements/counters.ts';
import { formatDecimal, readDecimal, wholeDecimal } from '../../../src/lib/decimal.ts';

const decimals = fc.tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 12 })).map(([digits, scale]) => ({
  digits: BigInt(digits),
  scale,
}));
const ratios = fc.tuple(decimals, decimals).map(([units, credits]) => ({
  units: formatDecimal({ ...units, digits: units.digits + 1n }),
  credits: formatDecimal({ ...credits, digits: credits.digits + 1n }),
}));

it('is the exact sum, rounded up once at the twelfth place', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(ratios, decimals, decimals, decimals), { minLength: 1, maxLength: 5 }),
      (rows) => {
        const counters = rows.map(([rate], index): Counter => ({
          meter: { id: `${index}` } as any,
          rate: { meterId: `${index}`, ...rate },
        }));
        const pick = (part: 1 | 2 | 3) => new Map(rows.map((row, index) => [`${index}`, row[part]]));
        const { used, reserved, amount } = measureUse(
          counters,
          { used: pick(1), reserved: pick(2) },
          pick(3),
        );
        // Everything as whole numbers: in units of 10^-12, and credits times the product of the units of all rates.
        const scale = (value: { digits: bigint; scale: number }) =>
          value.digits * 10n ** BigInt(12 - value.scale);
        const product = rows.reduce((all, [{ units }]) => all * scale(readDecimal(units)), 1n);
        const sum = (parts: (1 | 2 | 3)[]) =>
          rows.reduce((all, row) => {
            const units = parts.reduce((total, part) => total + scale(row[part]), 0n);
            return (
              all + (units * scale(readDecimal(row[0].credits)) * product) / scale(readDecimal(row[0].units))
            );
          }, 0n);
        const all = [used, reserved, amount].reduce((total, part) => total + scale(part), 0n);
        expect(all * product >= sum([1, 2, 3]) && (all - 1n) * product < sum([1, 2, 3])).toBe(true);
        expect(scale(used) * product >= sum([1])).toBe(true);
      },
    ),
  );
  const third: Counter[] = [{ meter: { id: 'm' } as any, rate: { meterId: 'm', units: '3', credits: '1' } }];
  const one = new Map([['m', wholeDecimal(1)]]);
  const two = new Map([['m', wholeDecimal(2)]]);
  const { used, amount } = measureUse(third, { used: two, reserved: new Map() }, one);
  expect([used, amount].map((part) => formatDecimal(part))).toEqual(['0.666666666667', '0.333333333333']);
});
