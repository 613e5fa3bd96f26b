/** A busy server, in a real browser: the console asks again, and says what it cannot show instead of showing nothing. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, pick, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let url: string;
let context: BrowserContext;
let page: Page;
let price: any;
let subscriptionId: string;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  price = await books.plan(50, { name: 'Studio', currency: 'eur' });
  subscriptionId = await books.subscribe(await books.shop.customer(), price);
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());
beforeEach(async () => {
  const [name, value] = (await signInOperator(app, { tenant: books.alias })).cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
});
afterEach(() => context.close());

const open = (place: string) => page.goto(`${url}/console/t/${books.alias}${place}`);

/** Answers an operation as a busy server does, a number of times. Returns how often it was sent. */
async function refuse(operation: string, field: string, times: number, reason = 'unavailable') {
  const sent = { count: 0 };
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON()?.operationName !== operation) return route.continue();
    sent.count += 1;
    if (sent.count > times) return route.continue();
    const extensions = { reason, code: reason.toUpperCase(), status: 503, retryAfterSeconds: 1 };
    return route.fulfill({
      json: { data: { [field]: null }, errors: [{ message: 'Busy', path: [field], extensions }] },
    });
  });
  return sent;
}

it('what a busy server returns is asked for again', async () => {
  const sent = await refuse('ProductName', 'product', 2);
  await open(`/catalog/${price.productId}/prices/new`);
  await page.locator('.price-editor form').waitFor();
  expect(sent.count).toBe(3);
});

it('a choice finds its options once the server has time', async () => {
  const sent = await refuse('OwnPrices', 'subscription', 2);
  await open(`/subscriptions/${subscriptionId}`);
  await page.getByRole('button', { name: 'Change …' }).click();
  await pick(page.getByRole('dialog'), 'Plan', '€50');
  expect(sent.count).toBeGreaterThanOrEqual(3);
});

it('a screen says that the server stays busy, and tries again', async () => {
  await refuse('ProductName', 'product', 100);
  await open(`/catalog/${price.productId}/prices/new`);
  await page.getByText('The database is busy.').waitFor();
  await expectReadable(page, 'console-busy');
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.price-editor form').waitFor();
});

it('Home says that it could not read the steps of the set-up, and tries again', async () => {
  await refuse('SetUp', 'tenant', 100);
  await open('');
  await page.getByText('The database is busy.').waitFor();
  await page.unrouteAll();
  expect(await page.locator('.home-setup').count()).toBe(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.home-setup').waitFor();
});

it('what took too long, and what changes something, is not sent again', async () => {
  const late = await refuse('ProductName', 'product', 100, 'query_timeout');
  await open(`/catalog/${price.productId}/prices/new`);
  await page.getByText('The query took too long.').waitFor();
  expect(late.count).toBe(1);
  await page.unrouteAll();
  const sent = await refuse('PauseSubscription', 'pauseSubscription', 100);
  await open(`/subscriptions/${subscriptionId}`);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Pause …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause the subscription' }).click();
  await page.getByRole('dialog').getByText('The database is busy.').waitFor();
  expect(sent.count).toBe(1);
});

it('a button that charges waits for the preview of what is asked now, and never shows the one of before', async () => {
  const customer = await books.shop.customer();
  await open(`/customers/${customer.id}`);
  await page.getByRole('button', { name: 'Start a subscription' }).first().click();
  const dialog = page.getByRole('dialog');
  await pick(dialog, 'Price', 'Studio');
  await dialog.getByRole('button', { name: /€50\.00/ }).waitFor();
  let answer = () => undefined as void;
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/graphql', async (route) => {
    if (/"trialDays":7/.test(route.request().postData() ?? '')) await isAnswered;
    return route.continue();
  });
  const asked = page.waitForRequest((request) => /"trialDays":7/.test(request.postData() ?? ''));
  await Promise.all([asked, dialog.getByLabel('Days of trial').fill('7')]);
  const submit = dialog.locator('button[type=submit]');
  await page.waitForTimeout(100);
  expect(await submit.getAttribute('aria-disabled')).toBe('true');
  expect(await dialog.getByText('€50.00').count()).toBe(0);
  answer();
  await dialog.getByText('Nothing is charged now.').waitFor();
  await expect.poll(() => submit.getAttribute('aria-disabled')).toBe(null);
});
