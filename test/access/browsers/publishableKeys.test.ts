/** What a publishable key reaches, from which pages, and how often. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { createKey, revokeKey, rotateKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { graphqlRows, listAllRootFields, writeDocument } from '../../support/operations.ts';
import { routes } from '../../../src/rest/routes.ts';
import { signInOperator } from '../../support/operators.ts';
import { sampledInCore } from '../../support/sample.ts';
import { fillTenant, type World } from '../../support/world.ts';
import { expectOpenFields, page, postFromPage, type PageRequest } from './browserApp.ts';
import { openFields } from './openFields.ts';
import { describeOpenField } from './schemaWalk.ts';

const clock = stoppedClock('2026-03-01T00:00:00Z');
/** While it is set, limits restore nothing, however long the requests take. */
let limitsAtMs: number | undefined;
let app: TestApp;
let client: Client;
let world: World;
let other: World;
let key: string;
let keyId: string;

const createPublishable = (tenant: string, more = {}) =>
  createKey(app.service, { tenant, kind: 'publishable', scope: 'read', ...more });
const allow = (of: Client, allowedOrigins: string[] | null) =>
  of.post(
    'mutation ($origins: [String!]) { updateTenant(input: { allowedOrigins: $origins }) { allowedOrigins } }',
    {
      origins: allowedOrigins,
    },
  );
const ask = (query: string, more: Partial<PageRequest> = {}) => postFromPage(app, key, { query, ...more });

beforeAll(async () => {
  const monotonicMs = () => limitsAtMs ?? performance.now();
  app = await startApp({ rateLimitPerSecond: '1000000' }, { clock, monotonicMs });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
  other = await fillTenant(await app.tenant({ alias: 'other' }), 'other');
  const { apiKey, key: record } = await createPublishable('acme');
  [key, keyId] = [apiKey, record.id];
  await allow(client, [page, 'http://localhost:3000']);
});
afterAll(() => app.close());

describe('the key', () => {
  it('has a prefix that tells it from a secret key, and is created by operators', async () => {
    expect(key).toMatch(/^prn_pk_acme_[0-9a-z]{12}_[0-9a-z]{40}$/);
    const owner = await signInOperator(app, { tenant: 'acme' });
    const create = (input: object) =>
      owner.post(
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey key { kind scope prefix } } }',
        { input },
      );
    const { body } = await create({ kind: 'publishable', name: 'Pricing page' });
    expect(body.data.createApiKey).toEqual({
      apiKey: expect.stringMatching(/^prn_pk_acme_/),
      key: { kind: 'publishable', scope: 'read', prefix: expect.stringMatching(/^prn_pk_acme_\w{12}_$/) },
    });
    for (const input of [{ kind: 'publishable', scope: 'write' }, { kind: 'secret' }, {}]) {
      const { body: refused } = await create(input);
      expect(refused.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'scope', message: expect.any(String) }],
      });
    }
    const { apiKey } = (await create({ kind: 'secret', scope: 'read' })).body.data.createApiKey;
    expect(apiKey).toMatch(/^prn_acme_/);
  });

  it('is accepted as a bearer token, as an API key, and without a page', async () => {
    const query = '{ products { nodes { id } } }';
    expect((await ask(query)).body.data.products.nodes.length).toBeGreaterThan(0);
    expect((await app.client(key).post(query)).status).toBe(200);
    const lower = await ask(query, { headers: { authorization: `bearer ${key}` } });
    expect(lower.status).toBe(200);
  });

  it.each<[string, (text: string, secret: string) => string]>([
    ['without its prefix', (text) => text.replace('prn_pk_', 'prn_')],
    ['a secret key with its prefix', (_, secret) => secret.replace('prn_', 'prn_pk_')],
    ['of another tenant', (text) => text.replace('_acme_', '_other_')],
    ['with another secret', (text) => text.slice(0, -4) + (text.endsWith('0000') ? '1111' : '0000')],
    ['cut off', (text) => text.slice(0, -1)],
    ['as that of a session', (text) => text.replace('prn_pk_', 'prn_cs_')],
    ['in upper case', (text) => text.toUpperCase()],
  ])('is refused %s', async (_, change) => {
    const { status, reason } = await ask('{ products { nodes { id } } }', {
      headers: { authorization: '', 'api-key': change(key, client.apiKey) },
    });
    expect([status, reason]).toEqual([401, 'api_key_invalid']);
  });

  it('ends at once when it is revoked, which pages of the tenant can read', async () => {
    const { apiKey, key: record } = await createPublishable('acme');
    const send = (headers = {}) =>
      postFromPage(app, apiKey, { query: '{ products { nodes { id } } }', headers });
    expect((await send()).status).toBe(200);
    await revokeKey(app.service, record.id);
    const ended = await send();
    expect([ended.status, ended.reason]).toEqual([401, 'api_key_invalid']);
    expect(ended.headers['access-control-allow-origin']).toBe(page);
    const elsewhere = await send({ origin: 'https://evil.example' });
    expect(elsewhere.status).toBe(401);
    expect(elsewhere.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('keeps its kind when it is rotated, and expires', async () => {
    const rotated = await rotateKey(app.service, (await createPublishable('acme')).key.id, 1000);
    expect(rotated.apiKey).toMatch(/^prn_pk_/);
    const { apiKey } = await createPublishable('acme', { expiresAt: '2026-01-01T00:00:00.000Z' });
    const { reason } = await postFromPage(app, apiKey, { query: '{ products { nodes { id } } }' });
    expect(reason).toBe('api_key_invalid');
  });

  it('leaves the names that keys of browsers begin with to no tenant', async () => {
    for (const alias of ['pk', 'cs']) await expect(app.tenant({ alias })).rejects.toThrow('not valid');
  });
});

describe('what it reaches', () => {
  const open = new Set<string>(openFields.publishable);
  const isListed = (name: string) => open.has(describeOpenField(schema, name, 'publishable'));

  it(
    'is the list, field by field: each other field of the schema is refused',
    () =>
      expectOpenFields(
        app,
        'publishable',
        () => key,
        (closed) => sampledInCore(closed, 8),
      ),
    120_000,
  );

  it('is no operation with a valid call but those of the list', async () => {
    const closed = listAllRootFields(schema).filter(
      (root) =>
        graphqlRows[root.name] &&
        !isListed(`${root.kind === 'mutation' ? 'Mutation' : 'Query'}.${root.name}`),
    );
    expect(closed.length).toBeGreaterThan(100);
    for (const root of sampledInCore(closed, 3)) {
      const variables = graphqlRows[root.name]!.call(world) as Record<string, unknown>;
      const { reason } = await ask(writeDocument(schema, root, 1), { variables });
      expect(reason, root.name).toBe('closed_to_browsers');
    }
  });

  it.each([
    ['another argument', '{ products(name: "a") { nodes { id } } }', 'name'],
    ['products that are off', '{ products(active: false) { nodes { id } } }', 'active'],
    [
      'a customer',
      'query ($p: ID!) { previewSubscription(input: { customerId: $p, productId: $p, priceId: $p }) { effectiveAt } }',
      'input.customerId',
    ],
    [
      'free days',
      'query ($p: ID!) { previewSubscription(input: { trialDays: 9, productId: $p, priceId: $p }) { effectiveAt } }',
      'input.trialDays',
    ],
    [
      'a coupon',
      'query ($p: ID!) { previewSubscription(input: { couponId: $p, productId: $p, priceId: $p }) { effectiveAt } }',
      'input.couponId',
    ],
    [
      'a guessed code',
      'query ($p: ID!) { previewSubscription(input: { promotionCode: "A", productId: $p, priceId: $p }) { effectiveAt } }',
      'input.promotionCode',
    ],
    [
      'a later start',
      'query ($p: ID!) { previewSubscription(input: { startDate: null, productId: $p, priceId: $p }) { effectiveAt } }',
      'input.startDate',
    ],
  ])('is not %s', async (_, query, path) => {
    for (let times = 0; times < 4; times++) {
      const { body } = await ask(query, { variables: { p: world.product } });
      expect(body.errors[0].extensions).toMatchObject({ reason: 'closed_to_browsers', issues: [{ path }] });
    }
  });

  it.each<[string, string, string?]>([
    ['the schema', '{ __schema { types { name } } }'],
    ['a type', '{ __type(name: "Customer") { name } }'],
    ['the schema beside a field', '{ products { nodes { id } } __schema { types { name } } }'],
    ['an alias', '{ name: products { name: nodes { name: metadata } } }'],
    [
      'a fragment',
      '{ products { ...A } } fragment A on ProductConnection { nodes { ...B } } fragment B on Product { metadata }',
    ],
    ['an inline fragment', '{ products { nodes { ... on Node { ... on Product { metadata } } } } }'],
    ['a skipped field', '{ products { nodes { id metadata @skip(if: true) } } }'],
    [
      'another operation of the document',
      'query A { products { nodes { id } } } query B { customers { nodes { id } } }',
      'B',
    ],
    ['any object', '{ node(id: "x") { id } }'],
    ['the tenant', '{ me { tenant { name } } }'],
    ['the count', '{ products { totalCount } }'],
  ])('is not %s', async (_, query, operationName) => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      payload: JSON.stringify({ query, operationName }),
    });
    expect(answer.json().errors[0].extensions.reason).toBe('closed_to_browsers');
    expect(answer.json().data ?? null).toBeNull();
  });

  it('is no route of REST, and no live event', async () => {
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, path } of routes) {
      const url = path.replace(/\{\w+\}/g, 'x');
      const { body, status } = await app.client(key).rest(method, url, method === 'GET' ? undefined : {});
      expect([status, body.body.reason], `${method} ${path}`).toEqual([403, 'closed_to_browsers']);
    }
    const stream = await app.server.inject({
      method: 'POST',
      url: '/graphql/stream',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      payload: JSON.stringify({ query: 'subscription { events { id } }' }),
    });
    expect([stream.statusCode, stream.json().errors[0].extensions.reason]).toEqual([
      403,
      'closed_to_browsers',
    ]);
  });

  it('ends where the tenant ends', async () => {
    const { body } = await ask('query ($id: ID!) { product(id: $id) { id } }', {
      variables: { id: other.product },
    });
    expect(body.errors[0].extensions.reason).toBe('product_not_found');
    const preview = await ask(
      'query ($p: ID!, $price: ID!) { previewSubscription(input: { productId: $p, priceId: $price }) { effectiveAt } }',
      { variables: { p: other.product, price: other.price } },
    );
    expect(preview.reason).toBe('product_not_found');
  });

  it('is neither stored nor repeated under an idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const query = '{ products { nodes { id } } }';
    expect((await client.post(query, undefined, headers)).status).toBe(200);
    const answer = await ask('{ me { keyId } }', { headers });
    expect(answer.reason).toBe('closed_to_browsers');
    expect((await ask(query, { headers })).status).toBe(200);
  });
});

describe('the catalogue', () => {
  const create = async (input: object) =>
    (
      await client.graphql(
        'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
        {
          input: { name: 'Product', description: '', ...input },
        },
      )
    ).createProduct;

  it('has the products on sale only, page by page', async () => {
    const sold = await create({ name: 'Sold' });
    const later = await create({ name: 'Until later', expiresAt: '2026-04-01T00:00:00Z' });
    const off = await create({ name: 'Off', active: false });
    const expired = await create({ name: 'Expired', expiresAt: '2026-03-01T00:00:00Z' });
    const deleted = await create({ name: 'Deleted' });
    await client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: deleted.id });
    const found: string[] = [];
    for (let after: string | null = null; ;) {
      const { body }: any = await ask(
        'query ($after: String) { products(first: 1, after: $after) { edges { cursor node { id } } nextCursor } }',
        { variables: { after } },
      );
      found.push(...body.data.products.edges.map(({ node }: any) => node.id));
      after = body.data.products.nextCursor;
      if (after === null) break;
    }
    expect(found).toEqual(expect.arrayContaining([sold.id, later.id, world.product]));
    for (const { id } of [off, expired, deleted]) {
      expect(found).not.toContain(id);
      const { reason } = await ask('query ($id: ID!) { product(id: $id) { id } }', { variables: { id } });
      expect(reason).toBe('product_not_found');
    }
    const one = await ask('query ($id: ID!) { product(id: $id) { name group { id name } } }', {
      variables: { id: later.id },
    });
    expect(one.body.data.product).toEqual({ name: 'Until later', group: null });
  });

  it('has prices of one currency, and previews what a new customer pays', async () => {
    const price = (currency: string, amount: number) => ({ details: { currency, amount } });
    const { id, prices } = await create({ prices: [price('usd', 12), price('eur', 11)] });
    const { body } = await ask(
      'query ($id: ID!) { product(id: $id) { prices(currency: "USD") { id details { decimal currency } } } }',
      { variables: { id } },
    );
    expect(body.data.product.prices).toEqual([
      { id: prices[0].id, details: { decimal: '12.00', currency: 'usd' } },
    ]);
    const preview = await ask(
      `query ($p: ID!, $price: ID!) { previewSubscription(input: { productId: $p, priceId: $price }) {
        total { decimal currency } lines { kind amount { decimal } } nextInvoice { total { decimal } } } }`,
      { variables: { p: id, price: prices[1].id } },
    );
    expect(preview.body.data.previewSubscription).toEqual({
      total: { decimal: '11.00', currency: 'eur' },
      lines: [{ kind: 'cycle', amount: { decimal: '11.00' } }],
      nextInvoice: { total: { decimal: '11.00' } },
    });
  });
});

describe('limits', () => {
  beforeAll(() => {
    limitsAtMs = performance.now();
  });
  afterAll(() => {
    limitsAtMs = undefined;
  });

  it('of a key are those of each client, and leave the secret keys alone', async () => {
    const query = '{ products(first: 1) { nodes { id } } }';
    const address = '192.0.2.1';
    const statuses: number[] = [];
    for (let sent = 0; sent < 101; sent++) statuses.push((await ask(query, { address })).status);
    expect(statuses.slice(0, 100).every((status) => status === 200)).toBe(true);
    const refused = await ask(query, { address });
    expect([statuses[100], refused.reason]).toEqual([429, 'rate_limited']);
    expect(refused.headers['access-control-allow-origin']).toBe(page);
    expect(refused.headers['ratelimit-limit']).toBe('100');
    expect((await ask(query, { address: '192.0.2.2' })).status).toBe(200);
    expect((await client.post(query)).status).toBe(200);
  });

  it('are those of a network, whichever key it uses', async () => {
    const keys = await Promise.all([1, 2, 3, 4].map(() => createPublishable('acme')));
    const query = '{ products(first: 1) { nodes { id } } }';
    const statuses: number[] = [];
    for (let sent = 0; sent < 304; sent++)
      statuses.push(
        (await postFromPage(app, keys[sent % 4]!.apiKey, { query, address: '192.0.2.9' })).status,
      );
    expect(statuses.filter((status) => status === 200)).toHaveLength(300);
    expect(new Set(statuses.slice(300))).toEqual(new Set([429]));
  });

  it('of the cost are lower', async () => {
    const query = '{ products(first: 100) { nodes { prices { tiers { upTo } } } } }';
    const { body } = await ask(query);
    expect(body.errors[0].message).toContain('at most 5000 is allowed');
    expect((await client.post(query)).body.data).toBeTruthy();
    const page20 =
      '{ products(first: 20) { nodes { id name prices { id details { decimal } recurring { period } tiers { upTo unitAmount } } } } }';
    expect((await ask(page20)).body.data).toBeTruthy();
  });
});

it('records nothing in traces but its creation and its end', async () => {
  const { traces } = await client.graphql('{ traces(first: 100) { nodes { executorId } } }');
  expect(traces.nodes.map(({ executorId }: any) => executorId)).not.toContain(keyId);
});
