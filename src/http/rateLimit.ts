import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError } from '../lib/errors.ts';

/** Limits requests by API key, and failed authentications by IP address. */
export interface RateLimits {
  /** Counts one request of a key and sets the rate-limit headers of the reply, if given. Error: `rate_limited`. */
  spend(keyId: string, reply?: FastifyReply): void;
  /**
   * Counts failed authentications of an IP address. Beyond the limit a failure becomes `rate_limited`; a valid key
   * always passes.
   */
  countFailures<T>(address: string, authentication: MaybePromise<T>): MaybePromise<T>;
}

const windowSeconds = 10;
const failuresPerMinute = 20;

/** Creates rate limits that are kept in memory. A key may send ten seconds' worth of requests in each ten seconds. */
export function createRateLimits(requestsPerSecond: number, nowMs = () => performance.now()): RateLimits {
  const points = requestsPerSecond * windowSeconds;
  const countRequest = countInWindows(windowSeconds, nowMs);
  const countFailure = countInWindows(60, nowMs);
  const limitHeader = String(points);

  return {
    spend: (keyId, reply) => {
      const { count, secondsLeft } = countRequest(keyId);
      const left = String(Math.max(points - count, 0));
      const reset = String(secondsLeft);
      if (reply) {
        reply.limits = [
          'ratelimit-limit',
          limitHeader,
          'ratelimit-remaining',
          left,
          'ratelimit-reset',
          reset,
        ];
      }
      if (count > points) throw createRateLimitError(secondsLeft);
    },
    countFailures: (address, authentication) => {
      if (!(authentication instanceof Promise)) return authentication;
      return authentication.catch((error: unknown) => {
        if (!(error instanceof BillingError) || error.reason !== 'api_key_invalid') throw error;
        const { count, secondsLeft } = countFailure(address);
        throw count > failuresPerMinute ? createRateLimitError(secondsLeft) : error;
      });
    },
  };
}

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
function countInWindows(seconds: number, nowMs: () => number) {
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

const createRateLimitError = (retryAfterSeconds: number) =>
  new BillingError('rate_limited', [], retryAfterSeconds);
