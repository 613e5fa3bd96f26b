/** The site of the guides, attacked by a visitor: it executes the documents of its pages, for the visitor alone. */
import { spawn, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { freePort } from '../support/ports.ts';
import { buildEnvironment } from '../support/program.ts';
import { createShop } from '../support/shop.ts';
import { emptyFolder, readBlocks } from './guide.ts';

const account = 'query Account($customerId: ID!) { activeSubscriptions(customerId: $customerId) { id } }';
const order = `mutation Order($customerId: ID!, $productId: ID!, $priceId: ID!) {
  createSubscriptionIntent(input: {
    customerId: $customerId, productId: $productId, priceId: $priceId, receiptUrl: "https://shop.example/thanks"
  }) { id customerId }
}`;
const everybody = '{ customers { nodes { id email } } }';
const toId = (text: string) => `sha256:${hash('sha256', text)}`;

let app: TestApp;
let client: Client;
let folder: ReturnType<typeof emptyFolder>;
let child: ChildProcess;
let site: string;
let victim: string;
let chosen: { productId: string; priceId: string };
let cookie: string;

const startSite = (documents: object, env: Record<string, string>) => {
  writeFileSync(path.join(folder.path, 'documents.json'), JSON.stringify(documents));
  return spawn(process.execPath, ['site.mjs'], { cwd: folder.path, env: buildEnvironment(env) });
};

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  const { price } = await shop.product({ amount: 9, currency: 'usd' });
  chosen = { productId: price.productId, priceId: price.id };
  const customer = await shop.customer();
  victim = customer.id;
  await shop.subscribe(customer, price);

  folder = emptyFolder();
  copyFileSync(path.join(root, 'docs/guides/site.mjs'), path.join(folder.path, 'site.mjs'));
  const port = String(await freePort());
  site = `http://127.0.0.1:${port}`;
  const env = { BILLING_URL: await listen(app), API_KEY: client.apiKey, SITE_PORT: port };
  const started = startSite({ [toId(account)]: account, [hash('sha256', order)]: order }, env);
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

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(site + url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
/** What a visitor who is signed in gets. */
const ask = async (body: unknown, headers: Record<string, string> = {}) => {
  const response = await post('/billing', body, { cookie, ...headers });
  const { data, errors } = (await response.json()) as any;
  return { status: response.status, data, reason: errors?.[0].extensions.reason };
};

describe('a visitor', () => {
  it('is served by what the key alone would have answered', async () => {
    const { customers } = await client.graphql(everybody);
    expect(customers.nodes.map(({ id }: any) => id)).toContain(victim);
    const { activeSubscriptions } = await client.graphql(account, { customerId: victim });
    expect(activeSubscriptions).toHaveLength(1);
  });

  it.each<[name: string, body: unknown]>([
    ['a text', { query: everybody }],
    ['a text under the name of a document', { query: everybody, operationName: 'Account' }],
    ['the id of another text', { documentId: toId(everybody) }],
    ['the id of another text together with it', { documentId: toId(everybody), query: everybody }],
    [
      'a persisted query of Apollo',
      {
        query: everybody,
        extensions: { persistedQuery: { version: 1, sha256Hash: hash('sha256', everybody) } },
      },
    ],
    ['a batch', [{ query: everybody }]],
    ['the name of a method', { documentId: '__proto__' }],
    ['a list of ids', { documentId: [toId(account)] }],
    ['nothing', 'null'],
  ])('cannot run another document, sent as %s', async (_, body) => {
    expect(await ask(body)).toEqual({ status: 404, data: undefined, reason: 'document_not_found' });
  });

  it('cannot add a text to a document', async () => {
    const { data } = await ask({ documentId: toId(account), query: everybody, operationName: 'X' });
    expect(data).toEqual({ activeSubscriptions: [] });
  });

  it.each([
    ['as a variable', { variables: () => ({ customerId: victim }) }],
    ['in lists', { variables: () => ({ customerId: [victim], id: victim, customerid: victim }) }],
    ['in an input', { variables: () => ({ input: { customerId: victim } }) }],
    ['as a prototype', { variables: () => JSON.parse(`{"__proto__": {"customerId": "${victim}"}}`) }],
  ])('cannot read another customer, named %s', async (_, { variables }) => {
    const { data } = await ask({ documentId: toId(account), variables: variables() });
    expect(data).toEqual({ activeSubscriptions: [] });
  });

  it('orders for nobody else', async () => {
    const { data } = await ask({ documentId: toId(order), variables: { ...chosen, customerId: victim } });
    const { customerId } = data.createSubscriptionIntent;
    expect(customerId).not.toBe(victim);
    const { customer } = await client.graphql('query ($id: ID!) { customer(id: $id) { firstName } }', {
      id: customerId,
    });
    expect(customer.firstName).toBe('Eve');
  });

  it.each([
    ['without a session', { cookie: '' }],
    ['with a session of nobody', { cookie: 'session=undefined' }],
    ["with the customer's id as the session", { cookie: () => `session=${victim}` }],
  ])('is asked to sign in %s', async (_, { cookie: other }) => {
    const sent = typeof other === 'function' ? other() : other;
    const refused = await ask(
      { documentId: toId(account), variables: { customerId: victim } },
      { cookie: sent },
    );
    expect(refused).toEqual({ status: 401, data: undefined, reason: 'sign_in_required' });
  });

  it.each([
    ['a form of another site', { 'content-type': 'text/plain' }, '{}'],
    ['a body that is no JSON', {}, '{'],
    ['a long body', {}, 'x'.repeat(20_000)],
  ])('is refused for %s', async (_, headers, body) => {
    expect(await ask(body, headers)).toMatchObject({ status: 400, reason: 'validation_failed' });
  });
});

it('the site does not start with a document in which a page would choose all fields of an input', async () => {
  const text =
    'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }';
  const started = startSite({ [toId(text)]: text }, { SITE_PORT: '0' });
  const [code] = await once(started, 'close');
  expect(code).not.toBe(0);
});

it.each(['apollo-client', 'urql', 'relay'])('%s has pages behind that site', (guide) => {
  const blocks = readBlocks(`${guide}.md`);
  expect(blocks.filter(({ info }) => info === 'sh run beside').map(({ text }) => text)).toEqual([
    'node site.mjs\n',
  ]);
  const pages = blocks.filter(({ info }) => /file=page/.test(info)).map(({ text }) => text);
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) expect(page).not.toMatch(/API_KEY|api-key|BILLING_URL/);
});
