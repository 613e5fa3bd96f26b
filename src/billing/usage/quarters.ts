/** The quarters of an hour in which usage is counted. They begin in UTC, and so do hours and days of every time zone in one. */
import { dayMs, minuteMs } from '../../lib/durations.ts';
import { toDay, toInstant } from '../../lib/time.ts';

export const quarterMs = 15 * minuteMs;

/** The text of an instant at which a quarter begins. Most ends of periods are, and parsing an instant takes 0.5 µs. */
const quarterForm = /:(?:00|15|30|45):00\.000Z$/;

/** Returns the beginning of the quarter of an hour that has an instant. */
export const floorToQuarter = (instant: string): string =>
  quarterForm.test(instant) ? instant : toInstant(Math.floor(Date.parse(instant) / quarterMs) * quarterMs);

/** Returns the first beginning of a quarter of an hour at or after an instant. */
export const ceilToQuarter = (instant: string): string =>
  quarterForm.test(instant) ? instant : toInstant(Math.ceil(Date.parse(instant) / quarterMs) * quarterMs);

/** For how long the id of an event is unique from its receipt, and how late an event may be. */
export const usageSpanMs = 35 * dayMs;

/** How far an event may be ahead of its receipt. */
export const usageAheadMs = 5 * minuteMs;

/** Returns the first days of the span of 35 days that has an instant, and of the one before it. */
export function listIdSpans(instant: string): [current: string, before: string] {
  const first = Math.floor(Date.parse(instant) / usageSpanMs) * usageSpanMs;
  return [toDay(first), toDay(first - usageSpanMs)];
}
