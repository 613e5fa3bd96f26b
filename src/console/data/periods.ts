export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
/** The length of a day without a change of the clocks. */
export const dayMs = 24 * hourMs;

/** Returns an instant `days` before another, which changes once an hour: so that a query is repeated only then. */
export function findDaysBefore(now: number, days: number): string {
  // Periods contain their start but not their end: a full hour may be the end of the day that is meant.
  return new Date(now - (now % hourMs) + 1 - days * dayMs).toISOString();
}

/** Returns the date of an instant in a time zone: 2026-03-31. */
export function formatIsoDate(instant: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(instant);
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${read('year').padStart(4, '0')}-${read('month')}-${read('day')}`;
}

/**
 * Returns an instant of the last day of a period, of which the end is exclusive: the day before that of the end, so that
 * consecutive periods share no day. A period within a day has that day.
 */
export function findLastDay(start: string, end: string, timeZone: string): string {
  const endDay = Date.parse(`${formatIsoDate(Date.parse(end), timeZone)}T00:00:00Z`);
  const before = new Date(endDay - dayMs).toISOString().slice(0, 10);
  return before < formatIsoDate(Date.parse(start), timeZone) ? start : findNoon(before, timeZone)!;
}

/** Returns the noon of a date in a time zone: an instant that surely belongs to it. Undefined for what is no date. */
export function findNoon(date: string, timeZone: string): string | undefined {
  const noon = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T12:00:00Z`) : NaN;
  if (Number.isNaN(noon)) return undefined;
  const offset = Math.round((Date.parse(`${formatIsoDate(noon, timeZone)}T12:00:00Z`) - noon) / dayMs);
  return new Date(noon - offset * dayMs - findHours(noon, timeZone) * hourMs).toISOString();
}

/** The hours by which the clocks of a zone show more than noon at noon of UTC. */
function findHours(noon: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' });
  return Number(format.format(noon)) - 12;
}

/** Returns the same day so many months before, or the last of a shorter month. */
export function subtractMonths(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 - months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), Math.min(day, last)))
    .toISOString()
    .slice(0, 10);
}
