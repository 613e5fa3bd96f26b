/** When a delivery that failed is tried again. Pure: the clock and chance are the caller's. */

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** After the first try, the second, and so on: three days in all. */
const delaysMs = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  18 * hourMs,
  22 * hourMs,
];
const jitter = 0.1;
const longestRetryAfterMs = 24 * hourMs;

/**
 * How long to wait after a try that failed (the first is 1), a tenth more or less by `random` (0 to 1), and no less
 * than the endpoint asks for; undefined where it is given up.
 */
export function delayAfter(attempt: number, random: number, askedMs = 0): number | undefined {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const spread = Math.round(delayMs * (1 - jitter + 2 * jitter * random));
  return Math.max(spread, Math.min(askedMs, longestRetryAfterMs));
}

/** What a Retry-After header asks for, in milliseconds from `nowMs`: seconds or an HTTP date; 0 for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  const atMs = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
