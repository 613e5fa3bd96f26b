import { Temporal } from 'temporal-polyfill';
import { toInstant } from './time.ts';

interface Month {
  start: string;
  /** Exclusive. */
  end: string;
}

/** Returns the calendar month in a time zone that has an instant. */
export const findCalendarMonth = rememberLast((timeZone, now) => {
  const first = Temporal.Instant.from(now).toZonedDateTimeISO(timeZone).with({ day: 1 }).startOfDay();
  const next = first.add({ months: 1 }).startOfDay();
  return { start: toInstant(first.epochMilliseconds), end: toInstant(next.epochMilliseconds) };
});

/**
 * Wraps a function to keep the last month of each time zone, of which there are a few hundred. Each check of a limit needs the
 * current one; to compute it took a tenth of a check.
 */
function rememberLast(compute: (timeZone: string, now: string) => Month) {
  const months = new Map<string, Month>();
  return (timeZone: string, now: string): Month => {
    const last = months.get(timeZone);
    if (last && last.start <= now && now < last.end) return last;
    const month = compute(timeZone, now);
    months.set(timeZone, month);
    return month;
  };
}
