import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError } from '../lib/errors.ts';

/** How much a key may ask, and how often an address may guess. */
export interface RateLimits {
  /** Spends one request of a key and tells in the headers, if any, what is left. Error: `rate_limited`. */
  spend(keyId: string, reply?: FastifyReply): void;
  /** Counts an address's refused keys; beyond the limit they become `rate_limited`. A good key always passes. */
  countFailures<T>(address: string, authentication: MaybePromise<T>): MaybePromise<T>;
}

const windowSeconds = 10;
const failuresPerMinute = 20;

/** Limits that are kept in memory: a key has ten seconds' worth of requests in each ten seconds. */
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
      if (count > points) throw tooMany(secondsLeft);
    },
    countFailures: (address, authentication) => {
      if (!(authentication instanceof Promise)) return authentication;
      return authentication.catch((error: unknown) => {
        if (!(error instanceof BillingError) || error.reason !== 'api_key_invalid') throw error;
        const { count, secondsLeft } = countFailure(address);
        throw count > failuresPerMinute ? tooMany(secondsLeft) : error;
      });
    },
  };
}

interface Window {
  count: number;
  endsMs: number;
}

/**
 * Counts what comes under each name in windows that begin with the first of it; tells the count with this one. The
 * packages that do so answer by promises, which would be a tenth of a small request.
 */
function countInWindows(seconds: number, nowMs: () => number) {
  const windows = new Map<string, Window>();

  const begin = (name: string, atMs: number): Window => {
    // They are as long as each other, so that those which ended first stand first.
    for (const [other, { endsMs }] of windows) {
      if (endsMs > atMs) break;
      windows.delete(other);
    }
    const window = { count: 0, endsMs: atMs + seconds * 1000 };
    windows.set(name, window);
    return window;
  };

  return (name: string) => {
    // Whole ones: a fraction that is added and taken away again may leave a window longer than it is.
    const atMs = Math.floor(nowMs());
    const known = windows.get(name);
    const window = known && known.endsMs > atMs ? known : begin(name, atMs);
    window.count += 1;
    return { count: window.count, secondsLeft: Math.ceil((window.endsMs - atMs) / 1000) };
  };
}

const tooMany = (retryAfterSeconds: number) => new BillingError('rate_limited', [], retryAfterSeconds);
