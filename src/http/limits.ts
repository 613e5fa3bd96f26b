import type { Awaitable } from '../awaitable.ts';
import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { BillingError } from '../errors.ts';

/** How much a key may ask, and how often an address may guess. */
export interface Limits {
  /** Spends one request of a key and tells in the headers, if any, what is left. Error: `rate_limited`. */
  spend(keyId: string, reply?: FastifyReply): Promise<void>;
  /** Counts an address's refused keys; beyond the limit they become `rate_limited`. A good key always passes. */
  countFailures<T>(address: string, authentication: Awaitable<T>): Awaitable<T>;
}

const windowSeconds = 10;
const failuresPerMinute = 20;

/** Limits that are kept in memory: a key has ten seconds' worth of requests in each ten seconds. */
export function createLimits(requestsPerSecond: number): Limits {
  const points = requestsPerSecond * windowSeconds;
  const requests = new RateLimiterMemory({ points, duration: windowSeconds, keyPrefix: '' });
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: 60, keyPrefix: '' });
  const limitHeader = String(points);

  const tell = (reply: FastifyReply | undefined, { remainingPoints, msBeforeNext }: RateLimiterRes) => {
    if (!reply) return;
    const left = String(remainingPoints);
    const reset = String(seconds(msBeforeNext));
    reply.limits = ['ratelimit-limit', limitHeader, 'ratelimit-remaining', left, 'ratelimit-reset', reset];
  };

  return {
    spend: async (keyId, reply) => {
      try {
        tell(reply, await requests.consume(keyId));
      } catch (exhausted) {
        tell(reply, exhausted as RateLimiterRes);
        throw tooMany(exhausted as RateLimiterRes);
      }
    },
    countFailures: (address, authentication) => {
      if (!(authentication instanceof Promise)) return authentication;
      return authentication.catch(async (error: unknown) => {
        if (!(error instanceof BillingError) || error.reason !== 'api_key_invalid') throw error;
        throw await failures.consume(address).then(
          () => error,
          (exhausted: RateLimiterRes) => tooMany(exhausted),
        );
      });
    },
  };
}

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

const tooMany = ({ msBeforeNext }: RateLimiterRes) =>
  new BillingError('rate_limited', [], seconds(msBeforeNext));
