/**
 * What support does in the console, in a real browser: each dialog names what happens, by the figures that bill it.
 * `TEST_PICTURES` names a folder that receives pictures.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let url: string;
let context: BrowserContext;
let page: Page;
let complaints: string[];
/** The connections for live events that were made. */
let streams: number;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
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
  streams = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/graphql/stream')) streams += 1;
  });
  page.on('console', (message) => {
    const isRefusal = /status of 40[013]/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  await page.goto(`${url}/console/t/${books.alias}${place}`);
}

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const dialog = () => page.getByRole('dialog');
const pressThere = (name: string | RegExp) => dialog().getByRole('button', { name }).last().click();

async function choose(name: string) {
  await press('More actions');
  await page.getByRole('menuitem', { name }).click();
}

it('names the next invoice that a cancellation spares, with its add-ons', async () => {
  const customer = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  const main = await books.plan(29, { name: 'Studio', currency: 'eur' });
  const addOn = await books.plan(50, { name: 'Storage', currency: 'eur' });
  const id = await books.subscribe(customer, main);
  await books.client.graphql(
    'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
    { id, input: { addOns: [{ priceId: addOn.id }] } },
  );
  expect(await books.forecast(id, '2026-03-01T00:00:00.000Z')).toEqual(['2026-02-28T09:00 79']);
  await openAs('support', `/subscriptions/${id}`);
  await page.getByText('€79.00').first().waitFor();
  await choose('Cancel');
  await dialog().getByText('The next invoice, €79.00 with tax, is not issued.').waitFor();
  await expectReadable(page, 'console-cancel');
});

it('offers no charge without a payment method', async () => {
  const customer = await books.shop.customer({ firstName: 'Grace', lastName: 'Hopper' });
  const { createInvoice: invoice } = await books.client.graphql(
    `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id status } }`,
    {
      input: {
        customerId: customer.id,
        items: [{ description: 'Workshop', amount: { amount: 99, currency: 'eur' } }],
        collect: 'send_invoice',
      },
    },
  );
  await openAs('support', `/invoices/${invoice.id}`);
  await page.getByRole('button', { name: 'Record a payment' }).waitFor();
  await press('More actions');
  await page.getByRole('menuitem').first().waitFor();
  expect(await page.getByText(/Charge .* now/).count()).toBe(0);
});

it('advances the clock after a confirmation', async () => {
  const readClock = async () => (await books.client.graphql('{ tenant { clock } }')).tenant.clock as string;
  const before = await readClock();
  await openAs('owner', '/clock');
  await press('A day');
  await press(/^Advance to/);
  await dialog().getByText('Everything due until Feb 1').waitFor();
  await expectReadable(page, 'console-clock-confirm');
  expect(await readClock()).toBe(before);
  await pressThere(/^Advance to/);
  await expect.poll(readClock).toBe('2026-02-01T09:00:00.000Z');
});

it('refunds with a reason, which the credit note has', async () => {
  const id = await books.subscribe(await books.shop.customer(), await books.plan(40, { currency: 'eur' }));
  const [invoice] = await books.invoices(id);
  await openAs('owner', `/invoices/${invoice.id}`);
  await press('Refund');
  await dialog().getByLabel('Reason').fill('Twice by mistake <b>');
  await expectReadable(page, 'console-refund');
  await pressThere('Refund €40.00');
  await page.getByRole('cell', { name: 'Twice by mistake <b>' }).waitFor();
});

it('follows events in eight tabs by one connection, which the next tab takes over', async () => {
  await openAs('support', '/customers');
  const tabs = [page];
  while (tabs.length < 8) {
    const tab = await context.newPage();
    await tab.goto(page.url());
    tabs.push(tab);
  }
  const see = async (name: string) => {
    await books.shop.customer({ firstName: name, lastName: 'Tab', email: `${name}@tabs.example` });
    for (const tab of tabs) await tab.getByText(`${name} Tab`).first().waitFor();
  };
  await see('Eight');
  expect(streams).toBe(1);
  await tabs.shift()!.close();
  await expect.poll(() => streams).toBe(2);
  await see('Seven');
  expect(streams).toBe(2);
});
