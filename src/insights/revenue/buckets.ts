/** Calendar periods by which figures are grouped, in a time zone. */
import { Temporal } from 'temporal-polyfill';
import { refuse } from '../../lib/errors.ts';
import { formatInstant, isTimeZone, parsePeriod } from '../../lib/time.ts';

export const intervals = ['day', 'week', 'month', 'quarter', 'year'] as const;

export type RevenueInterval = (typeof intervals)[number];

const steps: Record<RevenueInterval, Temporal.DurationLike> = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
};

/** 10 years of weeks, or 18 months of days. */
const mostBuckets = 550;

/** Figures of a range are grouped by calendar periods of a time zone. */
export interface BucketRange {
  from: string;
  until: string;
  by: RevenueInterval;
  timeZone: string;
}

/** A question with its defaults, and the bounds of its periods. */
export interface Range {
  currency: string;
  timeZone: string;
  asOf: string;
  bounds: string[];
}

/**
 * Returns the bounds of the periods that contain `from` (inclusive) to `until` (exclusive), both ISO 8601 dates or
 * instants: each period begins at one bound and ends before the next. Weeks begin on Monday. Error: `validation_failed`, at
 * `path` for the end.
 */
export function listBounds({ from, until, by, timeZone }: BucketRange, path = 'until'): string[] {
  const { from: begin, until: end } = parsePeriod({ from, until }, timeZone, path);
  const first = findStart(begin, by, timeZone);
  const bounds: string[] = [];
  for (let nth = 0; ; nth += 1) {
    const day = first.add(multiply(steps[by], nth));
    const bound = formatInstant(day.toZonedDateTime(timeZone).epochMilliseconds, path);
    bounds.push(bound);
    if (bound >= end && nth > 0) return bounds;
    if (nth > mostBuckets)
      refuse('validation_failed', {
        path,
        message: `must be at most ${mostBuckets} ${by}s after from`,
      });
  }
}

const multiply = (step: Temporal.DurationLike, times: number): Temporal.DurationLike =>
  Object.fromEntries(Object.entries(step).map(([unit, count]) => [unit, (count as number) * times]));

function findStart(at: string, by: RevenueInterval, timeZone: string): Temporal.PlainDate {
  const day = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone).toPlainDate();
  if (by === 'day') return day;
  if (by === 'week') return day.subtract({ days: day.dayOfWeek - 1 });
  if (by === 'month') return day.with({ day: 1 });
  if (by === 'quarter') return day.with({ month: day.month - ((day.month - 1) % 3), day: 1 });
  return day.with({ month: 1, day: 1 });
}

/** Returns the condition for instants before `end` and up to `asOf`: one bound, because an index is searched for one. */
export const matchUntil = (end: string, asOf: string): { before: string } | { to: string } =>
  asOf < end ? { to: asOf } : { before: end };

/** Returns the name of a time zone of the IANA database. Error: `validation_failed`. */
export function parseTimeZone(text: string, path: string): string {
  if (isTimeZone(text)) return text;
  return refuse('validation_failed', { path, message: 'must be an IANA time zone, such as Europe/Berlin' });
}
