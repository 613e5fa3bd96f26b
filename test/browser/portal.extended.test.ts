/**
 * The customer portal in a real browser, from the link to the paid invoice, with every page readable by all (WCAG 2.2 AA).
 * `TEST_PICTURES` names a folder that receives a picture of each.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { isLong, sampledInCore } from '../support/sample.ts';
import { createLink, setPortal } from '../support/portal.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

/** A script with the calls of Stripe's that the page makes: a field, and a token of the card. */
const stripeScript = `
window.Stripe = () => ({
  elements: () => ({
    create: () => ({
      mount: (node) => {
        const label = document.createElement('label');
        label.textContent = 'Card number ';
        label.append(Object.assign(document.createElement('input'), { id: 'number' }));
        node.append(label);
      },
    }),
    submit: async () => ({}),
  }),
  createConfirmationToken: async () => ({ confirmationToken: { id: 'ctoken_' + Date.now() + '_pm_card_visa' } }),
});`;

let running: StripeApp;
let scripts: Server;
let books: Books;
let base: string;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  scripts = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(stripeScript),
  );
  await once(scripts.listen(0, '127.0.0.1'), 'listening');
  running = await startStripeApp({
    stripePublishableKey: 'pk_test_page',
    stripeScriptUrl: `http://127.0.0.1:${(scripts.address() as AddressInfo).port}/stripe.js`,
    publicUrl: 'http://127.0.0.1',
  });
  books = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
  const document = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }';
  await books.client.graphql(document, {
    input: { branding: { displayName: 'Northwind Studio', color: '#3b6ef6' } },
  });
  await setPortal(books.client, { planChange: true, quantityChange: true, cancellation: 'both' });
  base = await running.app.server.listen({ host: '127.0.0.1', port: 0 });
  browser = await connectBrowser();
}, browserStartMs);
afterAll(async () => {
  scripts.closeAllConnections();
  scripts.close();
  await running.close();
});
beforeEach(() => {
  complaints = [];
});
afterEach(() => page.close());

interface Window {
  width: number;
  colorScheme: 'light' | 'dark';
}

/** Opens a window of the browser without cookies. */
async function openPage({ width, colorScheme }: Window): Promise<void> {
  page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme });
  page.on('console', (message) => {
    if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
}

let looks = 0;

/** Checks the page that is open, and takes its picture; outside of the long run every second page. */
async function look(name: string): Promise<void> {
  if (isLong || ++looks % 2 === 0) await expectReadable(page, `portal-${name}`);
  expect(complaints, name).toEqual([]);
}

const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
const follow = (name: string | RegExp) => page.getByRole('link', { name }).click();
const waitFor = (text: string) => page.getByText(text).first().waitFor();

/** A customer with a subscription; opens the page of a link. */
async function begin(price: any, method = 'pm_card_visa') {
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, price, method);
  const { path } = await createLink(books.client, {
    customerId: customer.id,
    returnUrl: 'https://example.com/account',
  });
  return { id, path, customer };
}

/** Bills a workshop, to be paid by card or transfer. */
async function bill({ id: customerId }: any): Promise<string> {
  const { createInvoice } = await books.client.graphql(
    `mutation ($customerId: ID!) { createInvoice(input: { customerId: $customerId, collect: send_invoice, items: [
      { amount: { amount: 120, currency: "eur" }, description: "Workshop" }
    ] }) { id } }`,
    { customerId },
  );
  return createInvoice.id;
}

/** Lists the words that are on two lines. */
function listBrokenWords(elements: any[]): string[] {
  return elements.flatMap((element) => {
    const { ownerDocument: root } = element;
    const walker = root.createTreeWalker(element, 4);
    const broken: string[] = [];
    while (walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/[^\s-]+/g)) {
        const range = root.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (range.getClientRects().length > 1) broken.push(word);
      }
    }
    return broken;
  });
}

const phone = { width: 390, colorScheme: 'light' } as const;
const desktopByNight = { width: 1280, colorScheme: 'dark' } as const;

describe('the portal', () => {
  const windows: [name: string, window: Window][] = [
    ['phone', phone],
    ['desktop-night', desktopByNight],
  ];
  it.each(sampledInCore(windows, 2))('changes the plan, cancels and goes on: %s', async (name, options) => {
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const low = await books.plan(50, { groupId, name: 'Basic', currency: 'eur' });
    await books.plan(80, { groupId, name: 'Team', currency: 'eur' });
    const { id, path } = await begin(low);
    await openPage(options);
    await page.goto(base + path);
    await look(`${name}-1-link`);
    await press('Open your account');
    await waitFor('Basic');
    await look(`${name}-2-overview`);
    await follow(/Manage/);
    await look(`${name}-3-subscription`);
    await follow('Change the plan');
    await look(`${name}-4-plans`);
    await page.getByLabel(/Team/).check();
    await press('Preview the cost');
    await waitFor('Check the change');
    await look(`${name}-5-preview`);
    await press(/Change the plan and pay/);
    await waitFor('Your plan has changed.');
    expect((await books.subscription(id)).productName).toBe('Team');
    await look(`${name}-6-changed`);
    await follow('Cancel the subscription');
    await look(`${name}-7-cancel`);
    await page.getByLabel(/when the paid period ends/).check();
    await page.getByLabel('I do not use it enough').check();
    await page.locator('form:has([name=when]) button').click();
    await waitFor('The subscription will end.');
    expect((await books.subscription(id)).cancelAtPeriodEnd).toBe(true);
    await look(`${name}-8-cancelled`);
    await press('Keep the subscription');
    await waitFor('The subscription continues.');
    expect((await books.subscription(id)).cancelAtPeriodEnd).toBe(false);
    for (const menu of ['Invoices', 'Details']) {
      await follow(menu);
      await look(`${name}-9-${menu}`);
    }
    await press('Sign out');
    await look(`${name}-10-out`);
  });

  it('shows the usage so far with what credit takes off it', async () => {
    const make = async (field: string, type: string, input: object): Promise<string> =>
      (
        await books.client.graphql(`mutation ($input: ${type}!) { ${field}(input: $input) { id } }`, {
          input,
        })
      )[field].id;
    const meter = { name: 'Images', event: 'image', aggregation: 'count' };
    const meterId = await make('createMeter', 'CreateMeterInput', meter);
    const terms = { model: 'per_unit', meterId, details: { amount: 2, currency: 'eur' } };
    const { price } = await books.shop.product({ name: 'Images', price: terms });
    const { id, path, customer } = await begin(price);
    await make('createCreditGrant', 'CreateCreditGrantInput', {
      customerId: customer.id,
      name: 'Welcome',
      category: 'promotional',
      amount: { amount: 3, currency: 'eur' },
    });
    const event = { id: 'image-1', event: 'image', customerId: customer.id, at: '2026-01-31T09:00:00.000Z' };
    await books.client.graphql(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
      { events: [event, { ...event, id: 'image-2' }] },
    );
    await openPage(phone);
    await page.goto(base + path);
    await press('Open your account');
    await waitFor('Credit for your next invoices');
    await expectReadable(page, 'portal-credit');
    await page.goto(`${base}/portal/${books.alias}/subscriptions/${id}`);
    await waitFor('−€3.00');
    await expectReadable(page, 'portal-usage');
  });

  it.each(['de', 'fr', 'es'])('breaks no word of a sum on a phone: %s', async (locale) => {
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const low = await books.plan(50, { groupId, name: 'Basic', currency: 'eur' });
    const high = await books.plan(12_480, { groupId, name: 'Team', currency: 'eur' });
    const { id, path } = await begin(low);
    await openPage(phone);
    await page.goto(`${base}${path}?lang=${locale}`);
    await page.locator('form button').first().click();
    await page.waitForURL(`${base}/portal/${books.alias}`);
    await page.goto(`${base}/portal/${books.alias}/subscriptions/${id}/plan/preview?plan=${high.id}`);
    await page.locator('.summary').last().waitFor();
    expect(await page.locator('.summary :is(dt, dd)').evaluateAll(listBrokenWords)).toEqual([]);
  });

  it('takes a card, which pays the open invoice', async () => {
    const { id, path } = await begin(await books.plan(50, { currency: 'eur' }), 'pm_card_chargeCustomerFail');
    await books.advance('2026-03-01');
    expect((await books.subscription(id)).status).toBe('past_due');
    await openPage(phone);
    await page.goto(base + path);
    await press('Open your account');
    await look('card-1-overview');
    await follow('Choose another payment method');
    await page.getByLabel('Card and other methods').check();
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await look('card-2-form');
    await press('Add a payment method');
    await waitFor('The payment method is saved.');
    expect((await books.subscription(id)).status).toBe('active');
    await look('card-3-saved');
  });

  it.each(sampledInCore(windows, 2))('pays an invoice with the saved card: %s', async (name, options) => {
    const { path, customer } = await begin(await books.plan(50, { currency: 'eur' }));
    const invoiceId = await bill(customer);
    await openPage(options);
    await page.goto(base + path);
    await press('Open your account');
    await waitFor('To pay');
    await look(`${name}-pay-1-overview`);
    await press('Pay €120.00 now');
    await waitFor('The invoice is paid. Thank you.');
    await look(`${name}-pay-2-paid`);
    const { invoice } = await books.client.graphql('query ($id: ID!) { invoice(id: $id) { status } }', {
      id: invoiceId,
    });
    expect(invoice.status).toBe('paid');
  });

  it.each(['fa', 'ar', 'he'])('reads from right to left: %s', async (language) => {
    const { id, path, customer } = await begin(await books.plan(50, { name: 'Studio', currency: 'eur' }));
    await bill(customer);
    await openPage({ ...phone, colorScheme: 'dark' });
    await page.goto(`${base}${path}?lang=${language}`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await look(`${language}-link`);
    await page.locator('main form button').click();
    await page.waitForURL(/\/portal\/[^/]+$/);
    for (const own of [
      '',
      '/payment-methods',
      '/invoices',
      '/details',
      `/subscriptions/${id}`,
      `/subscriptions/${id}/cancel`,
    ]) {
      await page.goto(`${base}/portal/${books.alias}${own}`);
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
      await look(`${language}-${own.split('/').at(-1)!.replace(id, 'subscription')}`);
    }
  });
});
