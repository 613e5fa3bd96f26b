/** The forms of the console in a real browser: what is typed is not lost, what is needed is marked, what is known is picked. */
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
let customer: any;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1', testMails: 'on' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  customer = await books.shop.customer({
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@example.com',
  });
  url = await listen(app);
}, browserStartMs);
afterAll(() => app.close());
afterEach(() => context.close());

async function openAs(place: string, tenant = books.alias, locale = 'en') {
  const [name, value] = (await signInOperator(app, { role: 'owner', tenant })).cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  await page.goto(`${url}/console/t/${tenant}${place}`);
}

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const dialog = () => page.getByRole('dialog');

it('a form in which something was typed asks before it closes', async () => {
  await openAs('/webhooks');
  await press('New endpoint');
  // Nothing is typed yet.
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await press('New endpoint');
  const address = dialog()
    .getByLabel(/^URL|^Address/)
    .first();
  await address.fill('https://shop.example/hooks');
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => dialog().getByRole('button', { name: 'Close' }).click(),
  ]) {
    await leave();
    await dialog().getByText('What you typed is not saved.').waitFor();
    await dialog().getByRole('button', { name: 'Keep typing' }).click();
    expect(await address.inputValue()).toBe('https://shop.example/hooks');
  }
  await page.keyboard.press('Escape');
  await expectReadable(page, 'console-unsaved');
  await dialog().getByRole('button', { name: 'Discard' }).click();
  await dialog().waitFor({ state: 'detached' });
});

it('the events of a webhook are picked', async () => {
  await openAs('/webhooks');
  await press('New endpoint');
  await dialog()
    .getByLabel(/^URL|^Address/)
    .first()
    .fill('https://shop.example/hooks');
  const mark = await dialog()
    .locator('.field-label')
    .first()
    .evaluate((label) => (label as any).ownerDocument.defaultView.getComputedStyle(label, '::after').content);
  expect(mark).toContain('*');
  await dialog().getByText('InvoiceEvent', { exact: true }).click();
  await dialog().getByLabel('paid', { exact: true }).check();
  await dialog().getByText('CustomerEvent', { exact: true }).click();
  await dialog().getByLabel('All of these').first().check();
  await dialog().getByRole('button', { name: 'New endpoint' }).click();
  await dialog().getByText('Signing secret').first().waitFor();
  const { webhookEndpoints } = await books.client.graphql(
    '{ webhookEndpoints(first: 1) { nodes { events } } }',
  );
  expect(webhookEndpoints.nodes[0].events.toSorted()).toEqual(['CustomerEvent', 'InvoiceEvent.paid']);
});

it('an invoice is sent by mail, and the console says where it went', async () => {
  await books.subscribe(customer, await books.plan(30, { name: 'Storage', currency: 'eur' }));
  const { invoices } = await books.client.graphql('{ invoices(first: 1) { nodes { id } } }');
  await openAs(`/invoices/${invoices.nodes[0].id}`);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Send by mail …' }).click();
  await dialog().getByText('The customer gets the receipt').waitFor();
  await dialog().getByRole('button', { name: 'Send to grace@example.com' }).click();
  // Mails of a test tenant are kept without a mail server.
  await page.getByRole('status').getByText('Sent to grace@example.com').waitFor();
  await app.service.mailer.sendDue(app.service, books.alias);
  const { mailDeliveries } = await books.client.graphql('{ mailDeliveries(first: 1) { nodes { id } } }');
  await context.close();
  await openAs(`/mails/${mailDeliveries.nodes[0].id}`, books.alias, 'de');
  await page.getByRole('cell', { name: /^Hier aufbewahrt: / }).waitFor();
});

it('a product without a price is not on sale, and a live tenant has no clock to move', async () => {
  await books.client.graphql(
    'mutation { createProduct(input: { name: "Empty", description: "", prices: [] }) { id } }',
  );
  await openAs('/catalog');
  const row = page.getByRole('row', { name: /Empty/ });
  await row.getByText('No price yet').waitFor();
  expect(await row.getByText('On sale').count()).toBe(0);
  await app.tenant({ alias: 'real', test: false });
  await context.close();
  await openAs('/clock', 'real');
  await page.getByText('This is not a test tenant').waitFor();
  await page.getByText('A test tenant shows what happens').waitFor();
});

/** Forms of each kind: how each is opened, and its field. */
const kept: [kind: string, place: string, show: () => Promise<unknown>, label: string][] = [
  ['a dialog', '/customers', () => press('New customer'), 'First name'],
  ['a dialog at the side', '/catalog', () => press('New product'), 'Description'],
  ['settings', '/settings/branding', async () => {}, 'Name that customers see'],
  ['the text of a mail', '/settings/texts?part=text', async () => {}, 'Subject'],
  ['numbers of documents', '/settings/numbers', async () => {}, 'Prefix'],
  ['the account', '~/console/account', async () => {}, 'Name'],
];

it.each(kept)(
  'what is typed is kept on the way elsewhere, or asked about: %s',
  async (_, place, show, label) => {
    // A page to which a step back leads.
    await openAs('/events');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(place.startsWith('~') ? place.slice(1) : `/console/t/${books.alias}${place}`)})`,
    );
    await page.locator('h1').first().waitFor();
    await show();
    const field = page.getByLabel(label, { exact: label !== 'Description' }).first();
    await page
      .locator('summary')
      .first()
      .click({ timeout: 500 })
      .catch(() => undefined);
    await field.fill('Half a name');
    const address = page.url();
    const stay = async () => {
      await page.getByText('What you typed is not saved.').waitFor();
      await page.getByRole('button', { name: 'Keep typing' }).click();
      expect(await field.inputValue()).toBe('Half a name');
      expect(page.url()).toBe(address);
    };
    // Back, twice, and a link of the frame, which a dialog covers.
    await page.evaluate('history.back()');
    await stay();
    await page.evaluate('history.back()');
    await stay();
    if (place.startsWith('/settings')) {
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await stay();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Coupons');
      await page.getByRole('option', { name: 'Coupons' }).click();
      await stay();
    }
    // A reload, and the end of the tab.
    for (const leave of [() => page.reload({ timeout: 3000 }), () => page.close({ runBeforeUnload: true })]) {
      const asked = page.waitForEvent('dialog');
      const left = leave().catch(() => undefined);
      const question = await asked;
      expect(question.type()).toBe('beforeunload');
      await question.dismiss();
      await left;
      expect(await field.inputValue()).toBe('Half a name');
    }
    // What is given up is gone, and one is where one wanted to be.
    await page.evaluate('history.back()');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.reload();
  },
);

it('what is saved is not asked about, and what is refused is', async () => {
  await openAs('/settings/branding');
  const field = page.getByLabel('Terms', { exact: false }).first();
  await field.fill('no address');
  const save = page
    .locator('form', { has: page.getByLabel('Name that customers see') })
    .getByRole('button', { name: 'Save' });
  await save.click();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByRole('button', { name: 'Keep typing' }).click();
  expect(await field.inputValue()).toBe('no address');
  await field.fill('https://shop.example/terms');
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
});

it.each([
  ['en', '1,290.50', 'Refund €1,290.50'],
  ['de', '1.290,50', '1.290,50'],
  ['fa', '۱٬۲۹۰٫۵۰', '۱٬۲۹۰٫۵۰'],
])('amounts are shown and read as %s writes them', async (locale, typed, written) => {
  await books.subscribe(
    await books.shop.customer(),
    await books.plan(2000, { name: `Big ${locale}`, currency: 'eur' }),
  );
  const { invoices } = await books.client.graphql('{ invoices(first: 1) { nodes { id } } }');
  await openAs(`/invoices/${invoices.nodes[0].id}`, books.alias, locale);
  await page.locator('main header button:not([aria-haspopup])').first().click();
  const amount = dialog().locator('input').first();
  expect(await amount.inputValue()).toBe(locale === 'de' ? '2000,00' : '2000.00');
  await amount.fill(typed);
  await expect.poll(() => dialog().locator('button[type=submit]').innerText()).toContain(written);
});

/** Makes a meter with a long name, and features that customers may use. */
async function makeFeatures(width: number) {
  const document = `mutation ($meter: CreateMeterInput!) { createMeter(input: $meter) { id } }`;
  const event = `tokens_${width}`;
  const meter = {
    name: 'Tokens of the assistant',
    event,
    aggregation: 'sum',
    value: 'total',
    groupBy: ['model'],
  };
  const { createMeter } = await books.client.graphql(document, { meter });
  for (const feature of [
    { key: event, name: 'Tokens of the assistant', kind: 'limit', meterId: createMeter.id },
    { key: `pictures_${width}`, name: 'Reading pictures', kind: 'boolean' },
  ])
    await books.client.graphql(
      'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }',
      { input: feature },
    );
}

it.each([1280, 390])('no table has to be scrolled at %i pixels', async (width) => {
  await makeFeatures(width);
  const subscription = await books.subscribe(
    customer,
    await books.plan(40, { name: `Fit ${width}`, currency: 'eur' }),
    'sandbox_ok_then_declined',
  );
  const [invoice] = await books.invoices(subscription);
  const { tenant } = await books.client.graphql('{ tenant { clock } }');
  const setSeller = (seller: string) =>
    books.client.graphql(`mutation { updateTenant(input: { seller: ${seller} }) { alias } }`);
  await setSeller('{ legalName: "Acme GmbH", address: { country: "DE" } }');
  await books.advance(new Date(Date.parse(tenant.clock) + 32 * 86_400_000).toISOString());
  await setSeller('null');
  await openAs('/payments');
  await page.setViewportSize({ width, height: 860 });
  const period = 'from=2020-01-01&until=2040-01-01';
  const paths = [
    '/payments',
    '/payments?tab=all',
    '/invoices',
    '/events',
    '/meters',
    '/reports',
    '/reports?tab=tax',
    `/reports/tax?${period}&kind=invoice`,
    `/reports/tax?${period}`,
    '/settings/operators',
  ];
  const records = [`/customers/${customer.id}`, `/subscriptions/${subscription}`, `/invoices/${invoice.id}`];
  for (const path of [...paths, ...records]) {
    await page.goto(`${url}/console/t/${books.alias}${path}`);
    await page.getByRole('table').first().waitFor();
    const scrolled = await page
      .locator('.table-frame, .data-table')
      .evaluateAll((frames: any[]) =>
        frames.filter((frame) => frame.scrollWidth > frame.clientWidth).map((frame) => frame.ariaLabel),
      );
    expect(scrolled, path).toEqual([]);
  }
});

it.each(['de', 'fr', 'fa'])('the tax report has no scrollbar at 1280 pixels in %s', async (locale) => {
  await openAs('/reports?tab=tax', books.alias, locale);
  const table = page.locator('.table-frame').first();
  await table.waitFor();
  expect(await table.evaluate((frame: any) => frame.scrollWidth - frame.clientWidth)).toBe(0);
});

it('a delivery that was tried says when it is tried again', async () => {
  const { createWebhookEndpoint } = await books.client.graphql(
    'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/fails" }) { endpoint { id } } }',
  );
  await books.shop.customer();
  await app.service.dispatcher.deliverDue(app.service, books.alias);
  await openAs(`/webhooks/${createWebhookEndpoint.endpoint.id}`);
  const status = page.getByText(/^Failing, next try/).first();
  expect(await status.innerText()).toMatch(/^Failing, next try (in \d+ \w+|now)$/);
});
