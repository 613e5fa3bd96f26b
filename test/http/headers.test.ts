/** What browsers are told with every answer, whatever is asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';

let app: TestApp;
let client: Client;
let url: string;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://billing.example' });
  client = await app.tenant({ alias: 'acme' });
  url = await listen(app);
});
afterAll(() => app.close());

const asks: [what: string, method: string, path: string, headers?: Record<string, string>][] = [
  ['an answer', 'GET', '/api/v1/customers', { 'api-key': 'own' }],
  ['a missing key', 'GET', '/api/v1/customers'],
  ['a wrong key', 'POST', '/graphql', { 'api-key': 'x', 'content-type': 'application/json' }],
  ['a query', 'GET', '/graphql?query={tenant{alias}}', { 'api-key': 'own' }],
  ['a refused query', 'GET', '/graphql?query={', { 'api-key': 'own' }],
  ['an unknown address', 'GET', '/nowhere'],
  ['an address that is none', 'GET', '/api/v1/customers/%E0%A4%A'],
  ['another method', 'PUT', '/graphql'],
  ['an event stream', 'GET', '/graphql/stream?query=x', { 'api-key': 'own' }],
  ['a refused stream', 'GET', '/graphql/stream?query=x'],
  ['health', 'GET', '/livez'],
  ['readiness', 'GET', '/readyz'],
  ['the interface', 'GET', '/api/v1/openapi.json'],
  ['a pay page that is not there', 'GET', '/pay/int_none'],
  ['a callback nobody signed', 'POST', '/callbacks/stripe'],
  ['a report nobody signed', 'POST', '/callbacks/access_point/acme'],
  ['the explorer', 'GET', '/graphql', { accept: 'text/html' }],
];

describe.each(asks)('%s', (_, method, path, given = {}) => {
  it('has headers against sniffing, framing, referrers and plain HTTP', async () => {
    const headers = { ...given, ...(given['api-key'] === 'own' && { 'api-key': client.apiKey }) };
    const answer = await fetch(url + path, { method, headers, redirect: 'manual' });
    const text = await answer.text();
    expect(answer.headers.get('x-content-type-options'), text).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(answer.headers.get('cache-control')).toMatch(/^no-(store|cache)$/);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(text).not.toContain(client.apiKey);
  });
});

const names = [
  ['Ada', 'a@example.org'],
  ['Zoë', 'z@example.org'],
  ['東京 😀', 't@example.org'],
] as const;

it.each(names)('a response with %s has the right content-length', async (firstName, email) => {
  const headers = { 'api-key': client.apiKey, 'content-type': 'application/json' };
  const customer = { tenantAlias: 'acme', email, firstName, lastName: 'L', associatedId: email };
  const query = '{ customers { nodes { firstName } } }';
  const request = (path: string, body?: object) =>
    fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  for (const answer of [
    await request('/api/v1/customers', customer),
    await request('/api/v1/customers'),
    await request('/graphql', { query }),
  ]) {
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.toString()).toContain(`"firstName":"${firstName}"`);
    expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
    expect(answer.headers.get('ratelimit-limit')).not.toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
});

it('a server without https sends no Strict-Transport-Security', async () => {
  const plain = await startApp();
  const { headers } = await plain.server.inject({ url: '/livez' });
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(headers['x-content-type-options']).toBe('nosniff');
  await plain.close();
});
