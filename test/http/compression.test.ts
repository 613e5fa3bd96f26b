/** Compressed responses of GraphQL and REST: which requests get them, and that they say the same. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;

const create = `mutation ($input: CreateCustomerInput!) {
  createCustomer(input: $input) { id associatedId firstName lastName metadata } }`;
const list = '{ customers(first: 100) { nodes { id email firstName lastName metadata } } }';
const small = '{ tenant { alias } }';

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  for (let index = 0; index < 20; index += 1)
    await client.graphql(create, {
      input: { email: 'a@example.org', firstName: 'Ädä 🦋', lastName: 'L', associatedId: `user-${index}` },
    });
});
afterAll(() => app.close());

const send = (accepted: string | undefined, url: string, payload?: object) =>
  app.server.inject({
    method: payload ? 'POST' : 'GET',
    url,
    headers: {
      'api-key': client.apiKey,
      'content-type': 'application/json',
      ...(accepted !== undefined && { 'accept-encoding': accepted }),
    },
    ...(payload && { payload: JSON.stringify(payload) }),
  });

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
} as const;

it.each<[string | undefined, keyof typeof decoders | undefined]>([
  ['br, gzip', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br;q=0.0', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['brotli', undefined],
  ['', undefined],
  [undefined, undefined],
])('a client that accepts %j gets %j', async (accepted, encoding) => {
  for (const [url, payload] of [
    ['/graphql', { query: list }],
    [`/graphql?query=${encodeURIComponent(list)}`, undefined],
    ['/api/v1/customers?limit=100', undefined],
  ] as const) {
    const [plain, answer] = [await send(undefined, url, payload), await send(accepted, url, payload)];
    expect(answer.headers['content-encoding'], url).toBe(encoding);
    const text = encoding ? decoders[encoding](answer.rawPayload).toString() : answer.body;
    expect(text).toBe(plain.body);
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
    expect(answer.headers['vary']).toBe(encoding && 'accept-encoding');
    expect(answer.headers['cache-control']).toBe(plain.headers['cache-control']);
    if (encoding) expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
  }
});

it('small responses are sent as they are', async () => {
  expect((await send('br', '/graphql', { query: small })).headers['content-encoding']).toBeUndefined();
});

it('responses to writes, which may contain secrets, are sent as they are', async () => {
  const metadata = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`k${index}`, 'x'.repeat(400)]),
  );
  const input = { email: 'a@example.org', firstName: 'A', lastName: 'B', associatedId: 'long', metadata };
  const answer = await send('br', '/graphql', { query: create, variables: { input } });
  expect(answer.rawPayload.length).toBeGreaterThan(4000);
  expect(answer.headers['content-encoding']).toBeUndefined();
});
