/** Credits of a type: how many units of usage they cover, what they take off lines, and that nothing is lost or used twice. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readDecimal } from '../../../src/lib/decimal.ts';
import {
  applyGrants,
  listLineUses,
  spendCredits,
  type Grant,
} from '../../../src/billing/pricing/creditGrants.ts';
import { formatCredits, parseCredits } from '../../../src/billing/pricing/creditUnits.ts';
import { applyDiscounts } from '../../../src/billing/pricing/discounts.ts';
import type { Line } from '../../../src/billing/pricing/invoiceLines.ts';

const at = '2026-02-01T00:00:00.000Z';
const micro = (credits: string) => parseCredits(credits)!;

/** One image costs 10 credits, and 1,000 tokens cost 1. */
const rates = [
  { meterId: 'images', units: '1', credits: '10' },
  { meterId: 'tokens', units: '1000', credits: '1' },
];

const grant = (id: string, credits: string, terms: Partial<Grant> = {}): Grant => ({
  id,
  remainingMinor: micro(credits),
  expiresAt: null,
  beforeTax: true,
  rates,
  ...terms,
});

const money = (id: string, remainingMinor: bigint): Grant => ({
  id,
  remainingMinor,
  expiresAt: null,
  beforeTax: true,
});

const usage = (meterId: string, units: string, amountMinor: bigint, explained: object = {}): Line => ({
  kind: 'USAGE',
  description: 'Usage',
  amountMinor,
  currency: 'eur',
  periodStart: at,
  periodEnd: at,
  explanation: { model: 'per_unit', usage: units, part: 'usage', usagePeriodId: 'p', ...explained },
  usageOf: { priceId: 'p', meterId },
});

/** The lines after grants: `0: a 100 units for 10 credits`. */
const apply = (lines: Line[], grants: Grant[]): string[] =>
  applyGrants(lines, grants, at).map((line) => {
    const uses = listLineUses(line).map(({ creditId, units, credits, amountMinor }) =>
      credits === undefined
        ? `${creditId} ${amountMinor}`
        : `${creditId} ${units} units for ${formatCredits(credits)}`,
    );
    return [String(line.amountMinor), ...uses].join(', ');
  });

test.each<[string, Line[], Grant[], string[]]>([
  ['covers all units', [usage('images', '7', 700n)], [grant('a', '100')], ['0, a 7 units for 70']],
  ['covers a part', [usage('images', '7', 700n)], [grant('a', '45')], ['250, a 4.5 units for 45']],
  [
    'is one pool for several meters',
    [usage('images', '3', 300n), usage('tokens', '25000', 50n)],
    [grant('a', '40')],
    ['0, a 3 units for 30', '30, a 10000 units for 10'],
  ],
  [
    'covers the rest from the next grant',
    [usage('images', '3', 100n)],
    [grant('a', '10'), grant('b', '100')],
    ['0, a 1 units for 10, b 2 units for 20'],
  ],
  ['leaves what other meters count', [usage('seats', '3', 300n)], [grant('a', '40')], ['300']],
  [
    'leaves included units',
    [usage('images', '5', 300n, { includedUnits: '2' })],
    [grant('a', '100')],
    ['0, a 3 units for 30'],
  ],
  [
    'leaves units that no rate matches',
    [usage('images', '5', 300n, { unmatched: '2' })],
    [grant('a', '100')],
    ['0, a 3 units for 30'],
  ],
  [
    'covers the late part of what was billed',
    [usage('images', '5', 200n, { part: 'late', billedMinor: '300' })],
    [grant('a', '100')],
    ['0, a 2 units for 20'],
  ],
  [
    'leaves what is missing to a minimum',
    [usage('images', '5', 200n, { part: 'minimum' })],
    [grant('a', '100')],
    ['200'],
  ],
  ['covers units of a price of 0', [usage('images', '5', 0n)], [grant('a', '20')], ['0, a 2 units for 20']],
  ['is spent on no usage below 0', [usage('images', '-5', 0n)], [grant('a', '20')], ['0']],
  [
    'covers what money before it has left',
    [usage('images', '4', 400n)],
    [money('m', 100n), grant('a', '100')],
    ['0, m 100, a 3 units for 30'],
  ],
  [
    'leaves to money what it does not cover',
    [usage('images', '4', 400n)],
    [grant('a', '10'), money('m', 1000n)],
    ['0, a 1 units for 10, m 300'],
  ],
  [
    'rounds what it costs up',
    [usage('tokens', '0.0001', 5n)],
    [grant('a', '1')],
    ['0, a 0.0001 units for 0.000001'],
  ],
  ['is not used where it would save nothing', [usage('tokens', '1000', 1n)], [grant('a', '0.1')], ['1']],
])('%s', (_name, lines, grants, expected) => {
  expect(apply(lines, grants)).toEqual(expected);
});

it('a line that a coupon has made free takes no credits', () => {
  const off = { discountId: 'd', couponId: 'c', percentOff: '100' };
  const [line] = applyDiscounts([usage('images', '4', 400n)], [off]);
  expect(apply([line!], [grant('a', '100')])).toEqual(['0']);
});

it('a credit on the bill limits what is covered', () => {
  const credit = { ...usage('images', '0', -300n), kind: 'PRORATION_CREDIT' as const, usageOf: undefined };
  expect(apply([usage('images', '4', 400n), credit as Line], [grant('a', '100')])).toEqual([
    '300, a 1 units for 10',
    '-300',
  ]);
});

describe('whatever the numbers', () => {
  const units = fc
    .tuple(fc.bigInt(0n, 10n ** 12n), fc.integer({ min: 0, max: 12 }))
    .map(([digits, scale]) => ({ digits, scale }));
  const asText = ({ digits, scale }: { digits: bigint; scale: number }) => {
    const text = String(digits).padStart(scale + 1, '0');
    return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  };
  const aLine = fc.record({
    meterId: fc.constantFrom('images', 'tokens', 'seats'),
    units,
    amountMinor: fc.bigInt(0n, 10n ** 10n),
    percentOff: fc.constantFrom('0', '33', '100'),
    billedMinor: fc.constantFrom('0', '17', '1000000'),
  });
  const aGrant = fc.record({ isMoney: fc.boolean(), left: fc.bigInt(0n, 10n ** 12n) });

  it('no line falls below 0, no grant gives more than it has, and no unit is covered twice', () => {
    fc.assert(
      fc.property(
        fc.array(aLine, { minLength: 1, maxLength: 4 }),
        fc.array(aGrant, { minLength: 1, maxLength: 4 }),
        (given, grantsGiven) => {
          const lines = given.flatMap(({ percentOff, billedMinor, ...line }) =>
            applyDiscounts(
              [usage(line.meterId, asText(line.units), line.amountMinor, { billedMinor })],
              percentOff === '0' ? [] : [{ discountId: 'd', couponId: 'c', percentOff }],
            ),
          );
          const grants = grantsGiven.map(({ isMoney, left }, index): Grant =>
            isMoney ? money(`g${index}`, left) : { ...grant(`g${index}`, '1'), remainingMinor: left },
          );
          const lowered = applyGrants(lines, grants, at);
          const given2 = new Map<string, bigint>();
          for (const [index, line] of lowered.entries()) {
            expect(line.amountMinor).toBeGreaterThanOrEqual(0n);
            const uses = listLineUses(line);
            const off = uses.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
            expect(line.amountMinor + off).toBe(lines[index]!.amountMinor);
            const covered = uses.reduce((sum, each) => {
              if (each.units === undefined) return sum;
              const { digits, scale } = readDecimal(each.units);
              return sum + digits * 10n ** BigInt(12 - scale);
            }, 0n);
            const { digits, scale } = given[index]!.units;
            expect(covered).toBeLessThanOrEqual(digits * 10n ** BigInt(12 - scale));
            for (const use of uses) given2.set(use.creditId, (given2.get(use.creditId) ?? 0n) + use.given);
          }
          const left = spendCredits(grants, { lines: lowered, balanceMinor: 0n }, at);
          for (const [index, each] of grants.entries()) {
            expect(left[index]!.remainingMinor).toBe(each.remainingMinor - (given2.get(each.id) ?? 0n));
            expect(left[index]!.remainingMinor).toBeGreaterThanOrEqual(0n);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('enough credits leave nothing of what they apply to', () => {
    fc.assert(
      fc.property(
        units,
        fc.bigInt(0n, 10n ** 10n),
        fc.integer({ min: 1, max: 4 }),
        (used, amountMinor, parts) => {
          const line = usage('images', asText(used), amountMinor);
          const all = Array.from({ length: parts }, (_, index) => ({
            ...grant(`g${index}`, '1'),
            remainingMinor: 10n ** 20n / BigInt(parts) + 1n,
          }));
          const [lowered] = applyGrants([line], all, at);
          expect(lowered!.amountMinor).toBe(used.digits === 0n ? amountMinor : 0n);
        },
      ),
    );
  });
});
