/**
 * When things are billed. A cycle is one interval of a subscription; cycle n starts at anchor + n × interval,
 * counted from the anchor and never from the previous date, so that 31 January comes back to 31 March.
 * Instants are UTC text with milliseconds (`2026-01-31T00:00:00.000Z`): they sort as
 * text, and both databases keep them unchanged. Nothing here reads a clock or the process's time zone.
 */
import { Temporal } from 'temporal-polyfill';
import { refuse } from '../lib/errors.ts';
import { formatInstant } from '../lib/time.ts';
import type { Frequency } from '../storage/model/common.ts';

/** `period` is how many of `frequency` lie between two charges: Monthly × 3 is every quarter. */
export interface Interval {
  frequency: Frequency;
  period: number;
}

/** Half-open: `start` belongs to it, `end` is the first instant after it. */
export interface Period {
  start: string;
  end: string;
}

export interface Cycle extends Period {
  n: number;
}

/** What a new subscription pays first; `fullStart` and `fullEnd` bound the whole cycle that it lies in. */
export interface FirstPeriod {
  anchor: string;
  cycle: number;
  periodStart: string;
  periodEnd: string;
  isStub: boolean;
  fullStart: string;
  fullEnd: string;
}

/** An exact amount of minor units a year; a fraction, because 365 ÷ 7 weeks is not a whole number. */
export interface YearlyAmount {
  numerator: bigint;
  denominator: bigint;
}

const DAY_MS = 86_400_000;
/** For each frequency its calendar step, the longest period, how many make a year (a fraction), its noun. */
const frequencies = {
  Daily: { unit: 'days', count: 1, maxPeriod: 1096, perYear: [365n, 1n], noun: 'day' },
  Weekly: { unit: 'days', count: 7, maxPeriod: 156, perYear: [365n, 7n], noun: 'week' },
  Monthly: { unit: 'months', count: 1, maxPeriod: 36, perYear: [12n, 1n], noun: 'month' },
  Yearly: { unit: 'months', count: 12, maxPeriod: 3, perYear: [1n, 1n], noun: 'year' },
} as const;

/**
 * Accepts a whole period of at least 1 that makes at most three years in all (1096 days, 156 weeks, 36
 * months, 3 years); refuses any other with `validation_failed` at `${path}.period`.
 */
export function checkInterval(interval: Interval, path: string): void {
  const { maxPeriod } = frequencies[interval.frequency];
  const { period } = interval;
  if (Number.isInteger(period) && period >= 1 && period <= maxPeriod) return;
  const message = `must be a whole number from 1 to ${maxPeriod} when frequency is ${interval.frequency}`;
  refuse('validation_failed', { path: `${path}.period`, message });
}

/** Whether two intervals are the same stretch of calendar: Yearly is Monthly × 12, Weekly is Daily × 7. */
export function isSameInterval(a: Interval, b: Interval): boolean {
  const [stepA, stepB] = [toStep(a), toStep(b)];
  return stepA.unit === stepB.unit && stepA.count === stepB.count;
}

/**
 * Returns the instant at which cycle `n` (any whole number) starts: anchor + n × interval on the wall clock
 * of the time zone, clamped to the month's last day. A wall-clock time that daylight
 * saving skips moves forward, one that it repeats is the first of the two (RFC 5545, 3.3.5), and the anchor
 * itself never moves. Refuses with `validation_failed` a schedule that leaves the years 1 to 9999.
 */
export function computeCycleStart(anchor: string, interval: Interval, timeZone: string, n: number): string {
  return formatScheduledInstant(cycleStartMs(Date.parse(anchor), interval, timeZone, n));
}

/**
 * Returns the cycle that contains the instant, which is never an empty one: where a zone skipped a whole day
 * (Samoa, 30 December 2011) a daily cycle ends as it starts. So to walk a schedule ask for the cycle at the
 * end of the last, not for the one numbered next. Refuses what `computeCycleStart` refuses.
 */
export function findCycle(anchor: string, interval: Interval, timeZone: string, instant: string): Cycle {
  const anchorMs = Date.parse(anchor);
  const instantMs = Date.parse(instant);
  const startMsAt = (n: number) => cycleStartMs(anchorMs, interval, timeZone, n);

  let n = estimateCycle(anchorMs, interval, instantMs);
  let startMs = startMsAt(n);
  while (startMs > instantMs) {
    n -= 1;
    startMs = startMsAt(n);
  }
  let endMs = startMsAt(n + 1);
  while (endMs <= instantMs) {
    n += 1;
    startMs = endMs;
    endMs = startMsAt(n + 1);
  }
  return {
    n,
    start: startMs === instantMs ? instant : formatScheduledInstant(startMs),
    end: formatScheduledInstant(endMs),
  };
}

/**
 * Returns what a subscription that starts at `start` pays first. Without an `executionDate` (an instant, or
 * null) the start is the anchor. With one, before or after the start, the first period is a stub up to the
 * schedule's next cycle, to be charged by time: its length ÷ that of the full cycle.
 * Refuses what `computeCycleStart` refuses.
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
 * Returns the amount (minor units) that a price comes to in a year of 365 days, 365/7 weeks or 12 months: the
 * measure by which a change of plan is an upgrade.
 */
export function computeYearlyAmount(amountMinor: bigint, interval: Interval): YearlyAmount {
  const [times, parts] = frequencies[interval.frequency].perYear;
  return { numerator: amountMinor * times, denominator: BigInt(interval.period) * parts };
}

/** Returns less than, equal to or more than 0 as `a` is less than, equal to or more than `b`; exact. */
export function compareYearly(a: YearlyAmount, b: YearlyAmount): number {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Whether interval `a` is longer than `b`, in the same years of 365 days, 365/7 weeks or 12 months, and exactly: 31 days
 * are longer than a month, 30 are not, and 365 days are as long as a year.
 */
export function isLonger(a: Interval, b: Interval): boolean {
  const listLength = ({ frequency, period }: Interval): YearlyAmount => {
    const [times, parts] = frequencies[frequency].perYear;
    return { numerator: BigInt(period) * parts, denominator: times };
  };
  return compareYearly(listLength(a), listLength(b)) > 0;
}

/** Returns the interval in words for people: `every month`, `every 3 months`. */
export function describeInterval(interval: Interval): string {
  const { noun } = frequencies[interval.frequency];
  return interval.period === 1 ? `every ${noun}` : `every ${interval.period} ${noun}s`;
}

/** An anchor too near the ends of the calendar is the only way for a schedule to leave it. */
function formatScheduledInstant(instantMs: number): string {
  return formatInstant(instantMs, 'executionDate');
}

/** How far the calendar moves in one cycle. */
function toStep(interval: Interval): { unit: 'days' | 'months'; count: number } {
  const { unit, count } = frequencies[interval.frequency];
  return { unit, count: count * interval.period };
}

function cycleStartMs(anchorMs: number, interval: Interval, timeZone: string, n: number): number {
  const { unit, count } = toStep(interval);
  // Most tenants count in UTC, where plain arithmetic gives Temporal's answer (a property test holds them
  // equal) at a tenth of its cost, and renewals ask for it thousands of times a second.
  if (timeZone === 'UTC') {
    return unit === 'days' ? anchorMs + n * count * DAY_MS : addMonthsUtc(anchorMs, n * count);
  }
  const anchor = Temporal.Instant.fromEpochMilliseconds(anchorMs).toZonedDateTimeISO(timeZone);
  return anchor.add({ [unit]: n * count }).epochMilliseconds;
}

function addMonthsUtc(instantMs: number, months: number): number {
  const date = new Date(instantMs);
  const dayOfMonth = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  // A month without that day let it run over into the next; day 0 of that is the last day of the one meant.
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0);
  return date.getTime();
}

/** Where the cycle is, give or take one: in UTC, without the zone's offsets and the clamping of months. */
function estimateCycle(anchorMs: number, interval: Interval, instantMs: number): number {
  const { unit, count } = toStep(interval);
  if (unit === 'days') return Math.floor((instantMs - anchorMs) / (count * DAY_MS));
  return Math.floor((countMonths(instantMs) - countMonths(anchorMs)) / count);
}

function countMonths(instantMs: number): number {
  const date = new Date(instantMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
