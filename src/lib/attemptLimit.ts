/** Counts attempts in windows of time, in memory. */
import { BillingError } from './errors.ts';

/**
 * Limits attempts by name, such as an IP address, to `most` in each `seconds`. The returned function counts one attempt.
 * Error: `rate_limited`.
 */
export function createAttemptLimit(
  most: number,
  seconds: number,
  nowMs = () => performance.now(),
): (name: string) => void {
  const countAttempt = countInWindows(seconds, nowMs);
  return (name) => {
    const { count, secondsLeft } = countAttempt(name);
    if (count > most) throw createRateLimitError(secondsLeft);
  };
}

interface Window {
  count: number;
  endsMs: number;
}

/**
 * Returns a function that counts events by name in fixed windows, which start with the first event. Rate-limit
 * packages return promises, which would add a tenth to the time of a small request.
 */
export function countInWindows(seconds: number, nowMs: () => number) {
  const windows = new Map<string, Window>();

  const begin = (name: string, atMs: number): Window => {
    // All windows have the same length, so the map's insertion order is the order of expiry.
    for (const [other, { endsMs }] of windows) {
      if (endsMs > atMs) break;
      windows.delete(other);
    }
    const window = { count: 0, endsMs: atMs + seconds * 1000 };
    windows.set(name, window);
    return window;
  };

  return (name: string) => {
    // Whole milliseconds: adding and subtracting fractions could make a window longer than its length.
    const atMs = Math.floor(nowMs());
    const known = windows.get(name);
    const window = known && known.endsMs > atMs ? known : begin(name, atMs);
    window.count += 1;
    return { count: window.count, secondsLeft: Math.ceil((window.endsMs - atMs) / 1000) };
  };
}

/** The error of a request beyond its limit. */
export const createRateLimitError = (retryAfterSeconds: number) =>
  new BillingError('rate_limited', [], retryAfterSeconds);
