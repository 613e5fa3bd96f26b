/** The walk-throughs for clients, followed to their end against a server with the demo tenant. */
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createDemo } from '../../src/cli/demo.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Client } from '../support/app.ts';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { freePort } from '../support/ports.ts';
import { root } from '../sourceFiles.ts';
import { emptyFolder, follow, runIn } from './guide.ts';

interface Reader {
  folder: string;
  client: Client;
  /** What a guide has its reader set. */
  env: Record<string, string>;
}

/** Lets a reader begin: with a server that has the demo tenant, and an empty folder. */
async function withReader(read: (reader: Reader) => Promise<void>) {
  const port = await freePort();
  const app = await startApp({ publicUrl: `http://127.0.0.1:${port}` });
  const folder = emptyFolder();
  try {
    const url = await listen(app, port);
    const quiet = { progress: { show: () => {}, end: () => {} }, isStopping: () => false };
    const apiKey = (await createDemo(app.service, { contents: 'catalog', ...quiet }))!;
    for (const file of ['site.mjs', 'allow.mjs', 'session.mjs', 'view.mjs'])
      copyFileSync(path.join(root, 'docs/guides', file), path.join(folder.path, file));
    const publishable = await createKey(app.service, { tenant: 'demo', kind: 'publishable', scope: 'read' });
    const env = {
      BILLING_URL: url,
      API_KEY: apiKey,
      PUBLISHABLE_KEY: publishable.apiKey,
      SITE_PORT: String(await freePort()),
    };
    await read({ folder: folder.path, client: app.client(apiKey), env });
  } finally {
    folder.remove();
    await app.close();
  }
}

/** There is one subscription, of the customer that the guide made, and its first period is paid. */
async function expectPaid({ client }: Reader) {
  const { subscriptions, invoices } = await client.graphql(`{
    subscriptions { nodes { status productName billedCount customer { firstName } } }
    invoices { nodes { status total { amount currency } } }
  }`);
  expect(subscriptions.nodes).toEqual([
    { status: 'active', productName: 'Basic', billedCount: 1, customer: { firstName: 'Alan' } },
  ]);
  expect(invoices.nodes).toMatchObject([{ status: 'paid', total: { amount: 9, currency: 'usd' } }]);
}

/** What differs between the pages of the guides. */
interface Differences {
  /** The button that orders the chosen plan, where a plan is not ordered at once. */
  orderLabel?: string;
  listsInvoices?: boolean;
}

/** Uses the site as a customer does, in two windows of a real browser: the second one follows by itself. */
async function useSite({ env, client }: Reader, { orderLabel, listsInvoices }: Differences = {}) {
  const site = `http://localhost:${env['SITE_PORT']}/`;
  const context = await (await connectBrowser()).newContext();
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  try {
    const page = await context.newPage();
    await page.goto(site);
    await page.getByRole('button', { name: 'Basic: 9.00 usd a month' }).waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill('kurt@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('button', { name: 'Sign up' }).waitFor({ state: 'detached' });
    const second = await context.newPage();
    await second.goto(site);
    await second.getByRole('button', { name: 'Pro: 29.00 usd a month' }).waitFor();

    await pressUntil(page, 'Basic: 9.00 usd a month', orderLabel);
    await page.locator('input[value="sandbox_ok"]').check();
    await page.locator('form:has(fieldset) button').click();
    await page.waitForURL((url) => url.href.startsWith(site));
    for (const each of [page, second]) await each.getByText('Basic: active').waitFor();

    await page.getByRole('button', { name: 'Pro: 29.00 usd a month' }).click();
    await page.getByText(/You pay \d+\.\d\d usd now\./).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    for (const each of [page, second]) await each.getByText('Pro: active').waitFor();
    if (listsInvoices) {
      await second.getByRole('button', { name: 'More' }).click();
      await expect.poll(() => second.getByRole('listitem').count()).toBe(2);
    }

    await second.getByRole('button', { name: 'Cancel' }).click();
    for (const each of [page, second]) await each.getByText('Pro: ends with the period').waitFor();
    const { subscriptions } = await client.graphql(
      '{ subscriptions(first: 1) { nodes { productName cancelAtPeriodEnd customer { firstName } } } }',
    );
    expect(subscriptions.nodes).toEqual([
      { productName: 'Pro', cancelAtPeriodEnd: true, customer: { firstName: 'Kurt' } },
    ]);
    expect(complaints).toEqual([]);
  } catch (error) {
    throw new Error(complaints.join('\n'), { cause: error });
  } finally {
    await context.close();
  }
}

/** Chooses the plan, and orders it if that takes a button of its own, until the payment page is there. */
async function pressUntil(page: Page, plan: string, orderLabel: string | undefined) {
  await page.getByRole('button', { name: plan }).click();
  if (orderLabel) await page.getByRole('button', { name: orderLabel }).click();
  await page.waitForURL(/\/pay\//);
}

it('rest leads from an empty folder to a paid subscription', () =>
  withReader(async (reader) => {
    await follow('rest.md', reader.folder, reader.env);
    await expectPaid(reader);
  }));

it.each(['urql', 'apollo-client'])(
  '%s leads from an empty folder to a paid subscription, and to a page where customers serve themselves',
  (guide) =>
    withReader(async (reader) => {
      const look = async () => {
        await expectPaid(reader);
        await useSite(reader);
      };
      await follow(`${guide}.md`, reader.folder, reader.env, { look });
    }),
  browserStartMs,
);

it('the guide to federation composes a supergraph, and its gateway joins tickets with customers', () =>
  withReader(async ({ folder, env }) => {
    const ports = { TICKETS_PORT: String(await freePort()), GATEWAY_PORT: String(await freePort()) };
    await follow('federation.md', folder, { ...env, ...ports });
  }));

it('the guide to revenue prints the MRR of a yearly subscription', () =>
  withReader(({ folder, env }) => follow('revenue.md', folder, env)));

it(
  'the guide to Relay works: its compiler accepts the schema, its list pages to the end, and so does its page',
  () =>
    withReader(async (reader) => {
      const { folder, client, env } = reader;
      mkdirSync(path.join(folder, 'src'));
      copyFileSync(path.join(import.meta.dirname, 'relayList.jsx'), path.join(folder, 'src/relayList.jsx'));
      const look = async () => {
        await expectPaid(reader);
        await useSite(reader, { orderLabel: 'Order', listsInvoices: true });
      };
      await follow('relay.md', folder, env, { look });

      // What was made of the server's own schema is what is made of the repository's.
      copyFileSync(path.join(root, 'schema.graphql'), path.join(folder, 'schema.graphql'));
      await runIn(folder, 'npx relay-compiler --validate', env);

      for (const firstName of ['D', 'E', 'F', 'G']) {
        const fields = { associatedId: firstName, email: 'x@example.com', firstName, lastName: 'X' };
        await client.rest('POST', '/customers', { tenantAlias: 'demo', ...fields });
      }
      expect(JSON.parse(await runIn(folder, 'node out/relayList.js', env))).toEqual({
        pages: 4,
        names: ['Ada', 'Grace', 'Alan', 'Kurt', 'D', 'E', 'F', 'G'],
      });
    }),
  browserStartMs,
);
