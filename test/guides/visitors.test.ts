/** The site of the guides, attacked by a visitor: it makes tokens for the visitor alone, and forwards nothing. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { freePort } from '../support/ports.ts';
import { buildEnvironment } from '../support/program.ts';
import { createShop } from '../support/shop.ts';
import { emptyFolder, readBlocks, runIn } from './guide.ts';

let app: TestApp;
let client: Client;
let folder: ReturnType<typeof emptyFolder>;
let child: ChildProcess;
let url: string;
let site: string;
let origin: string;
let victim: string;
let cookie: string;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  const customer = await shop.customer();
  victim = customer.id;
  await shop.subscribe(customer, (await shop.product({ amount: 9, currency: 'usd' })).price);

  folder = emptyFolder();
  for (const file of ['site.mjs', 'allow.mjs'])
    copyFileSync(path.join(root, 'docs/guides', file), path.join(folder.path, file));
  mkdirSync(path.join(folder.path, 'public'));
  for (const file of ['index.html', 'page.js'])
    writeFileSync(path.join(folder.path, 'public', file), 'shown');
  const port = String(await freePort());
  site = `http://127.0.0.1:${port}`;
  origin = `http://localhost:${port}`;
  url = await listen(app);
  const env = { BILLING_URL: url, API_KEY: client.apiKey, SITE_PORT: port };
  await runIn(folder.path, 'node allow.mjs', env);
  const started = spawn(process.execPath, ['site.mjs'], { cwd: folder.path, env: buildEnvironment(env) });
  child = started;
  await once(started.stdout, 'data');
  const { headers } = await post('/sign-up', { email: 'eve@example.com', firstName: 'Eve', lastName: 'X' });
  [cookie] = headers.getSetCookie()[0]!.split(';') as [string];
});
afterAll(async () => {
  child.kill();
  folder.remove();
  await app.close();
});

const post = (to: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(site + to, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
/** What Perennial answers to the page of a visitor. */
const ask = async (token: string, query: string, from = origin) => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, origin: from },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as any;
  return { data, reason: errors?.[0].extensions.reason };
};
const takeToken = async (to = '/token', body: unknown = {}) =>
  ((await (await post(to, body, { cookie })).json()) as { token: string }).token;

describe('a visitor', () => {
  it.each([
    ['nothing', '/token', {}],
    [
      'the customer of another in the body',
      '/token',
      { customerId: () => victim, input: { customerId: '' } },
    ],
    ['the customer of another in the address', '/token?customerId=', {}],
    ['more actions', '/token', { allow: ['pay_invoice', 'update_customer'], expiresInSeconds: 86_400 }],
  ])('gets a token for the own customer and the actions of the site, sending %s', async (_, to, body) => {
    const sent = JSON.parse(JSON.stringify(body, (__, each) => (typeof each === 'function' ? victim : each)));
    const token = await takeToken(to.endsWith('=') ? to + victim : to, sent);
    const { data } = await ask(
      token,
      '{ viewer { allow customer { id firstName activeSubscriptions { id } } } }',
    );
    expect(data.viewer).toEqual({
      allow: ['subscribe', 'change_subscription', 'cancel_subscription'],
      customer: { id: expect.not.stringMatching(victim), firstName: 'Eve', activeSubscriptions: [] },
    });
  });

  it.each([
    ['of other customers', '{ customers { nodes { id email } } }', 'closed_to_browsers'],
    ['of the traces', '{ traces { nodes { id } } }', 'closed_to_browsers'],
    ['of a new session', 'mutation { createCustomerSession(input: {}) { token } }', 'closed_to_browsers'],
  ])('is refused an operation %s', async (_, query, reason) => {
    expect(await ask(await takeToken(), query)).toEqual({ data: undefined, reason });
  });

  it('cannot use the token in a page of another site', async () => {
    const asked = await ask(await takeToken(), '{ viewer { allow } }', 'https://evil.example');
    expect(asked.reason).toBe('origin_not_allowed');
  });

  it.each([
    ['without a session', {}],
    ['with a session of nobody', { cookie: 'session=undefined' }],
    ["with the customer's id as the session", () => ({ cookie: `session=${victim}` })],
  ])('gets no token %s', async (_, headers) => {
    const sent = typeof headers === 'function' ? headers() : headers;
    expect((await post('/token', {}, sent as Record<string, string>)).status).toBe(401);
  });

  it.each(['/billing', '/graphql', '/token/graphql'])(
    'has no way to forward an operation: %s',
    async (to) => {
      expect((await post(to, { query: '{ customers { nodes { id } } }' }, { cookie })).status).toBe(404);
    },
  );

  it.each(['/site.mjs', '/../site.mjs', '/public/page.js', '/%2e%2e/site.mjs', '/__proto__'])(
    'reads no other file: %s',
    async (to) => {
      expect((await fetch(site + to)).status).toBe(404);
    },
  );

  it.each([
    ['a form of another site', { 'content-type': 'text/plain' }, '{}'],
    ['a body that is no JSON', {}, '{'],
    ['a long body', {}, 'x'.repeat(20_000)],
  ])('is refused to sign up with %s', async (_, headers, body) => {
    expect((await post('/sign-up', body, headers)).status).toBe(400);
  });
});

it.each(['apollo-client', 'urql', 'relay'])('%s has pages with the credentials of pages alone', (guide) => {
  const blocks = readBlocks(`${guide}.md`);
  expect(blocks.filter(({ info }) => info === 'sh run beside').map(({ text }) => text)).toEqual([
    'node site.mjs\n',
  ]);
  const pages = blocks.filter(({ info }) => /file=page\//.test(info)).map(({ text }) => text);
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) expect(page).not.toMatch(/API_KEY|api-key/);
});
