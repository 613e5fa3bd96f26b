/** Spans of time over which money is summed: quarters of an hour, and the days of the tenant's time zone. */
import { Temporal } from 'temporal-polyfill';
import { toInstant } from '../../lib/time.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';

const quarterMs = 15 * minuteMs;

/** Returns the start of the quarter of an hour that contains an instant. */
export const findQuarter = (at: string): string =>
  toInstant(Math.floor(Date.parse(at) / quarterMs) * quarterMs);

/** Returns the start of the day in a time zone that contains an instant. */
export function findDay(at: string, timeZone: string): string {
  if (timeZone === 'UTC') return toInstant(Math.floor(Date.parse(at) / dayMs) * dayMs);
  const day = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone).startOfDay();
  return toInstant(day.epochMilliseconds);
}

/** Returns the start of the day after the one that begins at `start`. */
export const findNextDay = (start: string, timeZone: string): string => {
  const next = Temporal.Instant.from(start).toZonedDateTimeISO(timeZone).add({ days: 1 }).startOfDay();
  return toInstant(next.epochMilliseconds);
};
