/**
 * Selling in the console, in a real browser: a coupon and its code, a subscription with its preview and its link to pay, a
 * one-off invoice, a link to the portal, and erasure. `TEST_PICTURES` names a folder that receives pictures.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, pick } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let url: string;
let context: BrowserContext;
let page: Page;
let complaints: string[];
let grace: any;
let studio: any;
let storage: any;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  grace = await books.shop.customer({ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' });
  studio = await books.plan(50, { name: 'Studio', currency: 'eur', price: { model: 'per_unit' } });
  storage = await books.plan(30, { name: 'Storage', currency: 'eur' });
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function openAs(role: 'owner' | 'support', place: string) {
  const [name, value] = (await signInOperator(app, { role, tenant: books.alias })).cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  complaints = [];
  page.on('console', (message) => {
    const isRefusal = /status of 40[013]/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  await open(place);
}

const open = (place: string) => page.goto(`${url}/console/t/${books.alias}${place}`);
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const dialog = () => page.getByRole('dialog');
const fill = (label: string | RegExp, value: string) => dialog().getByLabel(label).first().fill(value);
const pressThere = (name: string | RegExp) => dialog().getByRole('button', { name }).last().click();
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function choose(name: string) {
  await press('More actions');
  await page.getByRole('menuitem', { name }).click();
}

/** The link to pay is the order's id and a token. */
const findIntentId = (link: string): string => /(int_\w+)\./.exec(link)![1]!;

it('makes a coupon and a code, whose sentences say what they do', async () => {
  await openAs('owner', '/coupons');
  await press('Create a coupon');
  expect(
    await dialog()
      .getByLabel('Name')
      .evaluate((field) => field.matches(':focus')),
  ).toBe(true);
  await fill('Name', 'Spring <b>sale</b>');
  await fill('Percent', '20');
  await dialog().getByLabel('How long').selectOption({ label: 'For some months' });
  await dialog().getByText('20% off for 3 months').waitFor();
  await expectReadable(page, 'console-coupon-new');
  await pressThere('Create a coupon');
  await heading('Spring <b>sale</b>');
  await press('Create a promotion code');
  await fill('Code', 'SPRING');
  await dialog().getByLabel('New customers only').check();
  await dialog().getByText('20% off for 3 months, new customers only').waitFor();
  await pressThere('Create a promotion code');
  await page.getByRole('cell', { name: 'SPRING', exact: true }).waitFor();
  await expectReadable(page, 'console-coupon');
  await open('/coupons');
  await page.getByRole('link', { name: 'Spring <b>sale</b>' }).waitFor();
  await expectReadable(page, 'console-coupons');
});

it('sells a subscription with a code: the preview is the invoice', async () => {
  await openAs('owner', `/customers/${grace.id}`);
  await press('Start a subscription');
  await pick(dialog(), 'Price', 'Studio');
  await fill('Quantity', '3');
  await fill('Promotion code', 'SPRING');
  await dialog().getByText('Discounts').first().waitFor();
  await expectReadable(page, 'console-sell');
  await pressThere('Create the link to pay €120.00');
  const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
  expect(link).toMatch(/\/pay\/int_/);
  await expectReadable(page, 'console-sell-link');
  await pressThere('Done');
  await books.shop.confirm(findIntentId(link));
  await page.getByRole('cell', { name: 'Studio × 3' }).waitFor();
  expect(await books.bills()).toEqual(['2026-01-31T09:00 paid 120']);
});

it('sells a subscription that the saved card pays at once, as the preview shows', async () => {
  await openAs('owner', `/customers/${grace.id}`);
  await press('Start a subscription');
  await pick(dialog(), 'Price', 'Storage');
  await dialog().getByLabel('How').getByText('Charge visa •••• 4242 now').waitFor({ state: 'attached' });
  await expectReadable(page, 'console-sell-saved');
  await pressThere('Charge €30.00 now');
  await heading('Storage');
  expect((await books.bills()).at(-1)).toBe('2026-01-31T09:00 paid 30');
  await press('Change');
  await dialog().getByLabel('Plan').waitFor();
  await expectReadable(page, 'console-change');
});

it('gives the link to pay if the saved card declines', async () => {
  const ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  await books.subscribe(ada, await books.plan(5, { name: 'Small' }), 'sandbox_ok_then_declined');
  await openAs('owner', `/customers/${ada.id}`);
  await press('Start a subscription');
  await pick(dialog(), 'Price', 'Storage');
  await pressThere('Charge €30.00 now');
  await dialog().getByText('The saved method has not paid').waitFor();
  await expectReadable(page, 'console-sell-declined');
  const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
  await books.shop.confirm(findIntentId(link));
  expect((await books.bills()).at(-1)).toBe('2026-01-31T09:00 paid 30');
});

it('issues an invoice for one-off charges, and shows it before', async () => {
  await openAs('owner', `/customers/${grace.id}`);
  await choose('Charge once');
  await dialog().getByLabel('How').selectOption({ label: 'Issue an invoice, to be paid by transfer' });
  await dialog().getByLabel('Currency').selectOption('eur');
  await fill('Description', 'Workshop <i>');
  await fill('Amount', '99,5');
  await fill('Until', '2026-01-20');
  expect(await dialog().getByRole('button', { name: 'Issue the invoice' }).isDisabled()).toBe(true);
  await fill('Supplied on, or from', '2026-01-21');
  await dialog().getByText('Until: must not be before the first day').waitFor();
  await fill('Supplied on, or from', '2026-01-19');
  await dialog().getByText('Nothing has changed yet').waitFor();
  await expectReadable(page, 'console-charge');
  await pressThere('Issue the invoice');
  await page.getByRole('button', { name: /Workshop <i>/ }).waitFor();
  await page.getByText('Jan 19 – Jan 20').waitFor();
  expect((await books.bills()).at(-1)).toBe('2026-01-31T09:00 open 99.5');
  await open('/invoices?collection=send_invoice');
  await page.getByText('1 of 1').waitFor();
  await open('/subscriptions');
  await pick(page, 'Product', 'Studio');
  await expect.poll(() => page.getByRole('link', { name: 'Studio × 3' }).count()).toBe(1);
});

it.each(['needs_response', 'lost', 'won'])(
  'shows an invoice with a dispute that is %s, and a refund',
  async (status) => {
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, storage);
    const { invoices } = await books.client.graphql(
      'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id payments { id } } } }',
      { id },
    );
    const [invoice] = invoices.nodes;
    const paymentId = invoice.payments[0].id;
    await books.client.graphql(
      `mutation ($id: ID!, $status: DisputeStatus!) {
      simulateRefund(id: $id, input: { amount: { amount: 10, currency: "eur" } }) { id }
      simulateDispute(id: $id, input: { status: $status }) { id }
    }`,
      { id: paymentId, status },
    );
    await openAs('owner', `/invoices/${invoice.id}`);
    await page.getByRole('heading', { name: 'Payments' }).waitFor();
    await expectReadable(page, `console-invoice-dispute-${status}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectReadable(page, `console-invoice-dispute-${status}-phone`);
  },
);

it('gives a link to the portal, once, and changes the details', async () => {
  await openAs('support', `/customers/${grace.id}`);
  await choose('Link to the portal');
  await pressThere('Create the link');
  const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
  await expectReadable(page, 'console-portal-link');
  await pressThere('Done');
  expect(await page.content()).not.toContain(link);
  await choose('Edit details');
  await fill('Company', 'Hopper & Söhne "KG"');
  await dialog().getByLabel('Country').selectOption('Germany');
  await pressThere('Save');
  await heading('Hopper & Söhne "KG"');
  await choose('Tax ids and exemption');
  await pressThere('Add a tax id');
  await fill('Number', 'DE 12');
  await pressThere('Save');
  await dialog().getByRole('alert').first().waitFor();
  await fill('Number', 'DE111111125');
  await pressThere('Save');
  await page.getByText('DE111111125').waitFor();
});

it('lets support not erase, and an owner only after the address is typed', async () => {
  const { id } = await books.shop.customer({ firstName: 'Alan', lastName: 'T', email: 'alan@example.com' });
  await openAs('support', `/customers/${id}`);
  await press('More actions');
  const entry = page.getByRole('menuitem', { name: /Erase personal data/ });
  expect(await entry.getAttribute('aria-disabled')).toBe('true');
  await context.close();
  await openAs('owner', `/customers/${id}`);
  await choose('Erase personal data');
  const erase = dialog().getByRole('button', { name: /Erase personal data/ });
  await erase.click({ force: true });
  expect(await erase.getAttribute('aria-disabled')).toBe('true');
  await expectReadable(page, 'console-erase');
  await fill(/^Type /, 'ALAN@example.com');
  await pressThere('Erase personal data');
  await page.getByText('The personal data is erased').waitFor();
  await expect.poll(() => page.getByText('alan@example.com').count()).toBe(0);
});

it('shows which pages act for a customer, and ends the access of one', async () => {
  const { createCustomerSession: begun } = await books.client.graphql(
    'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
    { input: { customerId: grace.id, allow: ['change_subscription', 'pay_invoice'] } },
  );
  const { token } = begun;
  const readStatus = async () =>
    (await app.client(token).post('{ viewer { allow } }')).body.errors?.[0].extensions.reason ?? 'open';
  await openAs('owner', `/customers/${grace.id}`);
  await page.getByText('change plans, pay invoices').waitFor();
  await expectReadable(page, 'console-customer-sessions');
  expect(await readStatus()).toBe('open');
  await page
    .getByRole('row', { name: 'change plans, pay invoices' })
    .getByRole('button', { name: 'End' })
    .click();
  await pressThere('End');
  await page.getByText('change plans, pay invoices').waitFor({ state: 'detached' });
  await expect.poll(readStatus).toBe('api_key_invalid');
});

it('sells what changes the present plan, although its price falls while the preview shows', async () => {
  const joan = await books.shop.customer({ firstName: 'Joan', lastName: 'Clarke' });
  await books.subscribe(joan, studio);
  await openAs('owner', `/customers/${joan.id}`);
  await press('Start a subscription');
  await pick(dialog(), 'Price', 'Studio');
  await fill('Quantity', '3');
  await dialog().getByRole('button', { name: 'Charge €100.00 now' }).waitFor();
  await books.advance('2026-02-05T09:00:00.000Z');
  await pressThere('Charge €100.00 now');
  await heading('Studio');
  expect((await books.bills()).at(-1)).toBe('2026-02-05T09:00 paid 82.14');
});
