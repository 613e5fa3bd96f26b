import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { countInWindows, createRateLimitError } from '../lib/attemptLimit.ts';
import { BillingError } from '../lib/errors.ts';
import { createPointBudgets, joinBudgets, type PointBudget } from '../lib/pointBudget.ts';
import type { Config } from '../config/config.ts';
import type { Principal } from '../tenancy/apiKeyCache.ts';
import { findNetwork } from './address.ts';

type BrowserCredential = Pick<Principal, 'keyId' | 'audience'>;

/** Limits requests and the cost of GraphQL operations by credential, and failed authentications by IP address. */
export interface RateLimits {
  /** Counts one request of a key and sets the rate-limit headers of the reply, if given. Error: `rate_limited`. */
  spend(keyId: string, reply?: FastifyReply): void;
  /**
   * Counts one request with a browser's credential: by the session, or by the publishable key and the network of the client, and
   * by the network alone. Error: `rate_limited`.
   */
  spendOfBrowser(credential: BrowserCredential, address: string, reply?: FastifyReply): void;
  /** Returns the points that a key has for the cost of GraphQL operations. */
  findBudget(keyId: string): PointBudget;
  /** Returns the points of a browser's credential, which are limited like its requests. */
  findBudgetOfBrowser(credential: BrowserCredential, address: string): PointBudget;
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
/** The points for the cost of operations that one client of a browser's credential has, and all of one network. */
const pointsOfBrowser = 20_000;
const pointsOfNetwork = 60_000;

type LimitSettings = Pick<Config, 'rateLimitPerSecond' | 'graphqlCost' | 'graphqlCostPerSecond'>;

/**
 * Creates rate limits that are kept in memory. A key may send ten seconds' worth of requests in each ten seconds, and saves the
 * points of ten seconds for the cost of its operations, or those of the costliest one.
 */
export function createRateLimits(
  { rateLimitPerSecond, graphqlCost, graphqlCostPerSecond: pointsPerSecond }: LimitSettings,
  nowMs = () => performance.now(),
): RateLimits {
  const most = rateLimitPerSecond * windowSeconds;
  const countRequest = countInWindows(windowSeconds, nowMs);
  const countOfBrowser = countInWindows(windowSeconds, nowMs);
  const countFailure = countInWindows(60, nowMs);
  const findBudget = createPointBudgets(
    { pointsPerSecond, most: Math.max(pointsPerSecond * windowSeconds, graphqlCost) },
    nowMs,
  );
  const createBrowserBudgets = (points: number) =>
    createPointBudgets({ pointsPerSecond: points / windowSeconds, most: points }, nowMs);
  const findBudgetOfClient = createBrowserBudgets(pointsOfBrowser);
  const findBudgetOfNetwork = createBrowserBudgets(pointsOfNetwork);
  const limitHeader = String(most);

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
      if (reply) reply.limits = listHeaders(limitHeader, most - count, secondsLeft);
      if (count > most) throw createRateLimitError(secondsLeft);
    },
    spendOfBrowser: (credential, address, reply) => {
      const network = findNetwork(address);
      const { count, secondsLeft } = countOfBrowser(nameClient(credential, network));
      const ofNetwork = countOfBrowser(network);
      if (reply) {
        const headers = listHeaders(String(requestsOfBrowser), requestsOfBrowser - count, secondsLeft);
        reply.limits = [...(reply.limits ?? []), ...headers];
      }
      if (count > requestsOfBrowser) throw createRateLimitError(secondsLeft);
      if (ofNetwork.count > requestsOfNetwork) throw createRateLimitError(ofNetwork.secondsLeft);
    },
    findBudget,
    findBudgetOfBrowser: (credential, address) => {
      const network = findNetwork(address);
      return joinBudgets(findBudgetOfClient(nameClient(credential, network)), findBudgetOfNetwork(network));
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

/** Names the client of a browser's credential: a session is one client wherever it is, a publishable key one in each network. */
const nameClient = ({ keyId, audience }: BrowserCredential, network: string): string =>
  audience === 'customer' ? keyId : `${keyId} ${network}`;
