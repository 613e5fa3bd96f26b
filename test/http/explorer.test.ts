import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

const root = path.join(import.meta.dirname, '../..');
const forPeople = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let app: TestApp;
let without: TestApp;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build/explorer.mjs'], { cwd: root });
  app = await startApp({ console: 'off' });
  without = await startApp({ explorer: 'off', console: 'off' });
});
afterAll(async () => {
  await app.close();
  await without.close();
});

it('serves GraphiQL to a browser, without other hosts', async () => {
  const page = await app.server.inject({ url: '/graphql', headers: forPeople });
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(page.body).not.toMatch(/https?:/);
  expect(page.headers['vary']).toBe('accept');
  const urls = [...page.body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, url]) => url!);
  expect(urls).toHaveLength(2);
  for (const url of urls) {
    const asset = await app.server.inject({ url });
    expect(asset.statusCode).toBe(200);
    expect(asset.headers['content-type']).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(asset.body.length).toBeGreaterThan(10_000);
    expect(asset.body).not.toMatch(/(@import|url\()\s*["']?https?:/);
  }
  const start = await app.server.inject({ url: '/', headers: forPeople });
  expect(start).toMatchObject({ statusCode: 302, headers: { location: '/graphql' } });
});

it('serves GraphQL to other clients', async () => {
  const client = await app.tenant({ alias: 'acme' });
  const query = new URLSearchParams({ query: '{ __typename }' }).toString();
  const headers = { 'api-key': client.apiKey, accept: 'application/json', 'apollo-require-preflight': '1' };
  const answer = await app.server.inject({ url: `/graphql?${query}`, headers });
  expect(answer.json()).toEqual({ data: { __typename: 'Query' } });
});

it('is not served if switched off', async () => {
  const answer = await without.server.inject({ url: '/graphql', headers: forPeople });
  expect(answer.statusCode).toBe(401);
  expect(answer.json().errors[0].extensions.reason).toBe('api_key_missing');
  expect((await without.server.inject({ url: '/' })).statusCode).toBe(404);
});
