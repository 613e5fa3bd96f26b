/** What a named request was answered belongs to keys that may write: a key that may only read is never given it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, revokeKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { secondMs, stoppedClock } from '../support/clock.ts';

const clock = stoppedClock('2026-03-01T12:00:00.000Z');
let app: TestApp;
let writer: Client;
let reader: Client;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' }, { clock });
  writer = await app.tenant({ alias: 'acme' });
  reader = await app.key('acme', 'read');
});
afterAll(() => app.close());

const named = (key: string) => ({ 'idempotency-key': key });
const customer = (associatedId: string) => ({
  tenantAlias: 'acme',
  email: `${associatedId}@example.org`,
  firstName: 'Ada',
  lastName: 'Lovelace',
  associatedId,
});
const endpoint = `mutation { createWebhookEndpoint(input: { url: "https://shop.example/a" }) { secret } }`;

it('over REST a read key is refused and does not get the stored response', async () => {
  const first = await writer.rest('POST', '/customers', customer('a'), named('one'));
  const stolen = await reader.rest('POST', '/customers', customer('a'), named('one'));
  expect([first.status, stolen.status, stolen.body.body.reason]).toEqual([201, 403, 'insufficient_scope']);
  expect(stolen.text).not.toContain(first.body.id);
  expect(stolen.headers['idempotent-replayed']).toBeUndefined();
});

it('over GraphQL a read key does not get the secret of an endpoint', async () => {
  const made = await writer.graphql(endpoint, undefined, named('two'));
  const stolen = await reader.post(endpoint, undefined, named('two'));
  expect(stolen.text).not.toContain(made.createWebhookEndpoint.secret);
  expect(stolen.body.errors[0].extensions.reason).toBe('insufficient_scope');
});

it('a read key neither detects a used idempotency key nor uses one', async () => {
  const query = '{ tenant { alias } }';
  expect((await reader.post(query, undefined, named('one'))).body.data.tenant.alias).toBe('acme');
  const [queried, created] = await Promise.all([
    reader.post('{ customers(first: 100) { nodes { id email } } }', undefined, named('three')),
    writer.rest('POST', '/customers', customer('b'), named('three')),
  ]);
  expect([queried.status, created.status]).toEqual([200, 201]);
});

it('another write key gets the stored response: a client may change its API key between two attempts', async () => {
  const other = await app.key('acme', 'write');
  const first = await writer.rest('POST', '/customers', customer('c'), named('four'));
  const again = await other.rest('POST', '/customers', customer('c'), named('four'));
  expect([again.status, again.text]).toEqual([201, first.text]);
});

it('of fifty concurrent requests with both scopes one writes, and no read key gets its response', async () => {
  const sent = Array.from({ length: 50 }, (_, index) =>
    (index % 2 ? reader : writer).rest('POST', '/customers', customer('d'), named('five')),
  );
  const answers = await Promise.all(sent);
  const ofReaders = answers.filter((_, index) => index % 2);
  expect(new Set(ofReaders.map(({ status }) => status))).toEqual(new Set([403]));
  const made = answers.filter(({ status }) => status === 201);
  expect(made.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
});

it('an API key is refused as idempotency key', async () => {
  const { status, body, text } = await writer.rest('POST', '/customers', customer('e'), named(writer.apiKey));
  expect([status, body.cause.issues[0].path]).toEqual([400, 'idempotency-key']);
  expect(text).not.toContain(writer.apiKey.split('_').at(-1));
});

it('an API key revoked by another process is cached for less than a second, also if the wall clock is set back', async () => {
  const { key, apiKey } = await createKey(app.service, { tenant: 'acme', scope: 'read' });
  const client = app.client(apiKey);
  expect((await client.rest('GET', '/customers')).status).toBe(200);
  // As another process would: the cache of this one is not emptied.
  const kept = [...app.service.apiKeyCache];
  await revokeKey(app.service, key.id);
  for (const [text, known] of kept) {
    const checkedAtMonotonicMs = known.checkedAtMonotonicMs - secondMs;
    app.service.apiKeyCache.set(text, { ...known, checkedAtMonotonicMs });
  }
  clock.advance(-3600 * secondMs);
  const answer = await client.rest('GET', '/customers');
  expect([answer.status, answer.body.body.reason]).toEqual([401, 'api_key_invalid']);
});
