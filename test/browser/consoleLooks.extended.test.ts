/**
 * The screens of the console are readable by all (WCAG 2.2 AA): by day and by night, on a phone, and from right to left.
 * `TEST_PICTURES` names a folder that receives a picture of each.
 */
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let customerId: string;
let couponId: string;
let url: string;
let cookie: { name: string; value: string };

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  const ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  customerId = ada.id;
  await books.subscribe(ada, await books.plan(50, { name: 'Studio', currency: 'eur' }));
  const sale =
    'mutation { createCoupon(input: { name: "Sale", percentOff: "20", duration: forever }) { id } }';
  couponId = (await books.client.graphql(sale)).createCoupon.id;
  await books.client.graphql(
    'mutation ($id: ID!) { createPromotionCode(input: { couponId: $id, code: "SALE" }) { id } }',
    { id: couponId },
  );
  const [name, value] = (await signInOperator(app, { tenant: books.alias })).cookie.split('=');
  cookie = { name: name!, value: value! };
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());

const windows: [name: string, options: BrowserContextOptions & { width?: number }][] = [
  ['day', {}],
  ['night', { colorScheme: 'dark' }],
  ['phone', { width: 360 }],
  ['fa', { locale: 'fa', colorScheme: 'dark', width: 1024 }],
];
const settings = [
  'business',
  'branding',
  'providers',
  'dunning',
  'portal',
  'policies',
  'taxes',
  'numbers',
  'mail',
  // Axe sends messages to frames, which the frame of a mail refuses.
  'texts?part=text',
  'operators',
  'tests',
];
const places: [name: string, getPath: () => string][] = [
  ['home', () => '/'],
  ['customers', () => '/customers'],
  ['customer', () => `/customers/${customerId}`],
  ['coupons', () => '/coupons'],
  ['coupon', () => `/coupons/${couponId}`],
  ['unknown', () => '/nothing/here'],
  ...settings.map((tab): [string, () => string] => [tab.replace(/\W.*/, ''), () => `/settings/${tab}`]),
];

it.each(windows)('every screen can be read by all: %s', async (name, { width = 1280, ...options }) => {
  const browser = await connectBrowser();
  const context = await browser.newContext({ viewport: { width, height: 860 }, locale: 'en', ...options });
  await context.addCookies([{ ...cookie, url }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  for (const [place, getPath] of places) {
    await page.goto(`${url}/console/t/${books.alias}${getPath()}`);
    await page.locator('h1, .empty h2').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    await page.waitForTimeout(300);
    await expectReadable(page, `console-${place}-${name}`);
  }
  await context.close();
  expect(complaints).toEqual([]);
});
