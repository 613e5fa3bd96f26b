/** Granted credits: which can pay at an instant, in which order, and what is left of them. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  deductFromCredits,
  distributeOverCredits,
  isUsable,
  orderCredits,
  sumUsable,
  type CreditLeft,
} from '../../../src/billing/pricing/credits.ts';

const midnight = (day: number) => `2026-06-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const credit = (id: string, remainingMinor: bigint, expiresAt: string | null = null) => ({
  id,
  remainingMinor,
  expiresAt,
});
type Credit = ReturnType<typeof credit>;

test.each<[what: string, given: Credit[], order: string]>([
  ['none', [], ''],
  ['by expiry', [credit('b', 1n, midnight(9)), credit('a', 1n, midnight(2))], 'ab'],
  ['that expire before those that do not', [credit('b', 1n), credit('a', 1n, midnight(30))], 'ab'],
  ['that do not expire after those that do', [credit('a', 1n, midnight(30)), credit('b', 1n)], 'ab'],
  ['that expire together as given', [credit('b', 1n, midnight(9)), credit('a', 1n, midnight(9))], 'ba'],
  ['that never expire as given', [credit('c', 1n), credit('a', 1n), credit('b', 1n)], 'cab'],
  [
    'of every kind',
    [
      credit('d', 1n),
      credit('c', 1n, midnight(7)),
      credit('a', 1n, midnight(3)),
      credit('b', 1n, midnight(3)),
    ],
    'abcd',
  ],
])('credits %s', (_, given, order) => {
  const before = [...given];
  expect(
    orderCredits(given)
      .map(({ id }) => id)
      .join(''),
  ).toBe(order);
  expect(given).toEqual(before);
});

test.each<[expiresAt: string | null, usable: boolean]>([
  [null, true],
  [midnight(11), true],
  [midnight(10), false],
  [midnight(9), false],
])('a credit that expires at %s is usable on 10 June: %s', (expiresAt, usable) => {
  expect(isUsable({ expiresAt }, midnight(10))).toBe(usable);
  expect(sumUsable([credit('a', 300n, expiresAt), credit('b', 50n)], midnight(10))).toBe(usable ? 350n : 50n);
});

describe('an amount is distributed over credits', () => {
  const rows: [what: string, credits: Credit[], amountMinor: bigint, used: bigint[]][] = [
    ['none at all', [], 100n, []],
    ['the first suffices', [credit('a', 100n), credit('b', 100n)], 60n, [60n, 0n]],
    ['the first suffices exactly', [credit('a', 100n), credit('b', 100n)], 100n, [100n, 0n]],
    ['the second pays the rest', [credit('a', 100n), credit('b', 100n)], 130n, [100n, 30n]],
    ['they do not suffice', [credit('a', 100n), credit('b', 100n)], 500n, [100n, 100n]],
    ['an expired one pays nothing', [credit('a', 100n, midnight(10)), credit('b', 100n)], 130n, [0n, 100n]],
    ['one that expires later pays', [credit('a', 100n, midnight(11)), credit('b', 100n)], 130n, [100n, 30n]],
  ];
  test.each(rows)('%s', (_, credits, amountMinor, used) => {
    const uses = distributeOverCredits(credits, amountMinor, midnight(10));
    expect(uses).toEqual(credits.map((each, index) => ({ credit: each, usedMinor: used[index] })));
    const left = credits.map((each, index) => ({
      ...each,
      remainingMinor: each.remainingMinor - used[index]!,
    }));
    expect(deductFromCredits(credits, amountMinor, midnight(10))).toEqual(left);
  });
});

it('never uses more than there is, nor more than is owed', () => {
  const anyCredit: fc.Arbitrary<CreditLeft> = fc.record({
    remainingMinor: fc.bigInt(0n, 1000n),
    expiresAt: fc.option(fc.integer({ min: 1, max: 20 }).map(midnight)),
  });
  fc.assert(
    fc.property(fc.array(anyCredit), fc.bigInt(0n, 3000n), (credits, amountMinor) => {
      const at = midnight(10);
      const before = sumUsable(credits, at);
      const after = sumUsable(deductFromCredits(orderCredits(credits), amountMinor, at), at);
      expect(before - after).toBe(before < amountMinor ? before : amountMinor);
    }),
  );
});
