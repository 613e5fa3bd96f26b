/** The React parts in a real browser, over a session of a customer that a route of the site creates. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { freePort } from '../support/ports.ts';
import { findInstalled, importSdk, installSdk } from '../support/sdk.ts';
import { root } from '../sourceFiles.ts';

const mostBytes = 15 * 1024;

const { Perennial } = await importSdk();
const { perennialRoute } = await importSdk('express');

let app: TestApp;
let client: Client;
let perennial: any;
let url: string;
let folder: string;
let site: Server | undefined;
let address: string;
let customerId: string;

const program = `
import { createRoot } from 'react-dom/client';
import { ManageSubscription, PerennialProvider, PricingTable, Usage } from '@perennial/sdk/react';

const session = async () => (await fetch('/perennial', { method: 'POST' })).json();
createRoot(document.getElementById('root')).render(
  <PerennialProvider url={BILLING_URL} session={session}>
    <h1>Account</h1>
    <ManageSubscription locale="en-US" />
    <PricingTable locale="en-US" receiptUrl="https://shop.example/thanks" />
    <Usage />
  </PerennialProvider>,
);
`;

/** Bundles a program that uses the package. */
async function bundle(text: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: folder, loader: 'tsx' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    external,
    nodePaths: [path.join(root, 'node_modules')],
    define: { BILLING_URL: JSON.stringify(url), 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]!.text;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'perennial-sdk-react-'));
  mkdirSync(path.join(folder, 'node_modules/@perennial'), { recursive: true });
  symlinkSync(findInstalled(installSdk()), path.join(folder, 'node_modules/@perennial/sdk'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const port = await freePort();
  url = `http://localhost:${port}`;
  app = await startApp({ publicUrl: url });
  client = await app.tenant({ alias: 'acme', test: true });
  await app.server.listen({ host: 'localhost', port });
  perennial = new Perennial({ url, key: client.apiKey });
  const group = await perennial.groups.create({ name: 'Plans', prorateUpgrades: true });
  for (const [name, decimal] of [
    ['Basic', '10.00'],
    ['Pro', '30.00'],
  ])
    await perennial.products.create({
      groupId: group.id,
      name,
      description: `${name} for you`,
      features: ['Support'],
      prices: [{ details: { decimal, currency: 'usd' }, recurring: { frequency: 'Monthly', period: 1 } }],
    });
  const customer = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId: 'ada' };
  customerId = (await perennial.customers.create(customer)).id;
  const route = perennialRoute({
    perennial,
    customer: () => ({ customerId, allow: ['subscribe', 'change_subscription', 'cancel_subscription'] }),
  });
  const script = await bundle(program);
  site = createServer((request, response) => {
    if (request.method === 'POST') {
      route(request, response, () => response.destroy());
      return;
    }
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    const page =
      '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>';
    response.end(
      isScript
        ? script
        : `${page}<main id="root"></main><script type="module" src="/page.js"></script></html>`,
    );
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  address = `http://localhost:${(site.address() as AddressInfo).port}`;
  await perennial.tenant.update({
    allowedOrigins: [address],
    portal: { planChange: true, cancellation: 'period_end' },
  });
}, browserStartMs);
afterAll(async () => {
  site?.closeAllConnections();
  site?.close();
  rmSync(folder, { recursive: true });
  await app.close();
});

/** Opens the page, and fails with what it complains of. */
async function withPage(use: (page: Page) => Promise<void>) {
  const context = await (await connectBrowser()).newContext();
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    // The payment page is another site.
    if (message.type() === 'error' && message.location().url.startsWith(address))
      complaints.push(message.text());
  });
  try {
    const page = await context.newPage();
    await page.goto(address);
    await use(page);
    expect(complaints).toEqual([]);
  } catch (error) {
    throw new Error(complaints.join('\n'), { cause: error });
  } finally {
    await context.close();
  }
}

it('leads a customer from a plan to another one and to the end, live and readable', () =>
  withPage(async (page) => {
    await page.getByText('You have no subscription.').waitFor();
    await page.getByRole('button', { name: /^Choose Basic/ }).waitFor();
    await expectReadable(page, 'sdk-react-plans');
    await page.getByRole('button', { name: /^Choose Basic/ }).click();
    await page.waitForURL(/\/pay\//);

    // Paid elsewhere: an open page shows it by itself.
    await page.goto(address);
    await page.getByText('You have no subscription.').waitFor();
    const [intent] = await perennial.intents.list().first(1);
    await perennial.intents.confirm(intent.id, { paymentMethod: 'sandbox_ok' });
    await page.getByRole('heading', { name: 'Basic' }).first().waitFor();
    await page.getByText('Your plan', { exact: true }).waitFor();

    await page.getByRole('button', { name: /^Choose Pro/ }).click();
    await page.getByText(/^You pay \$\d+\.\d\d now\.$/).waitFor();
    await expectReadable(page, 'sdk-react-change');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Cancel Pro' }).waitFor();

    await page.getByRole('button', { name: 'Cancel Pro' }).click();
    await expectReadable(page, 'sdk-react-cancel');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(/^Ends on /).waitFor();
    await page.getByRole('button', { name: 'Keep Pro' }).click();
    await page.getByText(/^Renews on /).waitFor();
    const [subscription] = await perennial.subscriptions.list().first(1);
    expect(subscription).toMatchObject({ productName: 'Pro', cancelAtPeriodEnd: false });
  }));

it('shows usage, and its changes', async () => {
  const meter = await perennial.meters.create({ name: 'Calls', event: 'call', aggregation: 'count' });
  await perennial.features.create({ key: 'calls', name: 'Calls', kind: 'limit', meterId: meter.id });
  await perennial.entitlementOverrides.create({ customerId, feature: 'calls', value: 5 });
  await withPage(async (page) => {
    await page.getByText('0 of 5 used').waitFor();
    await expectReadable(page, 'sdk-react-usage');
  });
});

it('renders on a server, without a request, what was read there', async () => {
  const text = await bundle(`
    import { renderToString } from 'react-dom/server.browser';
    import { ManageSubscription, PerennialProvider, PricingTable } from '@perennial/sdk/react';
    const session = () => Promise.reject(new Error('A request was made'));
    const initial = {
      viewer: { allow: [], customer: { id: 'cus_1', email: '', firstName: '', lastName: '', activeSubscriptions: [] } },
      plans: [{ id: 'prod_1', name: 'Basic', description: '', features: [], highlighted: false, groupId: null, prices: [] }],
    };
    export const html = renderToString(
      <PerennialProvider url="https://billing.example" session={session} initial={initial}>
        <ManageSubscription /><PricingTable receiptUrl="" />
      </PerennialProvider>,
    );
    export const empty = renderToString(
      <PerennialProvider url="https://billing.example" session={session}><PricingTable receiptUrl="" /></PerennialProvider>,
    );
  `);
  const file = path.join(folder, 'server.mjs');
  writeFileSync(file, text);
  const { html, empty } = (await import(/* @vite-ignore */ file)) as { html: string; empty: string };
  expect(html).toContain('You have no subscription.');
  expect(html).toContain('<h3>Basic</h3>');
  expect(empty).toContain('Loading');
});

it('is small beside React', async () => {
  const text = await bundle("export * from '@perennial/sdk/react';", ['react', 'react/jsx-runtime']);
  expect(gzipSync(text).length).toBeLessThanOrEqual(mostBytes);
});
