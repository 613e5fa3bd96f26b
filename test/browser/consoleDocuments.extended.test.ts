/** The documents of the console: sent by their id, to a server that executes nothing else, and by a page of another release. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser, watchDocuments } from '../support/browser.ts';
import { createOperatorLink } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
import { buildConsole } from '../support/program.ts';
import { createShop, type Shop } from '../support/shop.ts';

let app: TestApp;
let base: string;
let shop: Shop;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  buildConsole();
  const port = await freePort();
  base = `http://localhost:${port}`;
  app = await startApp({ publicUrl: base, trustedDocumentsOnly: 'on' });
  shop = createShop(await app.tenant({ alias: 'acme', test: true }), 'acme');
  await app.server.listen({ host: 'localhost', port });
}, browserStartMs);
afterAll(() => app.close());
afterEach(() => context.close());

/** Opens a window, after `prepare`, and signs in by a link. */
async function signIn(prepare: () => Promise<void> = async () => {}) {
  context = await (
    await connectBrowser()
  ).newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  await prepare();
  page = await context.newPage();
  const { token } = await createOperatorLink(app, {
    email: 'ada@example.com',
    role: 'owner',
    tenant: 'acme',
  });
  await page.goto(`${base}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Open the console with this link' }).click();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
}

/** A query, a mutation and live events. */
async function useConsole(lastName: string) {
  await page.goto(`${base}/console/t/acme/customers`);
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  await shop.customer({ firstName: 'Ada', lastName });
  await page.getByRole('link', { name: `Ada ${lastName}` }).click();
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Grant a credit' }).click();
  await page.getByLabel('Amount').fill('12.5');
  await page.getByLabel('Reason').fill('Sorry');
  await page.getByRole('button', { name: /^Grant / }).click();
  await page.getByRole('cell', { name: 'Sorry' }).waitFor();
  await page
    .getByText(/Credit granted: .12\.50/)
    .first()
    .waitFor();
}

describe('a server that executes trusted documents only', () => {
  it('executes those of the console', async () => {
    const complaints: string[] = [];
    await signIn(async () => watchDocuments(context, complaints));
    await useConsole('Lovelace');
    expect(complaints).toEqual([]);
  });

  it('refuses others with the cookie of the console', async () => {
    await signIn();
    const status = await page.evaluate(async () => {
      const headers = {
        'content-type': 'application/json',
        'perennial-console': '1',
        'perennial-tenant': 'acme',
      };
      const body = JSON.stringify({ query: '{ tenant { alias } }' });
      return (await fetch('/graphql', { method: 'POST', headers, body })).status;
    });
    expect(status).toBe(403);
  });
});

it('sends the text, once refused, where the server is of another release', async () => {
  const sent: { id: string | undefined; query: string | undefined }[] = [];
  await signIn(async () => {
    await context.route(/\/graphql(\/stream)?$/, async (route) => {
      const { documentId, query, ...rest } = route.request().postDataJSON();
      sent.push({ id: documentId, query });
      // As if the server had never seen the document.
      const id = documentId && `sha256:${'0'.repeat(64)}`;
      await route.continue({ postData: JSON.stringify({ documentId: id, query, ...rest }) });
    });
  });
  await useConsole('Byron');
  const ids = sent.flatMap(({ id }) => id ?? []);
  expect(ids.length).toBeGreaterThan(5);
  // Each page load begins anew.
  expect(ids.length).toBeLessThan(sent.length);
  const kinds = sent.flatMap(({ query }) => /^(query|mutation|subscription)/.exec(query ?? '')?.[0] ?? []);
  expect([...new Set(kinds)].toSorted()).toEqual(['mutation', 'query', 'subscription']);
  const documents = JSON.parse(readFileSync('dist/console/documents.json', 'utf8'));
  expect(ids.filter((id) => !(id in documents))).toEqual([]);
});
