/**
 * The billing schedule. A cycle is one interval of a subscription. Cycle n starts at anchor + n × interval, counted
 * from the anchor and not from the previous date, so that a schedule anchored at 31 January bills on 31 March. Instants
 * are UTC text with milliseconds (`2026-01-31T00:00:00.000Z`), which sorts chronologically and is stored unchanged by
 * both databases. Nothing here reads a clock or the process's time zone.
 */
import { Temporal } from 'temporal-polyfill';
import { refuse } from '../../lib/errors.ts';
import { formatInstant } from '../../lib/time.ts';
import type { Frequency } from '../../storage/model/common.ts';
import { dayMs } from '../../lib/durations.ts';

/** `period` is the number of units of `frequency` between two charges: Monthly × 3 is quarterly. */
export interface Interval {
  frequency: Frequency;
  period: number;
}

/** A half-open interval: `start` is included, `end` is excluded. */
export interface Period {
  start: string;
  end: string;
}

export interface Cycle extends Period {
  n: number;
}

/** The first period of a subscription; `fullStart` and `fullEnd` are the bounds of the whole cycle that contains it. */
export interface FirstPeriod {
  anchor: string;
  cycle: number;
  periodStart: string;
  periodEnd: string;
  isStub: boolean;
  fullStart: string;
  fullEnd: string;
}

/** An exact amount per year in minor units; a fraction, because 365 ÷ 7 weeks is not a whole number. */
export interface YearlyAmount {
  numerator: bigint;
  denominator: bigint;
}

/**
 * For each frequency: its calendar unit and step, the longest period, the number per year (a fraction), and its noun.
 */
const frequencies = {
  Daily: { unit: 'days', count: 1, maxPeriod: 1096, perYear: [365n, 1n], noun: 'day' },
  Weekly: { unit: 'days', count: 7, maxPeriod: 156, perYear: [365n, 7n], noun: 'week' },
  Monthly: { unit: 'months', count: 1, maxPeriod: 36, perYear: [12n, 1n], noun: 'month' },
  Yearly: { unit: 'months', count: 12, maxPeriod: 3, perYear: [1n, 1n], noun: 'year' },
} as const;

/**
 * Checks that a period is a whole number of at least 1 and at most three years long (1096 days, 156 weeks, 36 months, 3
 * years). Error: `validation_failed` at `${path}.period`.
 */
export function checkInterval(interval: Interval, path: string): void {
  const { maxPeriod } = frequencies[interval.frequency];
  const { period } = interval;
  if (Number.isInteger(period) && period >= 1 && period <= maxPeriod) return;
  const message = `must be a whole number from 1 to ${maxPeriod} when frequency is ${interval.frequency}`;
  refuse('validation_failed', { path: `${path}.period`, message });
}

/** Whether two intervals have the same length in the calendar: Yearly equals Monthly × 12, Weekly equals Daily × 7. */
export function isSameInterval(a: Interval, b: Interval): boolean {
  const [stepA, stepB] = [toStep(a), toStep(b)];
  return stepA.unit === stepB.unit && stepA.count === stepB.count;
}

/**
 * Returns the instant at which cycle `n` (any integer) starts: anchor + n × interval in local time, clamped to the last
 * day of the month. A local time skipped by daylight saving moves forward; of a repeated one the first counts (RFC
 * 5545, 3.3.5). The anchor itself never moves. Error: `validation_failed` for a date outside the years 1 to 9999.
 */
export function computeCycleStart(anchor: string, interval: Interval, timeZone: string, n: number): string {
  return formatScheduledInstant(computeCycleStartMs(Date.parse(anchor), interval, timeZone, n));
}

/**
 * Returns the cycle that contains the instant. It is never empty, although a daily cycle is where a zone skipped a
 * whole day (Samoa, 30 December 2011). To walk a schedule, find the cycle at the end of the last one, not the one with
 * the next number. Errors as in `computeCycleStart`.
 */
export function findCycle(anchor: string, interval: Interval, timeZone: string, instant: string): Cycle {
  const anchorMs = Date.parse(anchor);
  const instantMs = Date.parse(instant);
  const computeStartMs = (n: number) => computeCycleStartMs(anchorMs, interval, timeZone, n);

  let n = estimateCycle(anchorMs, interval, instantMs);
  let startMs = computeStartMs(n);
  while (startMs > instantMs) {
    n -= 1;
    startMs = computeStartMs(n);
  }
  let endMs = computeStartMs(n + 1);
  while (endMs <= instantMs) {
    n += 1;
    startMs = endMs;
    endMs = computeStartMs(n + 1);
  }
  return {
    n,
    start: startMs === instantMs ? instant : formatScheduledInstant(startMs),
    end: formatScheduledInstant(endMs),
  };
}

/**
 * Returns the first period of a subscription that starts at `start`. Without an `executionDate` (an instant or null),
 * `start` is the anchor. With one, before or after the start, the first period is a stub until the next cycle start,
 * charged by time: its length ÷ the length of the full cycle. Errors as in `computeCycleStart`.
 */
export function computeFirstPeriod(
  start: string,
  executionDate: string | null,
  interval: Interval,
  timeZone: string,
): FirstPeriod {
  const anchor = executionDate ?? start;
  const cycle = findCycle(anchor, interval, timeZone, start);
  return {
    anchor,
    cycle: cycle.n,
    periodStart: start,
    periodEnd: cycle.end,
    isStub: cycle.start !== start,
    fullStart: cycle.start,
    fullEnd: cycle.end,
  };
}

/**
 * Returns the price per year (minor units), with 365 days, 365/7 weeks or 12 months per year. Plan changes compare
 * prices by it.
 */
export function computeYearlyAmount(amountMinor: bigint, interval: Interval): YearlyAmount {
  const [times, parts] = frequencies[interval.frequency].perYear;
  return { numerator: amountMinor * times, denominator: BigInt(interval.period) * parts };
}

/** Compares two amounts exactly. Returns a negative number, 0 or a positive number. */
export function compareYearly(a: YearlyAmount, b: YearlyAmount): number {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Whether interval `a` is longer than `b`, compared exactly with years of 365 days, 365/7 weeks or 12 months: 31 days
 * are longer than a month, 30 are not, and 365 days equal a year.
 */
export function isLonger(a: Interval, b: Interval): boolean {
  const computeLength = ({ frequency, period }: Interval): YearlyAmount => {
    const [times, parts] = frequencies[frequency].perYear;
    return { numerator: BigInt(period) * parts, denominator: times };
  };
  return compareYearly(computeLength(a), computeLength(b)) > 0;
}

/** Describes an interval for people: `every month`, `every 3 months`. */
export function describeInterval(interval: Interval): string {
  const { noun } = frequencies[interval.frequency];
  return interval.period === 1 ? `every ${noun}` : `every ${interval.period} ${noun}s`;
}

/** Names `executionDate` in the error: only an anchor near the ends of the calendar moves a schedule outside it. */
function formatScheduledInstant(instantMs: number): string {
  return formatInstant(instantMs, 'executionDate');
}

/** Returns the calendar distance of one cycle. */
function toStep(interval: Interval): { unit: 'days' | 'months'; count: number } {
  const { unit, count } = frequencies[interval.frequency];
  return { unit, count: count * interval.period };
}

function computeCycleStartMs(anchorMs: number, interval: Interval, timeZone: string, n: number): number {
  const { unit, count } = toStep(interval);
  // Most tenants use UTC, where plain arithmetic gives the same result as Temporal (a property test checks it) at a
  // tenth of the cost. Renewals call this thousands of times per second.
  if (timeZone === 'UTC') {
    return unit === 'days' ? anchorMs + n * count * dayMs : addMonthsUtc(anchorMs, n * count);
  }
  const anchor = Temporal.Instant.fromEpochMilliseconds(anchorMs).toZonedDateTimeISO(timeZone);
  return anchor.add({ [unit]: n * count }).epochMilliseconds;
}

function addMonthsUtc(instantMs: number, months: number): number {
  const date = new Date(instantMs);
  const dayOfMonth = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  // The month lacks that day, so the date overflowed into the next month; day 0 is the last day of the intended month.
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0);
  return date.getTime();
}

/**
 * Estimates the number of the cycle, off by at most one: in UTC, ignoring the zone's offsets and the clamping of
 * months.
 */
function estimateCycle(anchorMs: number, interval: Interval, instantMs: number): number {
  const { unit, count } = toStep(interval);
  if (unit === 'days') return Math.floor((instantMs - anchorMs) / (count * dayMs));
  return Math.floor((countMonths(instantMs) - countMonths(anchorMs)) / count);
}

function countMonths(instantMs: number): number {
  const date = new Date(instantMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
