import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BillingError } from '../../../src/lib/errors.ts';
import {
  computePlanChange,
  takesEffectAtOnce,
  type Plan,
  type PlanChange,
} from '../../../src/billing/pricing/planChange.ts';
import { prorate } from '../../../src/billing/pricing/proration.ts';
import { findCycle, computeFirstPeriod } from '../../../src/billing/pricing/schedule.ts';
import type { Interval } from '../../../src/billing/pricing/schedule.ts';

const monthly: Interval = { frequency: 'Monthly', period: 1 };
const yearly: Interval = { frequency: 'Yearly', period: 1 };
const weekly: Interval = { frequency: 'Weekly', period: 1 };

const midnight = (date: string) => `${date}T00:00:00.000Z`;
const plan = (amountMinor: bigint, interval = monthly, currency = 'usd'): Plan => ({
  amountMinor,
  currency,
  interval,
});
const june = { start: midnight('2026-06-01'), end: midnight('2026-07-01') };

/** A change on 16 June, half way through a cycle of thirty days, unless told otherwise. */
function buildChange(current: Plan, next: Plan, others: Partial<PlanChange> = {}): PlanChange {
  const defaults = { paid: june, anchor: june.start, timeZone: 'UTC', at: midnight('2026-06-16') };
  const item = { paidElsewhereMinor: current.amountMinor, nextMinor: next.amountMinor, isChanged: true };
  const billing = takesEffectAtOnce(current, next) ? 'charge_now' : 'period_end';
  return { current, next, items: [item], billing, ...defaults, ...others };
}

/** `PRORATION_CREDIT -5000 2026-06-16/2026-07-01`. */
function formatLines(change: PlanChange): string[] {
  return computePlanChange(change).lines.map(
    ({ kind, amountMinor, periodStart, periodEnd }) =>
      `${kind} ${amountMinor} ${periodStart.slice(0, 10)}/${periodEnd.slice(0, 10)}`,
  );
}

describe('prorate', () => {
  test.each([
    [10000n, '2026-06-16', '2026-07-01', 5000n],
    [500n, '2026-06-02', '2026-07-01', 483n],
    [2000n, '2026-06-02', '2026-07-01', 1933n],
    [1n, '2026-06-16', '2026-07-01', 1n],
    [1n, '2026-06-17', '2026-07-01', 0n],
    [999n, '2026-06-01', '2026-07-01', 999n],
    [999n, '2026-06-10', '2026-06-10', 0n],
    [10n ** 18n, '2026-06-01', '2026-06-11', 333333333333333333n],
  ])('%d for June, from %s to %s: %d', (priceMinor, start, end, amountMinor) => {
    const part = { start: midnight(start), end: midnight(end) };
    expect(prorate(priceMinor, part, june).amountMinor).toBe(amountMinor);
  });

  it('charges a stub by time: 21 of the 31 days before an anchor on 31 January', () => {
    const first = computeFirstPeriod(midnight('2026-01-10'), midnight('2026-01-31'), monthly, 'UTC');
    const stub = { start: first.periodStart, end: first.periodEnd };
    expect(prorate(3100n, stub, { start: first.fullStart, end: first.fullEnd }).amountMinor).toBe(2100n);
  });

  it('explains the amount by its figures', () => {
    expect(prorate(500n, { start: midnight('2026-06-02'), end: june.end }, june).explanation).toEqual({
      priceMinor: '500',
      remainingMs: 29 * 86_400_000,
      totalMs: 30 * 86_400_000,
      rounding: 'half_up',
    });
  });

  test.each([
    ['2026-05-31', '2026-06-10'],
    ['2026-06-10', '2026-07-02'],
    ['2026-06-11', '2026-06-10'],
    ['nonsense', '2026-06-10'],
  ])('throws for %s to %s, which does not lie within June', (start, end) =>
    expect(() => prorate(1n, { start: midnight(start), end: midnight(end) }, june)).toThrow(RangeError),
  );

  test('a cycle without length has no parts', () => {
    const empty = { start: june.start, end: june.start };
    expect(() => prorate(1n, empty, empty)).toThrow(RangeError);
  });
});

describe('an upgrade with prorateUpgrades', () => {
  it('credits the unused half and charges it at the new price: 100 → 300 on 16 June', () => {
    const change = buildChange(plan(10000n), plan(30000n));
    expect(formatLines(change)).toEqual([
      'PRORATION_CREDIT -5000 2026-06-16/2026-07-01',
      'PRORATION_CHARGE 15000 2026-06-16/2026-07-01',
    ]);
    expect(computePlanChange(change)).toMatchObject({
      kind: 'upgrade',
      effectiveAt: midnight('2026-06-16'),
      totalMinor: 10000n,
      anchor: june.start,
      nextBillingDate: june.end,
    });
  });

  it('rounds each line before the sum: 5 → 20 with one of thirty days used', () => {
    const change = buildChange(plan(500n), plan(2000n), { at: midnight('2026-06-02') });
    expect(formatLines(change)).toEqual([
      'PRORATION_CREDIT -483 2026-06-02/2026-07-01',
      'PRORATION_CHARGE 1933 2026-06-02/2026-07-01',
    ]);
    expect(computePlanChange(change).totalMinor).toBe(1450n);
  });

  it('explains both lines by the same time and their own price', () => {
    const { lines } = computePlanChange(buildChange(plan(10000n), plan(30000n)));
    const time = { remainingMs: 15 * 86_400_000, totalMs: 30 * 86_400_000, rounding: 'half_up' };
    expect(lines.map(({ explanation }) => explanation)).toEqual([
      { priceMinor: '10000', ...time },
      { priceMinor: '30000', ...time },
    ]);
  });

  it('charges the full new price and moves the anchor if the interval differs', () => {
    const change = buildChange(plan(10000n), plan(120000n, yearly));
    expect(formatLines(change)).toEqual([
      'PRORATION_CREDIT -5000 2026-06-16/2026-07-01',
      'CYCLE 120000 2026-06-16/2027-06-16',
    ]);
    expect(computePlanChange(change)).toMatchObject({
      totalMinor: 115000n,
      anchor: midnight('2026-06-16'),
      nextBillingDate: midnight('2027-06-16'),
    });
  });

  it('leaves a credit if the unused part is worth more than the new cycle', () => {
    const paid = { start: midnight('2026-01-01'), end: midnight('2027-01-01') };
    const change = buildChange(plan(36500n, yearly), plan(5000n), {
      paid,
      anchor: paid.start,
      at: midnight('2026-01-02'),
    });
    expect(computePlanChange(change)).toMatchObject({ kind: 'upgrade', totalMinor: -36400n + 5000n });
  });

  it('treats Monthly × 12 and Yearly × 1 as the same interval', () => {
    const paid = { start: midnight('2026-01-01'), end: midnight('2027-01-01') };
    const next = plan(73000n, { frequency: 'Monthly', period: 12 });
    const change = buildChange(plan(36500n, yearly), next, {
      paid,
      anchor: paid.start,
      at: midnight('2026-12-31'),
    });
    expect(formatLines(change)).toEqual([
      'PRORATION_CREDIT -100 2026-12-31/2027-01-01',
      'PRORATION_CHARGE 200 2026-12-31/2027-01-01',
    ]);
  });

  it('credits the rest of a stub at the rate of the whole cycle that it was charged at', () => {
    const paid = { start: midnight('2026-06-11'), end: june.end };
    expect(formatLines(buildChange(plan(3000n), plan(6000n), { paid }))).toEqual([
      'PRORATION_CREDIT -1500 2026-06-16/2026-07-01',
      'PRORATION_CHARGE 3000 2026-06-16/2026-07-01',
    ]);
  });

  it('keeps an anchor on the 31st through a change in February', () => {
    const paid = { start: midnight('2026-02-28'), end: midnight('2026-03-31') };
    const change = buildChange(plan(3100n), plan(6200n), {
      paid,
      anchor: midnight('2026-01-31'),
      at: midnight('2026-03-01'),
    });
    expect(formatLines(change)).toEqual([
      'PRORATION_CREDIT -3000 2026-03-01/2026-03-31',
      'PRORATION_CHARGE 6000 2026-03-01/2026-03-31',
    ]);
    expect(computePlanChange(change)).toMatchObject({
      anchor: midnight('2026-01-31'),
      nextBillingDate: paid.end,
    });
  });
});

describe('an upgrade without prorateUpgrades', () => {
  test.each([
    [monthly, '2026-07-16'],
    [yearly, '2027-06-16'],
  ])('charges the full new price and restarts the cycle: %o', (interval, nextDate) => {
    const change = buildChange(plan(10000n), plan(360000n, interval), { billing: 'restart' });
    expect(formatLines(change)).toEqual([`CYCLE 360000 2026-06-16/${nextDate}`]);
    expect(computePlanChange(change)).toMatchObject({
      kind: 'upgrade',
      effectiveAt: midnight('2026-06-16'),
      totalMinor: 360000n,
      anchor: midnight('2026-06-16'),
      nextBillingDate: midnight(nextDate),
    });
  });
});

describe('a downgrade', () => {
  test.each([
    ['same interval', plan(9999n), june.start],
    ['same interval and amount', plan(10000n), june.start],
    ['shorter interval', plan(2300n, weekly), june.end],
    ['30 days, which are shorter than a month', plan(9863n, { frequency: 'Daily', period: 30 }), june.end],
  ])('waits for the end of the cycle, without lines: %s', (_, next, anchor) => {
    expect(computePlanChange(buildChange(plan(10000n), next))).toEqual({
      kind: 'downgrade',
      effectiveAt: june.end,
      lines: [],
      totalMinor: 0n,
      ended: [],
      anchor,
      nextBillingDate: june.end,
    });
  });

  test.each([
    ['the least more a year', plan(10001n), 'upgrade'],
    ['the least more a year, each 30 days', plan(9864n, { frequency: 'Daily', period: 30 }), 'upgrade'],
    ['a year for the same', plan(120000n, yearly), 'upgrade'],
    ['a year for much less', plan(1n, yearly), 'upgrade'],
    ['31 days for less', plan(1n, { frequency: 'Daily', period: 31 }), 'upgrade'],
    ['12 months for less', plan(1n, { frequency: 'Monthly', period: 12 }), 'upgrade'],
  ])('is not one if the yearly amount rises or the interval is longer: %s', (_, next, kind) => {
    expect(computePlanChange(buildChange(plan(10000n), next)).kind).toBe(kind);
  });

  test('intervals of equal length are equal in any unit', () => {
    const year = buildChange(plan(120000n, yearly), plan(120000n, { frequency: 'Monthly', period: 12 }));
    expect(computePlanChange(year).kind).toBe('downgrade');
    const days = buildChange(plan(120000n, yearly), plan(120000n, { frequency: 'Daily', period: 365 }));
    expect(computePlanChange(days).kind).toBe('downgrade');
  });
});

describe('a change of plan is refused', () => {
  test('to another currency', () => {
    const change = buildChange(plan(100n), plan(200n, monthly, 'afn'));
    expect(() => computePlanChange(change)).toThrow(BillingError);
    expect(() => computePlanChange(change)).toThrow('The currencies differ.');
  });

  test.each(['2026-05-31', '2026-07-01'])('on %s, outside the paid period', (date) =>
    expect(() => computePlanChange(buildChange(plan(1n), plan(2n), { at: midnight(date) }))).toThrow(
      RangeError,
    ),
  );
});

describe('for every cycle, price and instant', () => {
  const anyAmount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const anyZone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kabul');
  const anyInterval = fc.constantFrom<Interval>(monthly, yearly, weekly, { frequency: 'Daily', period: 30 });
  const instantIn = (fraction: number, { start, end }: { start: string; end: string }) => {
    const lengthMs = Date.parse(end) - Date.parse(start);
    return new Date(Date.parse(start) + Math.floor(lengthMs * fraction)).toISOString();
  };
  const anyFraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const anyCycle = fc
    .tuple(fc.integer({ min: 0, max: 4e12 }), anyInterval, anyZone)
    .map(([anchorMs, interval, timeZone]) => {
      const anchor = new Date(anchorMs).toISOString();
      return { anchor, interval, timeZone, cycle: findCycle(anchor, interval, timeZone, anchor) };
    });

  it('cutting a cycle at any instants loses or gains at most one minor unit per line', () => {
    fc.assert(
      fc.property(
        anyCycle,
        anyAmount,
        fc.array(anyFraction, { maxLength: 6 }),
        ({ cycle }, price, fractions) => {
          const cuts = fractions.map((fraction) => instantIn(fraction, cycle)).toSorted();
          const starts = [cycle.start, ...cuts];
          const parts = starts.map((start, index) => ({ start, end: cuts[index] ?? cycle.end }));
          const sum = parts.reduce((total, part) => total + prorate(price, part, cycle).amountMinor, 0n);
          const error = sum > price ? sum - price : price - sum;
          expect(error <= BigInt(parts.length)).toBe(true);
          if (parts.length === 1) expect(sum).toBe(price);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a credit is at most the charge of the same span at a higher price, and at most the payment', () => {
    fc.assert(
      fc.property(anyCycle, anyAmount, anyAmount, anyFraction, (schedule, priceA, priceB, fraction) => {
        const { anchor, interval, timeZone, cycle } = schedule;
        fc.pre(priceA !== priceB);
        const [cheaper, dearer] = priceA < priceB ? [priceA, priceB] : [priceB, priceA];
        const times = {
          anchor,
          timeZone,
          paid: cycle,
          at: instantIn(fraction, cycle),
        };
        const result = computePlanChange(buildChange(plan(cheaper, interval), plan(dearer, interval), times));
        const [credit, charge] = result.lines.map(({ amountMinor }) => amountMinor);
        expect(credit! <= 0n && -credit! <= charge! && -credit! <= cheaper && charge! <= dearer).toBe(true);
        expect(result).toMatchObject({ totalMinor: credit! + charge!, anchor, nextBillingDate: cycle.end });
      }),
      { numRuns: 500 },
    );
  });
});
