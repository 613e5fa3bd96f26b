/**
 * Menus and dialogs of the console can be read by all (WCAG 2.2 AA) while they are open: by day and by night, on a phone, and
 * from right to left. `TEST_PICTURES` names a folder that receives a picture of each.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let ids: { customer: string; invoice: string; subscription: string };
let url: string;
let cookie: { name: string; value: string };

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  const ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  const subscription = await books.subscribe(ada, await books.plan(50, { name: 'Studio', currency: 'eur' }));
  const [invoice] = await books.invoices();
  ids = { customer: ada.id, invoice: invoice.id, subscription };
  const [name, value] = (await signInOperator(app, { tenant: books.alias })).cookie.split('=');
  cookie = { name: name!, value: value! };
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());

const windows: [name: string, options: BrowserContextOptions & { width: number }][] = [
  ['day', { width: 1280 }],
  ['phone by night', { width: 360, colorScheme: 'dark' }],
  ['Persian by night', { width: 1280, locale: 'fa', colorScheme: 'dark' }],
  ['Persian phone', { width: 360, locale: 'fa' }],
];

const press = (selector: string) => (page: Page) => page.locator(selector).first().click();
const menu = '[role=menu]';
/** The menu of a screen's actions, which come with the record, and that of its queries, which is always there. */
const actions = 'main header [aria-haspopup=menu]:not(:last-child)';
const queries = 'main header [aria-haspopup=menu]:last-child';
const dialog = 'dialog[open]';

/** Chooses an entry of the menu of further actions by its place. */
const choose = (index: number) => async (page: Page) => {
  await press(actions)(page);
  await page.getByRole('menuitem').nth(index).click();
};

const openSidebar = async (page: Page) => {
  const button = page.locator('.topbar button[aria-expanded]');
  if (await button.isVisible()) await button.click();
};

/** The screens to open, and a text that each must show. */
const opened: [name: string, getPath: () => string, open: (page: Page) => Promise<unknown>, seen: string][] =
  [
    ['columns', () => '/customers', press('.table-tools-end [aria-haspopup=menu]'), menu],
    ['API', () => '/customers', press(queries), menu],
    ['export', () => '/customers', press('.table-tools-end > button:last-of-type'), dialog],
    ['new record', () => '/customers', press('main header button.main'), dialog],
    [
      'tenants',
      () => '/events',
      async (page) => {
        await openSidebar(page);
        await press('.sidebar-tenant')(page);
      },
      menu,
    ],
    [
      'operator',
      () => '/events',
      async (page) => {
        await openSidebar(page);
        await press('.sidebar-foot [aria-haspopup=menu]')(page);
      },
      menu,
    ],
    [
      'commands',
      () => '/events',
      async (page) => {
        await page.keyboard.press('Control+k');
        await page.locator('.commands input').fill('Ada');
        await page.getByRole('option', { name: /Lovelace/ }).waitFor();
      },
      dialog,
    ],
    ['shortcuts', () => '/events', (page) => page.keyboard.press('?'), dialog],
    ['documents', () => `/invoices/${ids.invoice}`, press(actions), menu],
    ['refund', () => `/invoices/${ids.invoice}`, press('main header button:not([aria-haspopup])'), dialog],
    [
      'line',
      () => `/invoices/${ids.invoice}`,
      press('main [aria-expanded=false]:not([aria-haspopup])'),
      '[aria-expanded=true]',
    ],
    ['customer', () => `/customers/${ids.customer}`, press(actions), menu],
    ['charge', () => `/customers/${ids.customer}`, choose(0), dialog],
    ['sell', () => `/customers/${ids.customer}`, press('main header button.main'), dialog],
    ['change', () => `/subscriptions/${ids.subscription}`, press('main header button.main'), dialog],
    ['cancel', () => `/subscriptions/${ids.subscription}`, press(actions), menu],
    ['key', () => '/keys', press('main header button.main'), dialog],
    ['coupon', () => '/coupons', press('main header button.main'), dialog],
    ['figures', () => '/reports', press('main details > summary'), 'details[open]'],
  ];

it.each(windows)('can be read by all while open: %s', async (look, { width, ...options }) => {
  const browser = await connectBrowser();
  const context = await browser.newContext({ viewport: { width, height: 860 }, locale: 'en', ...options });
  await context.addCookies([{ ...cookie, url }]);
  const page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  for (const [name, getPath, open, seen] of opened) {
    await page.goto(`${url}/console/t/${books.alias}${getPath()}`);
    await page.locator('main h1').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    await open(page);
    await page.locator(seen).first().waitFor();
    // What slides in is examined where it comes to rest.
    await page.waitForTimeout(200);
    await expectReadable(page, `console-open-${name}-${look}`.replaceAll(' ', '-'));
  }
  await context.close();
});
