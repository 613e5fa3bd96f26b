import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { countInWindows, createRateLimitError } from '../lib/attemptLimit.ts';
import { BillingError } from '../lib/errors.ts';
import type { Principal } from '../tenancy/apiKeyCache.ts';
import { findNetwork } from './address.ts';

/** Limits requests by API key, and failed authentications by IP address. */
export interface RateLimits {
  /** Counts one request of a key and sets the rate-limit headers of the reply, if given. Error: `rate_limited`. */
  spend(keyId: string, reply?: FastifyReply): void;
  /**
   * Counts one request with a browser's credential: by the session, or by the publishable key and the network of the client, and
   * by the network alone. Error: `rate_limited`.
   */
  spendOfBrowser(
    credential: Pick<Principal, 'keyId' | 'audience'>,
    address: string,
    reply?: FastifyReply,
  ): void;
  /**
   * Counts failed authentications of an IP address. Beyond the limit a failure becomes `rate_limited`; a valid key
   * always passes.
   */
  countFailures<T>(address: string, authentication: MaybePromise<T>): MaybePromise<T>;
}

const windowSeconds = 10;
const failuresPerMinute = 20;
/** What one client of a browser's credential may send in a window, and all of one network. */
const requestsOfBrowser = 100;
const requestsOfNetwork = 300;

/** Creates rate limits that are kept in memory. A key may send ten seconds' worth of requests in each ten seconds. */
export function createRateLimits(requestsPerSecond: number, nowMs = () => performance.now()): RateLimits {
  const points = requestsPerSecond * windowSeconds;
  const countRequest = countInWindows(windowSeconds, nowMs);
  const countOfBrowser = countInWindows(windowSeconds, nowMs);
  const countFailure = countInWindows(60, nowMs);
  const limitHeader = String(points);

  const listHeaders = (limit: string, left: number, secondsLeft: number) => [
    'ratelimit-limit',
    limit,
    'ratelimit-remaining',
    String(Math.max(left, 0)),
    'ratelimit-reset',
    String(secondsLeft),
  ];

  return {
    spend: (keyId, reply) => {
      const { count, secondsLeft } = countRequest(keyId);
      if (reply) reply.limits = listHeaders(limitHeader, points - count, secondsLeft);
      if (count > points) throw createRateLimitError(secondsLeft);
    },
    spendOfBrowser: ({ keyId, audience }, address, reply) => {
      const network = findNetwork(address);
      const { count, secondsLeft } = countOfBrowser(audience === 'customer' ? keyId : `${keyId} ${network}`);
      const ofNetwork = countOfBrowser(network);
      if (reply) {
        const headers = listHeaders(String(requestsOfBrowser), requestsOfBrowser - count, secondsLeft);
        reply.limits = [...(reply.limits ?? []), ...headers];
      }
      if (count > requestsOfBrowser) throw createRateLimitError(secondsLeft);
      if (ofNetwork.count > requestsOfNetwork) throw createRateLimitError(ofNetwork.secondsLeft);
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
