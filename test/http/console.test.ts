/** The files of the console, as the server sends them. */
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { buildConsole } from '../support/program.ts';
import { sampledInCore } from '../support/sample.ts';

let app: TestApp;
let without: TestApp;
let page: string;
let assets: string[];
beforeAll(async () => {
  buildConsole();
  app = await startApp();
  without = await startApp({ console: 'off' });
  page = (await get('/console')).body;
  assets = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) => url!);
});
afterAll(async () => {
  await app.close();
  await without.close();
});

const get = (url: string, headers: Record<string, string> = {}) => app.server.inject({ url, headers });

it.each(['/console', '/console/', '/console/t/acme/customers/cus_1?tab=invoices', '/console/sign-in'])(
  'sends the page at %s',
  async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(answer.body).toBe(page);
  },
);

it('allows no inline code, no other host and no frame', async () => {
  const policy = String((await get('/console')).headers['content-security-policy']);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const parts = Object.fromEntries(policy.split('; ').map((part) => part.split(/ (.*)/).slice(0, 2)));
  expect(parts).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
  });
  expect(page).not.toMatch(/<script>|<style|style=|https?:/);
});

it('shows mails in a frame with an origin of its own, where only its own script runs', async () => {
  const { headers, body } = await get('/console/mail-frame');
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^ ;]+'; /);
  expect(policy).toMatch(/; frame-ancestors 'self'; sandbox allow-scripts$/);
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|allow-same-origin/);
  expect(body.match(/<script/g)).toHaveLength(1);
});

it('sends each asset in the encoding that the browser takes, for ever', async () => {
  expect(assets.length).toBeGreaterThan(2);
  // The first request of an asset compresses it as well as it can be.
  for (const url of sampledInCore(assets, 5)) {
    const [whole, brotli, gzip, refused] = await Promise.all(
      ['identity', 'gzip, deflate, br, zstd', 'gzip', 'br;q=0, gzip;q=0'].map((encoding) =>
        get(url, { 'accept-encoding': encoding }),
      ),
    );
    // A matcher would compare megabytes one by one.
    const isWhole = (bytes: Buffer) => bytes.equals(whole!.rawPayload);
    expect(whole!.statusCode, url).toBe(200);
    expect(whole!.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(whole!.headers['vary']).toBe('accept-encoding');
    expect(whole!.headers['content-encoding']).toBeUndefined();
    expect(isWhole(refused!.rawPayload), url).toBe(true);
    expect(brotli!.headers['content-encoding']).toBe('br');
    expect(isWhole(brotliDecompressSync(brotli!.rawPayload)), url).toBe(true);
    expect(gzip!.headers['content-encoding']).toBe('gzip');
    expect(isWhole(gunzipSync(gzip!.rawPayload)), url).toBe(true);
  }
});

it('names assets by their content', () => {
  const names = assets.map((url) => path.basename(url));
  expect(names.length).toBeGreaterThan(5);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
});

it('leaves the first screen most of its 200 kB', async () => {
  const sizes = await Promise.all(
    assets.map(async (url) => (await get(url, { 'accept-encoding': 'gzip' })).rawPayload.length),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(160_000);
});

describe('refuses', () => {
  it.each([
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e%2findex.html',
    '/console/assets/index.js',
    '/console/assets/index.html',
    '/console/assets/..%5cindex.html',
    '/console/assets/a%00.js',
  ])('%s', async (url) => {
    const answer = await get(url);
    expect([400, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain('<html');
  });
});

it('leads browsers from / to the console', async () => {
  expect(await get('/')).toMatchObject({ statusCode: 302, headers: { location: '/console' } });
});

it('is not served if switched off', async () => {
  for (const url of ['/console', '/console/sign-in', assets[0]!]) {
    expect((await without.server.inject({ url })).statusCode, url).toBe(404);
  }
  expect(await without.server.inject({ url: '/' })).toMatchObject({ headers: { location: '/graphql' } });
});
