/** The retry schedule of deliveries. Pure: callers pass the time and the random number. */
import { hourMs, minuteMs, secondMs } from '../../lib/durations.ts';

/** The delay after the first attempt, the second, and so on: three days in all. */
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
 * Returns the delay (ms) after failed attempt number `attempt` (starting at 1): 10 % more or less by `random` (0 to 1),
 * and at least the delay that the receiver asked for, up to a day. Returns undefined if there is no further retry.
 */
export function computeRetryDelay(attempt: number, random: number, requestedMs = 0): number | undefined {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const spread = Math.round(delayMs * (1 - jitter + 2 * jitter * random));
  return Math.max(spread, Math.min(requestedMs, longestRetryAfterMs));
}

/** Parses a Retry-After header, seconds or an HTTP date, into milliseconds from `nowMs`; 0 for any other value. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  const atMs = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
