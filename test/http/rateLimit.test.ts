import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BillingError } from '../../src/lib/errors.ts';
import { createRateLimits } from '../../src/http/rateLimit.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';

const failuresPerMinute = 20;

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1' });
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

describe('the limit of an API key covers ten seconds', () => {
  it('reports the remaining requests, refuses further ones, and does not affect other keys', async () => {
    for (let left = 9; left >= 0; left--) {
      const { status, headers } = await client.rest('GET', '/customers');
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': String(left) });
      expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(10);
    }
    const rest = await client.rest('GET', '/customers');
    expect(rest).toMatchObject({ status: 429, body: { body: { code: 429, reason: 'rate_limited' } } });
    expect(rest.headers['ratelimit-remaining']).toBe('0');
    expect(rest.headers['retry-after']).toBe(rest.headers['ratelimit-reset']);
    const graphql = await client.post('{ customers { nodes { id } } }');
    expect(graphql).toMatchObject({ status: 429, headers: { 'retry-after': expect.anything() } });
    expect(graphql.body.errors[0].extensions).toMatchObject({ reason: 'rate_limited', code: 'RATE_LIMITED' });
    expect(graphql.body.errors[0].extensions.retryAfterSeconds).toBeGreaterThan(0);
    const other = await app.key('acme', 'read');
    expect((await other.rest('GET', '/customers')).status).toBe(200);
  });
});

describe('wrong keys are limited by client address', () => {
  it('refuses further wrong keys and accepts valid ones', async () => {
    const stranger = app.client('prn_acme_000000000000_0000000000000000000000000000000000000000');
    const statuses: number[] = [];
    for (let guess = 0; guess < failuresPerMinute; guess++) {
      statuses.push((await stranger.rest('GET', '/customers')).status);
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    const refused = await stranger.rest('GET', '/customers');
    expect(refused).toMatchObject({ status: 429, body: { body: { reason: 'rate_limited' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const good = await app.key('acme', 'read');
    expect((await good.rest('GET', '/customers')).status).toBe(200);
    expect((await app.server.inject({ url: '/api/v1/customers' })).statusCode).toBe(401);
  });
});

describe('a window', () => {
  let atMs = 0;
  const limits = createRateLimits(
    { rateLimitPerSecond: 1, graphqlCost: 1, graphqlCostPerSecond: 1 },
    () => atMs,
  );
  const refusedAt = (ms: number, key: string): BillingError | undefined => {
    atMs = ms;
    try {
      limits.spend(key);
      return undefined;
    } catch (error) {
      return error as BillingError;
    }
  };

  it('begins with the first request of a key, and again after its end', () => {
    for (let request = 0; request < 10; request++) expect(refusedAt(0, 'one')).toBeUndefined();
    expect(refusedAt(4000, 'two')).toBeUndefined();
    expect(refusedAt(4500, 'one')).toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 6 });
    expect(refusedAt(9999, 'one')).toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 1 });
    for (let request = 0; request < 10; request++) expect(refusedAt(10_000, 'one')).toBeUndefined();
    expect(refusedAt(10_000, 'one')).toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 10 });
    for (let request = 1; request < 10; request++) expect(refusedAt(13_999, 'two')).toBeUndefined();
    expect(refusedAt(13_999, 'two')).toMatchObject({ retryAfterSeconds: 1 });
    expect(refusedAt(14_000, 'two')).toBeUndefined();
  });

  it('never lasts longer than its length, from any fraction of a millisecond', () => {
    const begunMs = 14_539.993021055727;
    expect(begunMs + 10_000 - begunMs).toBeGreaterThan(10_000);
    for (let request = 0; request < 10; request++) expect(refusedAt(begunMs, 'three')).toBeUndefined();
    expect(refusedAt(begunMs, 'three')).toMatchObject({ retryAfterSeconds: 10 });
  });
});
