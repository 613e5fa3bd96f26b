/**
 * The console in a real browser: signing in, lists, a customer, keys, live events and the limits of roles.
 * `TEST_PICTURES` names a folder that receives pictures.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import {
  addPasskeyDevice,
  browserStartMs,
  connectBrowser,
  expectReadable,
  watchDocuments,
} from '../support/browser.ts';
import { createOperatorLink, signInOperator } from '../support/operators.ts';
import { freePort } from '../support/ports.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let base: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
/** A customer with a subscription and a paid invoice. */
let ada: any;

beforeAll(async () => {
  buildConsole();
  const port = await freePort();
  base = `http://localhost:${port}`;
  app = await startApp({ publicUrl: base });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  await books.subscribe(ada, await books.plan(50, { name: 'Studio', currency: 'eur' }));
  // Of https pages and of localhost, whose addresses differ by machine: the server listens where the browser looks.
  await app.server.listen({ host: 'localhost', port });
  browser = await connectBrowser();
}, browserStartMs);
afterAll(() => app.close());
beforeEach(() => {
  complaints = [];
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

interface Window {
  width?: number;
  colorScheme?: 'light' | 'dark';
  locale?: string;
}

/** Opens a window without cookies. */
async function openWindow({ width = 1280, colorScheme = 'light', locale = 'en' }: Window = {}) {
  context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme, locale });
  page = await context.newPage();
  page.on('console', (message) => {
    const isRefusal = /status of 40[13]/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  watchDocuments(context, complaints);
}

/** Opens a window in which an operator with a role is signed in. */
async function openAs(role: 'owner' | 'finance' | 'support' | 'viewer', window: Window = {}) {
  const operator = await signInOperator(app, { role, tenant: books.alias });
  await openWindow(window);
  const [name, value] = operator.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url: base, httpOnly: true, sameSite: 'Strict' }]);
  return operator;
}

const open = (place: string) => page.goto(`${base}/console/t/${books.alias}${place}`);
const waitFor = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();

describe('signing in', () => {
  it('by the link of the first operator, then by a passkey, on a page that was asked for', async () => {
    const { token } = await createOperatorLink(app, { email: 'first@example.com', tenant: books.alias });
    await openWindow();
    await addPasskeyDevice(page);
    await page.goto(`${base}/console/sign-in#${token}`);
    await press('Open the console with this link');
    await page.getByRole('heading', { level: 1, name: 'Add a passkey or set a password' }).waitFor();
    expect(page.url()).not.toContain(token);
    await expectReadable(page, 'console-welcome');

    await press('Add a passkey');
    await page.getByLabel('Name').last().fill('Test device');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.goto(`${base}/console/account`);
    await page.getByRole('cell', { name: 'Test device', exact: true }).waitFor();
    await expectReadable(page, 'console-account');

    await press('first@example.com');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Perennial' }).waitFor();
    await expectReadable(page, 'console-sign-in');
    await open('/customers?search=nobody@example.com');
    await press('Sign in with a passkey');
    await waitFor('Nothing matches these filters.');
  });

  it('refuses a used link, and says what else to do', async () => {
    const { token } = await createOperatorLink(app, { email: 'second@example.com', tenant: books.alias });
    for (const text of ['Not now', /did not match/]) {
      await openWindow();
      await page.goto(`${base}/console/sign-in#${token}`);
      await press('Open the console with this link');
      await waitFor(text);
      if (text === 'Not now') await context.close();
    }
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
  });

  it('ends within seconds when the session is revoked elsewhere', async () => {
    const operator = await openAs('owner');
    await open('/customers');
    await waitFor('Ada Lovelace');
    await operator.post('mutation { signOut }');
    await page.getByRole('heading', { name: 'Sign in to Perennial' }).waitFor();
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
  });
});

describe('the customers', () => {
  it('are found, read and changed by keyboard alone', async () => {
    await openAs('owner');
    await open('/customers');
    await waitFor('Ada Lovelace');
    await page.keyboard.press('/');
    await page.keyboard.type(ada.email);
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe(ada.email);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or do something').fill(ada.email);
    await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('show a new one without a reload, and a credit where it was granted', async () => {
    await openAs('owner');
    await open('/customers');
    await waitFor('Ada Lovelace');
    await books.shop.customer({ firstName: 'Grace', lastName: 'Hopper' });
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await press('More actions');
    await page.getByRole('menuitem', { name: 'Grant a credit' }).click();
    await page.getByLabel('Amount').fill('12.5');
    await page.getByLabel('Currency').selectOption('eur');
    await page.getByLabel('Reason').fill('=1+1 <img src=x onerror=alert(1)>');
    await press('Grant €12.5');
    await page.getByRole('cell', { name: '=1+1 <img src=x onerror=alert(1)>' }).waitFor();
    await waitFor(/Credit granted: €12\.50/);
  });

  it('are written to a CSV file, without formulas', async () => {
    await openAs('owner');
    await books.shop.customer({ firstName: '=cmd()', lastName: '|calc' });
    await open('/customers');
    await waitFor('=cmd()');
    await press('Export CSV');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = (await (await download.createReadStream()).toArray()).join('').split('\r\n');
    expect(lines[0]).toMatch(/Name,E-mail,Subscriptions/);
    expect(lines.filter((line) => line.includes('cmd()'))).toEqual([expect.stringMatching(/^'=cmd\(\) /)]);
  });
});

it('shows a viewer what they may not do, and why', async () => {
  await openAs('viewer');
  await open(`/customers/${ada.id}`);
  const button = page.getByRole('button', { name: /Start a subscription/ });
  await button.waitFor();
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  expect(await button.getAttribute('title')).toMatch(/manage_subscriptions/);
  await button.click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('creates an API key, shows it once, and revokes it', async () => {
  await openAs('owner');
  await open('/keys');
  await press('New API key');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reports <b>');
  await dialog.getByLabel('Expires').selectOption({ label: 'in 90 days' });
  await dialog.getByRole('button', { name: 'New API key' }).click();
  const apiKey = await dialog.getByLabel('New key').inputValue();
  await expectReadable(page, 'console-keys-new');
  const query = '{ me { scope keyId } }';
  const ask = async () => {
    const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
    return (
      await fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    ).json();
  };
  expect(await ask()).toMatchObject({ data: { me: { scope: 'read' } } });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await waitFor('Reports <b>');
  expect(await page.content()).not.toContain(apiKey);
  await page.getByRole('button', { name: 'Revoke: Reports <b>' }).click();
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('cell', { name: 'Revoked', exact: true }).waitFor();
  await expectReadable(page, 'console-keys');
  expect(await ask()).toMatchObject({ errors: [{ extensions: { reason: 'api_key_invalid' } }] });
});

it('shows no tenant in which the operator has no role', async () => {
  const other = await openBooks(app, '2026-01-31T09:00:00.000Z');
  await openAs('owner');
  await page.goto(`${base}/console/t/${other.alias}/customers`);
  await waitFor('You have no role in this tenant');
  expect(await page.getByRole('table').count()).toBe(0);
});
