/** Credits for the unused time of a line, as it was billed. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { computePlanChange } from '../../../src/billing/pricing/planChange.ts';
import { computeCredit, type PaidLine } from '../../../src/billing/pricing/proration.ts';
import { isLonger, type Interval } from '../../../src/billing/pricing/schedule.ts';

const midnight = (date: string) => `${date}T00:00:00.000Z`;
const dayMs = 86_400_000;
const monthly: Interval = { frequency: 'Monthly', period: 1 };

/** An upgrade on 16 June, half way through a cycle of thirty days, from 40.00 to 60.00. */
const upgrade = (paidLine?: PaidLine) =>
  computePlanChange({
    current: { amountMinor: 4000n, currency: 'usd', interval: monthly },
    next: { amountMinor: 6000n, currency: 'usd', interval: monthly },
    paid: { start: midnight('2026-06-01'), end: midnight('2026-07-01') },
    anchor: midnight('2026-06-01'),
    timeZone: 'UTC',
    at: midnight('2026-06-16'),
    billing: 'charge_now',
    items: [
      { paidLine, paidElsewhereMinor: paidLine ? undefined : 4000n, nextMinor: 6000n, isChanged: true },
    ],
  });

const billed = (priceMinor: bigint, givenBackMinor = 0n): PaidLine => ({
  id: 'line_1',
  amountMinor: priceMinor,
  givenBackMinor,
  explanation: { priceMinor: String(priceMinor), totalMs: 30 * dayMs },
});
const figures = { remainingMs: 15 * dayMs, totalMs: 30 * dayMs, rounding: 'half_up' };

describe('the credit of an upgrade', () => {
  const rows: [what: string, PaidLine | undefined, credit: object][] = [
    [
      'uses the current price without a line',
      undefined,
      { amountMinor: -2000n, explanation: { ...figures, priceMinor: '4000' } },
    ],
    [
      'uses the price of the line',
      billed(3001n),
      { amountMinor: -1501n, creditedLineId: 'line_1', explanation: { ...figures, priceMinor: '3001' } },
    ],
    [
      'leaves out what was given back',
      billed(3000n, 1000n),
      {
        amountMinor: -1000n,
        creditedLineId: 'line_1',
        explanation: { ...figures, priceMinor: '3000', paidMinor: '3000', givenBackMinor: '1000' },
      },
    ],
  ];
  test.each(rows)('%s', (_, paidLine, credit) => {
    const { lines, totalMinor } = upgrade(paidLine);
    const period = { periodStart: midnight('2026-06-16'), periodEnd: midnight('2026-07-01') };
    expect(lines[0]).toEqual({ kind: 'PRORATION_CREDIT', ...period, ...credit });
    expect(lines[1]).toMatchObject({ kind: 'PRORATION_CHARGE', amountMinor: 3000n, ...period });
    expect(totalMinor).toBe(3000n + lines[0]!.amountMinor);
  });

  test.each([
    ['half of the price', {}, 1500n],
    ['nothing if all was given back', { paidMinor: '3000', givenBackMinor: '3000' }, 0n],
    ['nothing if more was given back', { paidMinor: '3000', givenBackMinor: '3001' }, 0n],
    ['the share that remains', { paidMinor: '3000', givenBackMinor: '2000' }, 500n],
    ['the share of a stub', { paidMinor: '900', givenBackMinor: '300' }, 1000n],
    ['nothing for a free line', { priceMinor: '0', paidMinor: '0', givenBackMinor: '0' }, 0n],
  ])('is %s', (_, shares, credit) => {
    const explanation = { priceMinor: '3000', remainingMs: 15 * dayMs, totalMs: 30 * dayMs, ...shares };
    expect(computeCredit({ ...explanation, rounding: 'half_up' })).toBe(credit);
  });

  it('never exceeds what remains of the line, nor falls below zero', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
    const totalMs = fc.integer({ min: 1, max: 366 * dayMs });
    fc.assert(
      fc.property(
        amount,
        amount,
        totalMs,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (price, back, total, part) => {
          const line = { priceMinor: String(price), paidMinor: String(price), givenBackMinor: String(back) };
          const remainingMs = Math.floor(total * part);
          const credit = computeCredit({ ...line, remainingMs, totalMs: total, rounding: 'half_up' });
          expect(credit >= 0n).toBe(true);
          expect(credit <= (price > back ? price - back : 0n)).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [[1, 'Weekly'], [6, 'Daily'], true],
  [[1, 'Weekly'], [7, 'Daily'], false],
  [[2, 'Weekly'], [13, 'Daily'], true],
  [[2, 'Weekly'], [15, 'Daily'], false],
  [[31, 'Daily'], [1, 'Monthly'], true],
  [[30, 'Daily'], [1, 'Monthly'], false],
  [[5, 'Weekly'], [1, 'Monthly'], true],
  [[4, 'Weekly'], [1, 'Monthly'], false],
  [[1, 'Yearly'], [12, 'Monthly'], false],
  [[365, 'Daily'], [1, 'Yearly'], false],
  [[366, 'Daily'], [1, 'Yearly'], true],
] as const)('%j is longer than %j: %s', ([a, of], [b, than], expected) => {
  expect(isLonger({ period: a, frequency: of }, { period: b, frequency: than })).toBe(expected);
});
