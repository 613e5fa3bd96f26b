/** Pages of other origins: which a tenant allows, what a preflight says, and secret keys in pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { page, postFromPage } from './browserApp.ts';

const query = '{ products(first: 1) { nodes { id } } }';
const set =
  'mutation ($origins: [String!]) { updateTenant(input: { allowedOrigins: $origins }) { allowedOrigins } }';

let app: TestApp;
let client: Client;
let key: string;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://billing.example' });
  client = await app.tenant({ alias: 'acme' });
  await app.tenant({ alias: 'other' });
  key = (await createKey(app.service, { tenant: 'acme', kind: 'publishable', scope: 'read' })).apiKey;
});
afterAll(() => app.close());

describe('allowedOrigins', () => {
  it.each([
    ['https://shop.example'],
    ['https://shop.example:8443'],
    ['http://localhost'],
    ['http://localhost:3000'],
    ['http://127.0.0.1:5173'],
    ['http://[::1]:8080'],
    ['https://xn--bcher-kva.example'],
  ])('takes %s', async (origin) => {
    expect(await client.graphql(set, { origins: [origin] })).toEqual({
      updateTenant: { allowedOrigins: [origin] },
    });
    expect((await client.graphql('{ tenant { allowedOrigins } }')).tenant.allowedOrigins).toEqual([origin]);
  });

  it.each([
    ['null'],
    ['*'],
    [''],
    ['https://*.shop.example'],
    ['https://shop.example/'],
    ['https://shop.example/page'],
    ['https://shop.example?a'],
    ['https://shop.example:443'],
    ['https://Shop.example'],
    ['HTTPS://shop.example'],
    ['https://bücher.example'],
    ['https://user@shop.example'],
    ['http://shop.example'],
    ['http://localhost.evil.example'],
    ['http://127.0.0.2'],
    ['ftp://shop.example'],
    ['file://'],
    ['shop.example'],
    ['https://'],
    [`https://${'a'.repeat(300)}.example`],
  ])('refuses %s', async (origin) => {
    const { body } = await client.post(set, { origins: [origin] });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'allowedOrigins.0', message: expect.any(String) }],
    });
  });

  it('refuses repeated and too many origins; an empty list and null allow none', async () => {
    for (const origins of [[page, page], Array.from({ length: 51 }, (_, at) => `https://a${at}.example`)]) {
      const { body } = await client.post(set, { origins });
      expect(body.errors[0].extensions.issues[0].path).toBe('allowedOrigins');
    }
    for (const origins of [[], null]) {
      await client.graphql(set, { origins: [page] });
      expect((await postFromPage(app, key, { query })).status).toBe(200);
      expect((await client.graphql(set, { origins })).updateTenant.allowedOrigins).toEqual([]);
      expect((await postFromPage(app, key, { query })).reason).toBe('origin_not_allowed');
    }
  });
});

describe('a request of a page', () => {
  beforeAll(() => client.graphql(set, { origins: [page, 'http://localhost:3000'] }));

  it.each([[page], ['http://localhost:3000']])('of %s is answered for it', async (origin) => {
    const { status, headers } = await postFromPage(app, key, { query, headers: { origin } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each([
    ['null'],
    [''],
    ['https://shop.example.evil.example'],
    ['https://evil.example'],
    ['https://shop.example/'],
    ['https://SHOP.example'],
    ['http://shop.example'],
    ['https://shop.example:444'],
    ['https://sub.shop.example'],
    ['http://localhost:3001'],
    ['http://127.0.0.1:3000'],
    ['https://shop.example, https://evil.example'],
  ])('of %j is refused, and cannot read why', async (origin) => {
    const { reason, status, headers } = await postFromPage(app, key, { query, headers: { origin } });
    expect([status, reason]).toEqual([403, 'origin_not_allowed']);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('is not allowed for another tenant by it', async () => {
    const { apiKey } = await createKey(app.service, { tenant: 'other', kind: 'publishable', scope: 'read' });
    expect((await postFromPage(app, apiKey, { query })).reason).toBe('origin_not_allowed');
  });

  it('of this server needs no permission', async () => {
    const { status, headers } = await postFromPage(app, key, {
      query,
      headers: { origin: 'https://billing.example', 'sec-fetch-site': 'same-origin' },
    });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('can read a compressed response and the refusal of a document', async () => {
    const closed = await postFromPage(app, key, { query: '{ me { keyId } }' });
    expect(closed.headers['access-control-allow-origin']).toBe(page);
    const large = `{ ${Array.from({ length: 60 }, (_, at) => `${'a'.repeat(40)}${at}: __typename`).join(' ')} }`;
    const answer = await app.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        authorization: `Bearer ${key}`,
        origin: page,
      },
      payload: JSON.stringify({ query: large }),
    });
    expect(answer.headers).toMatchObject({
      'content-encoding': 'gzip',
      'access-control-allow-origin': page,
      vary: 'accept-encoding, origin',
    });
  });
});

describe('a secret key', () => {
  it.each([[page], ['null'], ['http://localhost:3000'], ['https://evil.example']])(
    'in a page of %s is refused',
    async (origin) => {
      for (const send of [
        () => client.post(query, undefined, { origin }),
        () => client.rest('GET', '/customers', undefined, { origin }),
        () => client.rest('POST', '/customers', {}, { origin }),
      ]) {
        const { status, body, headers } = await send();
        expect([status, body.errors?.[0].extensions.reason ?? body.body.reason]).toEqual([
          403,
          'secret_key_in_browser',
        ]);
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
      const stream = await app.server.inject({
        method: 'POST',
        url: '/graphql/stream',
        headers: { 'content-type': 'application/json', 'api-key': client.apiKey, origin },
        payload: JSON.stringify({ query: 'subscription { events { id } }' }),
      });
      expect(stream.json().errors[0].extensions.reason).toBe('secret_key_in_browser');
    },
  );

  it('works in the explorer, a page of this server, unless the browser names another site', async () => {
    const origin = 'https://billing.example';
    expect((await client.post(query, undefined, { origin, 'sec-fetch-site': 'same-origin' })).status).toBe(
      200,
    );
    expect((await client.post(query, undefined, { origin })).status).toBe(200);
    const { status } = await client.post(query, undefined, { origin, 'sec-fetch-site': 'same-site' });
    expect(status).toBe(403);
  });

  it('is no bearer token', async () => {
    const { reason } = await postFromPage(app, client.apiKey, {
      query,
      headers: { origin: 'https://billing.example' },
    });
    expect(reason).toBe('api_key_missing');
  });
});

describe('a preflight', () => {
  const ask = (url: string, headers: Record<string, string>) =>
    app.server.inject({ method: 'OPTIONS', url, headers });
  const asking = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };

  it.each([[page], ['https://evil.example'], ['null']])(
    'of %s is the same, and names no header of the console',
    async (origin) => {
      const { statusCode, headers, body } = await ask('/graphql', { origin, ...asking });
      expect([statusCode, body]).toEqual([204, '']);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers':
          'authorization, content-type, idempotency-key, perennial-tenant, x-graphql-cost',
        'access-control-max-age': '86400',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it('is not answered by REST, nor without its headers', async () => {
    expect((await ask('/api/v1/customers', { origin: page, ...asking })).statusCode).toBe(405);
    expect((await ask('/graphql', { origin: page })).statusCode).toBe(405);
    expect((await ask('/graphql', asking)).statusCode).toBe(405);
  });
});
