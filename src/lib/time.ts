/**
 * Instants are text: ISO 8601 in UTC with milliseconds (`2026-01-31T00:00:00.000Z`), so that text order is time order
 * and both databases store them unchanged. Nothing here reads a clock or the process's time zone.
 */
import { Temporal } from 'temporal-polyfill';
import { refuse } from './errors.ts';
import { dayMs } from './durations.ts';

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Stricter than Temporal, which also accepts spaces, brackets, an hour without minutes and a 60th second. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/;

/** Formats milliseconds since 1970 as an instant (`2026-01-31T00:00:00.000Z`). */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the instant that is `durationMs` after another. */
export function addMs(instant: string, durationMs: number): string {
  return toInstant(Date.parse(instant) + durationMs);
}

/** Returns the calendar day (`2026-01-31`) in UTC of a time in milliseconds since 1970. */
export const toDay = (ms: number): string => toInstant(ms).slice(0, 10);

/** Whether the text is a day of the calendar, such as 2026-01-31. */
export function isDay(text: string): boolean {
  const ms = DATE.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(ms) && toDay(ms) === text;
}

/** Returns the calendar day that is a number of days later. */
export const addDays = (day: string, days: number): string => toDay(Date.parse(day) + days * dayMs);

/** Returns the earlier of two instants; null is never. */
export const findEarlier = (one: string | null, other: string | null): string | null =>
  one !== null && other !== null && other < one ? other : (one ?? other);

/**
 * Parses an ISO 8601 date-time with an offset (digits beyond milliseconds are cut off), or a date, which means the
 * start of that day in the time zone; returns the instant. Error: `validation_failed`.
 */
export function parseInstant(text: string, timeZone: string, path: string): string {
  return formatInstant(parseBounds(text, timeZone, path).firstMs, path);
}

/**
 * Parses the inclusive end of a range: a date means the last millisecond of that day in the time zone, a date-time
 * means itself. Errors as for `parseInstant`.
 */
export function parseLastInstant(text: string, timeZone: string, path: string): string {
  return formatInstant(parseBounds(text, timeZone, path).lastMs, path);
}

/**
 * Parses the start and the exclusive end of a period, as `parseInstant` does; `path` is that of the end. Error: `validation_failed`,
 * also for an end that is not after the start.
 */
export function parsePeriod(
  period: { from: string; until: string },
  timeZone: string,
  path = 'until',
): { from: string; until: string } {
  const from = parseInstant(period.from, timeZone, 'from');
  const until = parseInstant(period.until, timeZone, path);
  if (until <= from) refuse('validation_failed', { path, message: 'must be after from' });
  return { from, until };
}

/**
 * Whether the text names a zone of the IANA database. An offset (`+02:00`) does not count, because it has no calendar.
 */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Temporal.ZonedDateTime(0n, text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the calendar day (`2026-01-31`) of an instant in a time zone. */
export function toLocalDate(instant: string, timeZone: string): string {
  // Most tenants use UTC, where the date is the beginning of the text.
  if (timeZone === 'UTC') return instant.slice(0, 10);
  return Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/**
 * Returns the first and the last day of a period in a time zone, of which the end is exclusive. The last day is the one
 * before the day of the end, whatever its time of day, so that consecutive periods share no day; a period within a day
 * has that day.
 */
export function toPeriodDays(start: string, end: string, timeZone: string): { from: string; to: string } {
  const from = toLocalDate(start, timeZone);
  const before = addDays(toLocalDate(end, timeZone), -1);
  return { from, to: before < from ? from : before };
}

/**
 * Parses a first and a last day (`2026-01-31`) in a time zone; returns the instants at which the first begins and the last
 * has ended. Error: `validation_failed`.
 */
export function parseDays(
  days: { from: string; to: string },
  timeZone: string,
  paths: { from: string; to: string },
): { start: string; end: string } {
  for (const bound of ['from', 'to'] as const)
    if (!DATE.test(days[bound]))
      refuse('validation_failed', { path: paths[bound], message: 'must be a date, such as 2026-01-31' });
  const { firstMs } = parseBounds(days.from, timeZone, paths.from);
  const { lastMs } = parseBounds(days.to, timeZone, paths.to);
  if (lastMs < firstMs)
    refuse('validation_failed', {
      path: paths.to,
      message: `must not be before ${days.from}`,
      code: 'before_start',
    });
  return { start: formatInstant(firstMs, paths.from), end: formatInstant(lastMs + 1, paths.to) };
}

/** Returns the first instant of the last day of a period in a time zone. */
export function findLastDay(start: string, end: string, timeZone: string): string {
  const { to } = toPeriodDays(start, end, timeZone);
  return toInstant(Temporal.PlainDate.from(to).toZonedDateTime(timeZone).epochMilliseconds);
}

/** Returns the first and the last millisecond that the text covers: the whole day for a date. */
function parseBounds(text: string, timeZone: string, path: string): { firstMs: number; lastMs: number } {
  try {
    if (DATE_TIME.test(text)) {
      const instantMs = Temporal.Instant.from(text).epochMilliseconds;
      return { firstMs: instantMs, lastMs: instantMs };
    }
    if (DATE.test(text)) {
      const day = Temporal.PlainDate.from(text);
      const nextDayMs = day.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
      // 9999-12-31 is commonly used for "without end"; west of Greenwich that day ends in the year 10000.
      const lastMs = Math.min(nextDayMs - 1, LAST_INSTANT_MS);
      return { firstMs: day.toZonedDateTime(timeZone).epochMilliseconds, lastMs };
    }
  } catch {
    // Well-formed, but not in the calendar: 30 February.
  }
  const message = 'must be an ISO 8601 date (2026-01-31) or date-time with offset (2026-01-31T00:00:00.000Z)';
  return refuse('validation_failed', { path, message });
}

/**
 * Formats an instant as text. Error: `validation_failed` outside the years 1 to 9999, because its text would have
 * another length and no longer sort by time.
 */
export function formatInstant(instantMs: number, path: string): string {
  if (instantMs >= FIRST_INSTANT_MS && instantMs <= LAST_INSTANT_MS) return new Date(instantMs).toISOString();
  return refuse('validation_failed', { path, message: 'must be in the years 1 to 9999' });
}
