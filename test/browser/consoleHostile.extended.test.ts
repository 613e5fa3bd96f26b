/**
 * Scripts in every text that the schema takes, and in what others send: no screen of the console and no page for customers
 * runs one, or breaks the content security policy. A mutation or a screen without a row fails.
 */
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { browserStartMs, connectBrowser, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { fillTexts, listWriters, mark, type Filled } from '../support/hostileTexts.ts';
import { graphqlRows } from '../support/operations.ts';
import { consoleHeaders, createOperatorLink, postConsole, signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';
import { sampledInCore } from '../support/sample.ts';
import { fillTenant, type World } from '../support/world.ts';
import { payPath } from '../support/payLinks.ts';

/** Operations of operators; `undefined`: their texts are secrets and proofs, which are compared and never shown. */
const ofOperators: Record<string, Record<string, any> | undefined> = {
  createApiKey: { input: { scope: 'read' } },
  createTestTenant: { input: { alias: 'acme-try' } },
  updateOperator: { input: {} },
  saveViews: { input: { list: 'invoices', views: [{ name: 'Open', query: 'status=open' }] } },
  createTenant: { input: { alias: 'made', name: 'Made', isTest: true } },
  inviteOperator: { input: { email: 'new@example.com', role: 'viewer' } },
  finishPasskeyRegistration: undefined,
  finishPasskeySignIn: undefined,
  finishPasskeyStepUp: undefined,
  finishTotp: undefined,
  redeemOperatorLink: undefined,
  setPassword: undefined,
  signInWithPassword: undefined,
  stepUpWithPassword: undefined,
};

const hostileText = `<img src=x ${mark}(1)>"'><svg onload=hacked(2)>`;

/** The ids that the addresses of screens need. */
interface Ids extends World {
  madeInvoice: string;
  madePrice: string;
  madeProduct: string;
  traces: string[];
  madeIntent: string;
  approval: string;
  portalUrl: string;
}

/** The addresses below the tenant's, by the folder of the screen; `plain` ones show no text of others. */
const screens: Record<string, { paths: (ids: Ids) => string[]; plain?: true }> = {
  approval: { paths: ({ approval }) => [`/approvals/${approval}`] },
  approvals: { paths: () => ['/approvals'] },
  account: { paths: () => ['~/console/account'] },
  catalog: { paths: () => ['/catalog', '/catalog?tab=credits'] },
  clock: { paths: () => ['/clock'], plain: true },
  coupon: { paths: ({ coupon }) => [`/coupons/${coupon}`] },
  coupons: { paths: () => ['/coupons'] },
  creditNote: { paths: ({ creditNote }) => [`/credit-notes/${creditNote}`] },
  customer: { paths: ({ customer }) => [`/customers/${customer}`] },
  customers: { paths: () => ['/customers', '/customers?search=%3Cimg%20src=x%20onerror=hacked(1)%3E'] },
  delivery: { paths: ({ delivery }) => [`/deliveries/${delivery}`] },
  event: { paths: ({ traces }) => traces.map((id) => `/events/${id}`) },
  events: { paths: () => ['/events'] },
  home: { paths: () => ['/'] },
  invoice: { paths: ({ madeInvoice }) => [`/invoices/${madeInvoice}`] },
  invoices: { paths: () => ['/invoices'] },
  keys: { paths: () => ['/keys'] },
  mail: { paths: ({ mail }) => [`/mails/${mail}`], plain: true },
  mails: { paths: () => ['/mails'], plain: true },
  meter: { paths: ({ meter }) => [`/meters/${meter}`] },
  meters: { paths: () => ['/meters'] },
  newTenant: { paths: () => ['~/console/new-tenant'], plain: true },
  payments: { paths: () => ['/payments'] },
  price: { paths: ({ madeProduct, madePrice }) => [`/catalog/${madeProduct}/prices/${madePrice}`] },
  product: { paths: ({ product }) => [`/catalog/${product}`] },
  reports: { paths: () => ['/reports'], plain: true },
  settings: {
    paths: () =>
      [
        'business',
        'branding',
        'providers',
        'portal',
        'taxes',
        'mail',
        'texts?kind=receipt&language=de',
        'operators',
      ].map((part) => `/settings/${part}`),
  },
  signIn: { paths: () => [`~/console/sign-in#${encodeURIComponent(hostileText)}`], plain: true },
  subscription: { paths: ({ subscription }) => [`/subscriptions/${subscription}`] },
  subscriptions: { paths: () => ['/subscriptions'] },
  webhook: { paths: ({ endpoint }) => [`/webhooks/${endpoint}`] },
  webhooks: { paths: () => ['/webhooks'] },
  welcome: { paths: () => ['~/console/welcome'], plain: true },
};

const settleMs = 250;

let app: TestApp;
let client: Client;
let server: Server;
let url: string;
let ids: Ids;
let context: BrowserContext;
let page: Page;
const filled = new Map<string, Filled>();
const complaints: string[] = [];

beforeAll(async () => {
  buildConsole();
  app = await startApp({
    publicUrl: 'http://localhost',
    webhookAllowPrivate: 'on',
    rateLimitPerSecond: '1000000',
    graphqlCost: '100000',
  });
  client = await app.tenant({ alias: 'acme', test: true });
  const world = await fillTenant(client, 'acme');
  const owner = await openOwner();
  for (const root of listWriters(schema)) {
    const call = graphqlRows[root.name]?.call(world) ?? ofOperators[root.name];
    const caller = graphqlRows[root.name] ? client : owner;
    const post = (query: string, variables: Record<string, any>) => caller.post(query, variables);
    if (call) filled.set(root.name, await fillTexts(schema, root, call, post));
  }
  await receiveHostileResponse(world);
  ids = await findIds(world);
  url = await listen(app);
  context = await (
    await connectBrowser()
  ).newContext({ viewport: { width: 1280, height: 1600 }, locale: 'en' });
  const [name, value] = owner.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url }]);
  await context.addInitScript(`
    window.hacked = (place) => console.error('HACKED ' + place + ' at ' + location);
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      console.error('POLICY ' + violatedDirective + ' ' + blockedURI + ' ' + sourceFile + ' at ' + location));
  `);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const isRefusal = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`);
  });
}, browserStartMs);
afterAll(async () => {
  await context?.close();
  await app?.close();
  server?.close();
});

/** Signs in an owner with a passkey and a browser of hostile names. */
async function openOwner() {
  const owner = await signInOperator(app, { tenant: 'acme' });
  const { token } = await createOperatorLink(app, { email: owner.email });
  const headers = { ...consoleHeaders, 'user-agent': hostileText };
  await postConsole(
    app,
    'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id } }',
    { token },
    headers,
  );
  const start = await owner.post('mutation { startPasskeyRegistration { id: challengeId options } }');
  const { id: challengeId, options } = start.body.data.startPasskeyRegistration;
  const response = createAuthenticator('http://localhost').create(options);
  const finish = await owner.post(
    'mutation ($input: FinishPasskeyRegistrationInput!) { finishPasskeyRegistration(input: $input) { id } }',
    { input: { challengeId, response, name: hostileText } },
  );
  expect(finish.body.errors, finish.text).toBeUndefined();
  return owner;
}

/** Delivers a webhook to a server that responds with a script. */
async function receiveHostileResponse(world: World) {
  server = createServer((_, response) => response.writeHead(500, 'Hostile').end(hostileText));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?'${mark}(8)'`;
  await client.graphql(
    'mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(id: $id, input: $input) { id } }',
    { id: world.endpoint, input: { url: address } },
  );
  const document = 'mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id } }';
  world.delivery = (await client.graphql(document, { id: world.endpoint })).testWebhookEndpoint.id;
  await app.service.dispatcher.deliverDue(app.service, 'acme');
}

async function findIds(world: World): Promise<Ids> {
  const idOf = (name: string) => filled.get(name)?.answer?.body.data[name].id as string;
  const { createPrices } = filled.get('createPrices')!.answer!.body.data;
  const { traces } = await client.graphql(`{ traces(first: 100) { nodes { eventId activityType } } }`);
  const kinds = new Map<string, string>(traces.nodes.map((each: any) => [each.activityType, each.eventId]));
  const { createPortalSession } = await client.graphql(
    'mutation ($id: ID!) { createPortalSession(input: { customerId: $id }) { url } }',
    { id: world.customer },
  );
  return {
    ...world,
    madeInvoice: idOf('createInvoice'),
    madeProduct: world.product,
    madePrice: createPrices[0].id,
    madeIntent: idOf('createSubscriptionIntent'),
    approval: idOf('proposeAction'),
    // Their payloads are shown alike.
    traces: [...kinds.values()].slice(0, 3),
    portalUrl: createPortalSession.url,
  };
}

/** Opens an address; returns whether a hostile text is shown there. */
async function visit(address: string): Promise<boolean> {
  await page.goto(address, { waitUntil: 'load' });
  await page.locator('h1, h2').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  // Lists and frames fill a moment later.
  await page.waitForTimeout(settleMs);
  const links = await page
    .locator('a[href], form[action], iframe[src], [formaction]')
    .evaluateAll((elements) =>
      elements.flatMap((element) =>
        ['href', 'action', 'src', 'formaction'].map((name) => element.getAttribute(name) ?? ''),
      ),
    );
  expect(links.filter((link) => /^\s*(javascript|data|vbscript):/i.test(link))).toEqual([]);
  const shown = `document.documentElement.innerText +
    [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join(' ')`;
  return String(await page.evaluate(shown)).includes(mark);
}

describe('hostile texts', () => {
  it('have been sent to every mutation that takes texts', () => {
    const names = listWriters(schema).map(({ name }) => name);
    const known = new Set([...filled.keys(), ...Object.keys(ofOperators)]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(ofOperators).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('are accepted where people write freely', () => {
    expect([...filled.values()].flatMap(({ accepted }) => accepted).length).toBeGreaterThan(60);
  });
});

describe('the console', () => {
  it('has a row for each screen', () => {
    const folders = readdirSync('src/console/screens');
    expect(folders.filter((folder) => !(folder in screens))).toEqual([]);
  });

  it('is watched: a script that is put into a screen is noticed', async () => {
    await visit(`${url}/console/t/acme/customers`);
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=hacked(0)>')`);
    await expect.poll(() => complaints.some((text) => text.includes('POLICY script-src-attr'))).toBe(true);
    complaints.length = 0;
  });

  it('runs no script, and shows the texts as they are', async () => {
    const silent: string[] = [];
    for (const [folder, { paths, plain }] of sampledInCore(Object.entries(screens), 5)) {
      let isShown = false;
      for (const path of paths(ids)) {
        const address = path.startsWith('~') ? url + path.slice(1) : `${url}/console/t/acme${path}`;
        isShown = (await visit(address)) || isShown;
      }
      if (!isShown && !plain) silent.push(folder);
    }
    expect(complaints).toEqual([]);
    expect(silent).toEqual([]);
  });
});

describe('the pages for customers', () => {
  it('run no script', async () => {
    const portal = new URL(ids.portalUrl).pathname;
    const silent: string[] = [];
    for (const path of [
      await payPath(app, ids.madeIntent),
      portal,
      `/portal/acme`,
      `/portal/acme/invoices`,
    ]) {
      if (!(await visit(url + path))) silent.push(path);
    }
    expect(complaints).toEqual([]);
    expect(silent).toEqual([]);
  });
});

describe('the documentation', () => {
  it('searches for a script without running it', async () => {
    await page.goto(`${url}/docs`);
    await page.locator('#page-search').fill(hostileText);
    await page.waitForTimeout(settleMs);
    expect(complaints).toEqual([]);
  });
});
