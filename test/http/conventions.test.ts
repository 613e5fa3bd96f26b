/** What clients and tools expect of any server: HEAD, trailing slashes, `Location`, persisted queries, event streams. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createClient as createStream } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNoSubscription } from '../../src/http/singleEvent.ts';
import { routes } from '../../src/rest/routes.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { countWaiting, listen, traceRecorded } from '../support/follow.ts';
import { expectGraphqlError, fillTenant, inject, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;
let url: string;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://billing.example.org/sub' });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
  url = await listen(app);
});
afterAll(() => app.close());

const key = () => ({ 'api-key': client.apiKey });

describe('HEAD has the status and headers of GET, without a body', () => {
  const query = encodeURIComponent('{ tenant { alias } }');
  it.each<[url: () => string]>([
    [() => '/api/v1/customers'],
    [() => `/api/v1/customers/${world.customer}?tenantAlias=acme`],
    [() => '/api/v1/customers/cus_0'],
    [() => '/api/v1/openapi.json'],
    [() => `/graphql?query=${query}`],
    [() => '/graphql'],
    [() => '/graphql/stream/'],
    [() => '/docs'],
    [() => '/console'],
    [() => '/livez'],
    [() => '/nothing'],
  ])('%s', async (address) => {
    const headers = { ...key(), 'accept-encoding': 'identity' };
    const ask = async (method: 'GET' | 'HEAD') => {
      const response = await fetch(url + address(), { method, headers, redirect: 'manual' });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    };
    const got = await ask('GET');
    const head = await ask('HEAD');
    const expected = { ...got.headers };
    // They tell the moment; and an error tells the method in its body.
    for (const name of [
      'date',
      'connection',
      'keep-alive',
      'transfer-encoding',
      'ratelimit-remaining',
      'ratelimit-reset',
    ])
      delete expected[name];
    if (got.status >= 400) delete expected['content-length'];
    expect(head).toMatchObject({ status: got.status, headers: expected, text: '' });
  });

  it('and needs a key where GET needs one', async () => {
    expect((await inject(app, { method: 'HEAD', url: '/api/v1/customers' })).status).toBe(401);
  });
});

describe('a trailing slash', () => {
  it.each<[method: 'GET' | 'POST', url: () => string]>([
    ['GET', () => '/api/v1/customers/'],
    ['GET', () => '/api/v1/customers/?limit=1'],
    ['GET', () => `/api/v1/customers/${world.customer}/?tenantAlias=acme`],
    ['POST', () => '/graphql/'],
  ])('%s %s', async (method, address) => {
    const payload = method === 'POST' ? '{"query":"{ tenant { alias } }"}' : undefined;
    const headers = { ...key(), ...(payload && { 'content-type': 'application/json' }) };
    const answer = await inject(app, { method, url: address(), headers, payload });
    expect(answer.status).toBe(200);
    expect(answer.body.errors).toBeUndefined();
  });
});

describe('Location', () => {
  const rows: [path: string, body: () => object, id: (body: any) => string, item: string][] = [
    [
      '/customers',
      () => ({ email: 'l@example.org', firstName: 'A', lastName: 'B', associatedId: 'located' }),
      ({ id }) => id,
      '/customers',
    ],
    ['/groups', () => ({ name: 'Located' }), ({ id }) => id, '/groups'],
    ['/products', () => ({ name: 'Located', description: 'x' }), ({ product }) => product.id, '/products'],
    [
      '/subscriptions/intent',
      () => ({
        customerId: world.spareCustomer,
        associatedCustomerId: world.spareAssociatedId,
        productId: world.product,
        priceId: world.price,
        receiptUrl: 'https://example.org/thanks',
      }),
      ({ intentId }) => intentId,
      '/subscriptions/intent',
    ],
  ];
  it.each(rows)('POST %s tells where the new record is, also when repeated', async (path, body, id, item) => {
    const send = () =>
      client.rest(
        'POST',
        path,
        { tenantAlias: 'acme', ...body() },
        { 'idempotency-key': `locate ${path}`.replaceAll(' ', '-') },
      );
    const created = await send();
    expect(created.status).toBe(201);
    const address = `${item}/${id(created.body)}?tenantAlias=acme`;
    const where = `https://billing.example.org/sub/api/v1${address}`;
    expect(created.headers.location).toBe(where);
    expect((await send()).headers).toMatchObject({ location: where, 'idempotent-replayed': 'true' });
    const found = await inject(app, { url: `/api/v1${address}`, headers: key() });
    expect(found.status).toBe(200);
  });

  it('is in every route that creates one record', () => {
    const without = routes.filter(({ method, locate }) => method === 'POST' && !locate);
    // An e-invoice is of a document, an override replaces the one that there is, and is listed with those of its customer.
    expect(without.map(({ path }) => path)).toEqual([
      '/products/{productId}/prices',
      '/e-invoices',
      '/e-invoices/{documentId}/report',
      '/usage',
      '/entitlements/consume',
      '/reservations/{reservationId}/settle',
      '/entitlement-overrides',
      '/action-requests/{actionRequestId}/approve',
      '/action-requests/{actionRequestId}/decline',
    ]);
  });

  it('is not in an error', async () => {
    const refused = await client.rest('POST', '/groups', { tenantAlias: 'acme' });
    expect(refused.status).toBe(400);
    expect(refused.headers).not.toHaveProperty('location');
  });
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const text = '{ tenant { alias } }';

describe('extensions.persistedQuery', () => {
  const post = (body: object) =>
    inject(app, {
      method: 'POST',
      url: '/graphql',
      headers: { ...key(), 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  const get = (body: Record<string, unknown>) =>
    inject(app, {
      url: `/graphql?${new URLSearchParams(
        Object.entries(body).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ).toString()}`,
      headers: key(),
    });
  const persisted = (sha256Hash: unknown, version: unknown = 1) => ({
    extensions: { persistedQuery: { version, sha256Hash } },
  });
  const data = { data: { tenant: { alias: 'acme' } } };

  it('executes the text that comes with its hash, and keeps nothing', async () => {
    for (const send of [post, get]) {
      expect((await send({ query: text, ...persisted(hash(text)) })).body).toEqual(data);
      const alone = await send(persisted(hash(text)));
      expectGraphqlError(alone, 'persisted_query_not_found');
      // The two signs by which clients recognise that they must send the text.
      expect(alone.body.errors[0]).toMatchObject({
        message: 'PersistedQueryNotFound',
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    }
  });

  it.each<[name: string, body: object, path: string]>([
    ['the hash of another text', { query: text, ...persisted(hash('{ x }')) }, 'sha256Hash'],
    ['a hash in capitals', persisted(hash(text).toUpperCase()), 'sha256Hash'],
    ['a hash that is a list', persisted([hash(text)]), 'sha256Hash'],
    ['a hash that is a name of Object', persisted('__proto__'), 'sha256Hash'],
    ['another version', persisted(hash(text), 2), 'version'],
    ['no version', { extensions: { persistedQuery: {} } }, 'version'],
    ['a text instead of an object', { extensions: { persistedQuery: hash(text) } }, 'version'],
  ])('refuses %s', async (_, body, field) => {
    for (const send of [post, get]) {
      const answer = await send(body as Record<string, unknown>);
      expectGraphqlError(answer, 'validation_failed');
      expect(answer.body.errors[0].extensions.issues[0].path).toBe(`extensions.persistedQuery.${field}`);
    }
  });

  it('ignores other extensions', async () => {
    expect((await post({ query: text, extensions: { clientLibrary: { name: 'x' } } })).body).toEqual(data);
    expect((await post({ query: text, extensions: null })).body).toEqual(data);
  });

  it('lets Apollo Client send the text after the hash', async () => {
    const link = new PersistedQueryLink({ sha256: hash }).concat(
      new HttpLink({ uri: `${url}/graphql`, headers: key() }),
    );
    const apollo = new ApolloClient({ cache: new InMemoryCache(), link });
    const { data: found } = await apollo.query({ query: gql(text) });
    expect(found).toMatchObject({ tenant: { alias: 'acme' } });
  });
});

describe('POST /graphql that takes only an event stream', () => {
  it('streams a subscription', async () => {
    const stream = createStream({ url: `${url}/graphql`, headers: key(), retryAttempts: 0 });
    const events = stream.iterate<any>({ query: traceRecorded });
    const next = events.next();
    await expect.poll(() => countWaiting(url)).toBe(1);
    await client.graphql('mutation { createGroup(input: { name: "streamed" }) { id } }');
    expect((await next).value.data.traceRecorded.payload.object.name).toBe('streamed');
    await events.return?.();
    await expect.poll(() => countWaiting(url)).toBe(0);
  });

  it('streams the one result of a query and of a mutation, as the JSON would be', async () => {
    const stream = createStream({ url: `${url}/graphql`, headers: key(), retryAttempts: 0 });
    const read = async (query: string, variables?: Record<string, unknown>) => {
      const results: any[] = [];
      for await (const result of stream.iterate<any>({ query, variables })) results.push(result);
      expect(results).toHaveLength(1);
      return results[0];
    };
    expect(await read(text)).toEqual({ data: { tenant: { alias: 'acme' } } });
    const create = 'mutation ($name: String!) { createGroup(input: { name: $name }) { name } }';
    const line = 'event: next "}{" data: \\n';
    expect(await read(create, { name: line })).toEqual({ data: { createGroup: { name: line } } });
    const failed = await read('{ customer(id: "cus_0") { id } }');
    expect(failed.errors[0].extensions.reason).toBe('customer_not_found');
    for (const [invalid, variables] of [
      ['{ nothing }', {}],
      ['query ($id: ID!) { customer(id: $id) { id } }', { id: [] }],
      [
        `{ products(first: 100) { nodes { group { products { group { products { group { products { id } } } } } } } } }`,
        {},
      ],
    ] as const) {
      const { errors } = await read(invalid, variables);
      expect(errors).toEqual((await client.post(invalid, variables)).body.errors);
    }
  });

  it('performs a mutation once for each idempotency key', async () => {
    const query = 'mutation { createGroup(input: { name: "once" }) { id } }';
    const headers = { accept: 'text/event-stream', 'idempotency-key': 'one-event' };
    const [first, again] = [await client.post(query, {}, headers), await client.post(query, {}, headers)];
    expect(first.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(first.text).toMatch(/^event: next\ndata: \{"data":.*\}\n\nevent: complete\ndata: \n\n$/);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  it.each<[document: string, hasNone: boolean]>([
    ['subscription { a }', false],
    ['# {\nsubscription A { a }', false],
    ['fragment A on B { c } subscription { ...A }', false],
    ['query A { a } subscription B { b }', false],
    ['fragment A on B { c(d: "}", e: """} " """) }\nsubscription { ...A }', false],
    ['{ a }subscription{ b }', false],
    ['{ subscription(id: "1") { id } }', true],
    ['{ a(b: "{") { c } }', true],
    ['query subscription { a }', true],
    ['mutation ($subscription: [A!]! = {}) { a }', true],
    ['{ a(b: """ \\""" } subscription { b } """) }', true],
    ['# subscription { a }\n{ a }', true],
    ['{ a(b: "} subscription {") }', true],
    ['', true],
    [`{ a } #${'x'.repeat(65_536)}`, false],
  ])('finds subscriptions without parsing: %s', (document, hasNone) => {
    expect(hasNoSubscription(document)).toBe(hasNone);
  });

  it('is JSON for clients that take both', async () => {
    const accept = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
    const answer = await client.post(text, undefined, { accept });
    expect(answer.body).toEqual({ data: { tenant: { alias: 'acme' } } });
  });

  it('is refused without a key', async () => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    for (const payload of ['{}', '{"query":"{ tenant { alias } }"}']) {
      const answer = await inject(app, { method: 'POST', url: '/graphql', headers, payload });
      expectGraphqlError(answer, 'api_key_missing');
    }
  });
});

it('a connection on which nothing was sent does not delay the stop', async () => {
  const other = await startApp();
  const { port } = new URL(await listen(other));
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  const before = performance.now();
  await other.close();
  await closed;
  // Node would wait for the headers of a request for a minute.
  expect(performance.now() - before).toBeLessThan(30_000);
});
