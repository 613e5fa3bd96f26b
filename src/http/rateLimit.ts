import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { countInWindows, createRateLimitError } from '../lib/attemptLimit.ts';
import { BillingError } from '../lib/errors.ts';
import { findNetwork } from './address.ts';

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
        const { count, secondsLeft } = countFailure(findNetwork(address));
        throw count > failuresPerMinute ? createRateLimitError(secondsLeft) : error;
      });
    },
  };
}
