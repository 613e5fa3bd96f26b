/**
 * Every dialog of the console, opened in a real browser: each can be read by all (WCAG 2.2 AA), by day, and on a phone by night
 * from right to left. With `TEST_PICTURES`, a folder that receives pictures, each is also opened in further windows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const ids: Record<string, string> = {};

const run = async (mutation: string, input: object): Promise<any> => {
  const [, name, type, fields] = /^(\w+) (\w+) (.+)$/.exec(mutation)!;
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`;
  return (await books.client.graphql(document, { input }))[name!];
};

/** Sells to a customer who has everything that a dialog needs. */
async function fillCustomer(): Promise<void> {
  const ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  const { price, product } = await books.shop.product({
    name: 'Studio',
    price: { details: { amount: 50, currency: 'eur' } },
  });
  Object.assign(ids, { customer: ada.id, product: product.id, price: price.id });
  ids.subscription = await books.subscribe(ada, price);
  ids.paid = (await books.invoices())[0].id;
  const other = (
    await books.shop.product({ name: 'Paused', price: { details: { amount: 9, currency: 'eur' } } })
  ).price;
  ids.paused = await books.subscribe(ada, other);
  await books.run('pauseSubscription(id: $id)', ids.paused);
  const trial = { details: { amount: 12, currency: 'eur' }, trialDays: 30 };
  ids.trial = await books.subscribe(ada, (await books.shop.product({ name: 'Try', price: trial })).price);
  const amount = { amount: 80, currency: 'eur' };
  await run('createCustomerNote CreateCustomerNoteInput id', {
    customerId: ada.id,
    text: 'Called\nabout it',
  });
  const allow = ['update_customer'];
  await run('createCustomerSession CreateCustomerSessionInput token', { customerId: ada.id, allow });
  const items = [{ amount, description: 'Set-up' }];
  const charge = { customerId: ada.id, items, collect: 'send_invoice' };
  ids.open = (await run('createInvoice CreateInvoiceInput id', charge)).id;
  // After the invoice, which would take it along.
  await run('createInvoiceItem CreateInvoiceItemInput id', {
    customerId: ada.id,
    amount,
    description: 'Set-up',
  });
}

async function fillTenant(): Promise<void> {
  const coupon = { name: 'Sale', percentOff: '20', duration: 'forever' };
  const couponId = (await run('createCoupon CreateCouponInput id', coupon)).id;
  ids.coupon = couponId;
  await run('createPromotionCode CreatePromotionCodeInput id', { couponId, code: 'SALE' });
  await run('createCreditGrant CreateCreditGrantInput id', {
    customerId: ids.customer,
    name: 'Launch credit',
    amount: { amount: 10, currency: 'eur' },
    category: 'promotional',
  });
  await books.client.graphql(
    'mutation ($id: ID!) { updateCustomer(id: $id, input: { documentFormat: ubl }) { id } }',
    { id: ids.customer },
  );
  await books.client.graphql(`mutation { updateTenant(input: { seller: {
    legalName: "Acme Ltd", address: { line1: "1 High St", city: "London", postalCode: "N1", country: "GB" }
  } }) { alias } }`);
  await run('applyDiscount ApplyDiscountInput id', { couponId, subscriptionId: ids.subscription });
  const meter = { name: 'Calls', event: 'call', aggregation: 'count' };
  ids.meter = (await run('createMeter CreateMeterInput id', meter)).id;
  const usage = { details: { amount: 2, currency: 'eur' }, meterId: ids.meter };
  const { price } = await books.shop.product({ name: 'Metered', price: usage });
  ids.metered = await books.subscribe(await books.shop.customer(), price);
  const rates = [{ meterId: ids.meter, credits: '10' }];
  const creditTypeId = (await run('createCreditType CreateCreditTypeInput id', { name: 'Coins', rates })).id;
  await run('setAutoTopUp SetAutoTopUpInput id', {
    customerId: ids.customer,
    name: 'Coins',
    credits: { creditTypeId, threshold: '100', amount: '1000', currency: 'eur' },
    costBasis: '0.01',
    monthlyLimit: 3,
  });
  const feature = { key: 'calls', name: 'Calls', kind: 'limit', meterId: ids.meter };
  await run('createFeature CreateFeatureInput id', feature);
  await run('createFeature CreateFeatureInput id', { key: 'sso', name: 'Sign-on', kind: 'boolean' });
  const attached = { productId: ids.product, feature: 'calls', value: 100 };
  await run('attachFeature AttachFeatureInput id', attached);
  const override = { customerId: ids.customer, feature: 'calls', value: 500 };
  await run('overrideEntitlement OverrideEntitlementInput id', override);
  const grant = { customerId: ids.customer, amount: { amount: 12, currency: 'eur' }, reason: 'Sorry' };
  const asked = { operation: 'grantCredit', input: grant, reason: 'Promised on the phone' };
  ids.approval = (await run('proposeAction ProposeActionInput id', asked)).id;
  const endpoint = { url: 'https://hooks.invalid/all' };
  ids.endpoint = (
    await run('createWebhookEndpoint CreateWebhookEndpointInput endpoint { id }', endpoint)
  ).endpoint.id;
}

beforeAll(async () => {
  buildConsole();
  app = await startApp({
    publicUrl: 'http://127.0.0.1',
    testMails: 'on',
    secretKey: Buffer.alloc(32, 7).toString('base64'),
  });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  await fillCustomer();
  await fillTenant();
  url = await listen(app);
  await signInOperator(app, { role: 'viewer', tenant: books.alias });
  const [name, value] = (await signInOperator(app, { role: 'owner' })).cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ locale: 'en' });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  page.on('dialog', (asked) => void asked.accept());
}, browserStartMs);
afterAll(async () => {
  await context.close();
  await app.close();
});

const dialog = () => page.locator('dialog[open]').last();
const button = (name: string | RegExp, within: Page | Locator = page) =>
  within.getByRole('button', { name }).first();
const press =
  (...names: (string | RegExp)[]) =>
  async () => {
    for (const name of names) await button(name).click();
  };
const choose = (entry: string | RegExp) => async () => {
  await button(/^(More actions|Endpoint)$/).click();
  await page.getByRole('menuitem', { name: entry }).click();
};
/** Presses a button of a part of the screen. */
const pressIn = (title: string, name: string) => () =>
  button(name, page.locator('section', { has: page.getByRole('heading', { name: title }) })).click();
const send = () => dialog().locator('button[type=submit]').click();
const fill = (label: string | RegExp, text: string) => dialog().getByLabel(label).first().fill(text);

/** Makes the session as old as if the sign-in had been yesterday, or new. */
const dateSession = (instant: string) =>
  app.backdoor.execute(`update operator_sessions set verified_at = '${instant}'`);

async function openStepUp(): Promise<void> {
  await press('New API key')();
  await fill('Name', 'Late');
  await dateSession('2020-01-01T00:00:00.000Z');
  await send();
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(2);
}

async function makeTestTenant(): Promise<void> {
  await press('New test tenant')();
  await fill('Alias', `side-${Date.now()}`);
  await send();
  await page.getByText(/^Created side-/).waitFor();
  await page.getByRole('row', { name: /side-/ }).getByRole('button', { name: 'Delete' }).first().click();
}

async function removeProvider(): Promise<void> {
  const { client } = books;
  await client.graphql(
    `mutation { configureAccount(input: { mollie: { apiKey: "test_${'a'.repeat(30)}" } }) { __typename } }`,
  );
  await page.reload();
  await pressIn('Mollie', 'Remove')();
}

type Dialog = [name: string, place: () => string, open: () => Promise<unknown>];

const at = (place: string) => () => place;
const of = (list: string, id: string) => () => `/${list}/${ids[id]}`;
const customer = of('customers', 'customer');

/** The dialogs of each file, one for each of its elements or more. `~` begins an address without the tenant. */
const dialogs: Record<string, Dialog[]> = {
  'app/CommandMenu': [
    [
      'commands',
      at('/events'),
      async () => {
        await page.keyboard.press('Control+k');
        await page.locator('.commands input:focus').waitFor();
        await page.keyboard.type('lovelace');
        await page
          .locator('.commands')
          .getByRole('option', { name: /Lovelace/ })
          .first()
          .waitFor();
      },
    ],
  ],
  'app/ShortcutHelp': [['shortcuts', at('/events'), () => page.keyboard.press('?')]],
  'app/StepUp': [['step up', at('/keys'), openStepUp]],
  'billing/DiscountDialog': [['discount', customer, choose('Apply a discount')]],
  'billing/Discounts': [
    ['end of a discount', of('subscriptions', 'subscription'), pressIn('Discounts', 'Remove')],
  ],
  'billing/Metadata': [['metadata', customer, press('Edit metadata')]],
  'billing/credits/CreditTypeDialog': [
    ['new credit type', at('/catalog?tab=credits'), press('New credit type')],
    [
      'rates of a credit type',
      at('/catalog?tab=credits'),
      async () => {
        await press(/^Edit$/)();
        await dialog().getByText('Changed rates hold').waitFor();
      },
    ],
  ],
  'billing/credits/TopUpDialog': [
    ['automatic top-up', customer, choose('Automatic top-up')],
    ['changed top-up', customer, pressIn('Automatic top-ups', 'Change')],
  ],
  'billing/credits/TopUps': [['removed top-up', customer, pressIn('Automatic top-ups', 'Remove')]],
  'billing/features/AttachFeature': [
    ['attached feature', of('catalog', 'product'), pressIn('Features of subscribers', 'Attach a feature')],
    ['changed feature', of('catalog', 'product'), pressIn('Features of subscribers', 'Change')],
  ],
  'billing/features/CreateFeature': [
    ['new feature', of('catalog', 'product'), pressIn('Features of subscribers', 'New feature')],
  ],
  'billing/features/CustomerEntitlements': [
    ['value that is taken back', customer, pressIn('What the customer may use', 'Take back')],
  ],
  'billing/features/FeatureAlerts': [
    ['alerts of a feature', of('catalog', 'product'), pressIn('Features of subscribers', 'Alerts')],
  ],
  'billing/features/GiveDialog': [
    ['given value', customer, pressIn('What the customer may use', 'Give a value')],
  ],
  'billing/features/ProductFeatures': [
    ['detached feature', of('catalog', 'product'), pressIn('Features of subscribers', 'Detach')],
  ],
  'design/PageForm': [
    [
      'unsaved',
      at('/settings/branding'),
      async () => {
        await page.getByLabel('Name that customers see').fill('Half');
        await page.getByRole('link', { name: 'Customers', exact: true }).click();
      },
    ],
  ],
  'design/TableTools': [['export', at('/customers'), press('Export CSV')]],
  'design/Views': [
    [
      'view',
      at('/customers'),
      async () => {
        await press('Views')();
        await page.getByRole('menuitem', { name: 'Save this view' }).click();
      },
    ],
  ],
  'screens/account/Passkeys': [['passkey', at('~/console/account'), press('Add a passkey')]],
  'screens/account/PasswordPart': [['password', at('~/console/account'), press('Set a password')]],
  'screens/approval/Screen': [
    ['approval', of('approvals', 'approval'), press(/12\.00/)],
    ['declined request', of('approvals', 'approval'), press('Decline')],
  ],
  'screens/catalog/CreateProduct': [['product', at('/catalog'), press('New product')]],
  'screens/catalog/GroupDialog': [['group', at('/catalog?tab=groups'), press('New group')]],
  'screens/clock/Screen': [['clock', at('/clock'), press('A day', /^Advance to/)]],
  'screens/coupon/CouponDialogs': [
    ['name of a coupon', of('coupons', 'coupon'), press('Rename')],
    ['archived coupon', of('coupons', 'coupon'), press('Archive')],
    ['code', of('coupons', 'coupon'), press('Deactivate')],
  ],
  'screens/coupon/CreateCode': [['new code', of('coupons', 'coupon'), press('Create a promotion code')]],
  'screens/coupons/CreateCoupon': [['coupon', at('/coupons'), press('Create a coupon')]],
  'billing/EInvoice': [['e-invoice', of('invoices', 'paid'), choose('Send e-invoice')]],
  'screens/customer/BlockMailDialog': [['blocked mail', customer, choose('Block mail')]],
  'screens/customer/ChargeDialog': [['charge', customer, choose('Charge once')]],
  'screens/customer/CreateGrant': [
    ['credit grant', customer, choose('Sell or give credit')],
    [
      'credit grant with terms',
      customer,
      async () => {
        await choose('Sell or give credit')();
        await dialog().getByLabel('In', { exact: true }).selectOption({ label: 'Coins' });
        await dialog().getByLabel('Lowers').selectOption('byMeters');
        await dialog().getByLabel('Calls').check();
        await dialog().getByLabel('Expires').fill('2027-01-31');
        await dialog().getByLabel('What is left').selectOption('percent');
      },
    ],
  ],
  'screens/customer/CreditGrants': [
    ['uses of a credit grant', customer, pressIn('Credit grants', 'Uses')],
    ['credit grant that is voided', customer, pressIn('Credit grants', 'Void')],
  ],
  'screens/customer/GrantAlertDialog': [
    ['alert of a credit grant', customer, pressIn('Credit grants', 'Alert')],
  ],
  'screens/customer/EInvoiceDialog': [
    [
      'e-invoices',
      customer,
      async () => {
        await choose('E-invoices')();
        await dialog().getByLabel('Format').selectOption('xrechnung');
        await dialog().getByText('Before an invoice can be sent').waitFor();
      },
    ],
  ],
  'screens/customer/EditDialog': [['details', customer, choose('Edit details')]],
  'screens/customer/EndDialog': [
    ['erasure', customer, choose('Erase personal data')],
    ['deletion', customer, choose('Delete the customer')],
  ],
  'screens/customer/GrantCredit': [['credit', customer, choose('Grant a credit')]],
  'screens/customer/LinkDialog': [
    [
      'link',
      customer,
      async () => {
        await choose('Link to the portal')();
        await send();
        await dialog().getByLabel('Link', { exact: true }).waitFor();
      },
    ],
  ],
  'screens/customer/Notes': [
    ['note', customer, pressIn('Notes', 'Edit')],
    ['deleted note', customer, pressIn('Notes', 'Delete')],
  ],
  'screens/customer/PortalDialog': [['portal', customer, choose('Link to the portal')]],
  'screens/customer/SellDialog': [
    [
      'sale',
      customer,
      async () => {
        await press('Start a subscription')();
        await pick(dialog(), 'Price', 'Studio');
      },
    ],
  ],
  'screens/customer/Sessions': [['access', customer, pressIn('Pages with access', 'End')]],
  'screens/customer/TaxDialog': [['tax', customer, choose('Tax ids and exemption')]],
  'screens/customer/parts': [['waiting line', customer, pressIn('Waits for the next invoice', 'Remove')]],
  'screens/customers/CreateCustomer': [['customer', at('/customers'), press('New customer')]],
  'screens/invoice/CreditDialog': [['credit note', of('invoices', 'paid'), choose('Credit note')]],
  'screens/invoice/InvoiceDialog': [['void', of('invoices', 'open'), choose('Void')]],
  'screens/invoice/RecordDialog': [['payment', of('invoices', 'open'), press('Record a payment')]],
  'screens/invoice/RefundDialog': [['refund', of('invoices', 'paid'), press('Refund')]],
  'screens/invoice/SendDialog': [['mail', of('invoices', 'paid'), choose('Send by mail')]],
  'screens/keys/CreateKeyDialog': [
    ['key', at('/keys'), press('New API key')],
    [
      'created key',
      at('/keys'),
      async () => {
        await press('New API key')();
        await fill('Name', 'Pictures');
        await send();
        await dialog().getByText('Copy it now').waitFor();
      },
    ],
  ],
  'screens/keys/Screen': [['revoked key', at('/keys'), press(/^Revoke/)]],
  'screens/meter/Screen': [['end of a meter', of('meters', 'meter'), press('End the meter')]],
  'screens/meter/VersionDialog': [
    [
      'version of a meter',
      of('meters', 'meter'),
      async () => {
        await press('Change what it counts')();
        await dialog().getByRole('button', { name: 'Preview with the last 30 days' }).click();
        await dialog().getByText('events would not count').waitFor();
      },
    ],
  ],
  'screens/meters/CreateMeter': [['meter', at('/meters'), press('Create meter')]],
  'screens/price/Screen': [
    ['archived price', () => `/catalog/${ids.product}/prices/${ids.price}`, press('Archive')],
    ['amount of a price', () => `/catalog/${ids.product}/prices/${ids.price}`, press('Change amount')],
  ],
  'screens/product/EditProduct': [['edited product', of('catalog', 'product'), press('Edit')]],
  'screens/product/Screen': [['deleted product', of('catalog', 'product'), press('Delete product')]],
  'screens/settings/AccessPoint': [
    ['access point', at('/settings'), pressIn('Access point of e-invoices', 'Set up')],
  ],
  'screens/settings/ReportsSecret': [
    [
      'secret of reports',
      at('/settings'),
      async () => {
        await books.client.graphql(
          'mutation { configureAccount(input: { accessPoint: { url: "https://ap.example", secret: "word", formats: [ubl] } }) { provider } }',
        );
        await page.reload();
        await pressIn('Access point of e-invoices', 'Create a secret for reports')();
      },
    ],
  ],
  'screens/settings/AccountDialog': [['account', at('/settings/providers'), pressIn('Stripe', 'Set up')]],
  'screens/settings/MailTexts': [['test mail', at('/settings/texts?part=text'), press('Send a test')]],
  'screens/settings/Operators': [
    ['invitation', at('/settings/operators'), press('Invite operator')],
    [
      'link of an invitation',
      at('/settings/operators'),
      async () => {
        await press('Invite operator')();
        await fill('E-mail', `person-${Date.now()}@example.com`);
        await send();
        await dialog().getByText('Send this link').waitFor();
      },
    ],
    ['removed operator', at('/settings/operators'), press('Remove')],
  ],
  'screens/settings/Providers': [['removed account', at('/settings/providers'), removeProvider]],
  'screens/settings/currency/HomeCurrency': [['exchange rate', at('/settings/taxes'), press('Add a rate')]],
  'screens/settings/TaxRates': [['tax rate', at('/settings/taxes'), press('New tax rate')]],
  'screens/settings/TestTenants': [
    ['test tenant', at('/settings/tests'), press('New test tenant')],
    ['deleted tenant', at('/settings/tests'), makeTestTenant],
    ['reset', at('/settings/tests'), press('Reset')],
  ],
  'screens/subscription/CancelDialog': [['end', of('subscriptions', 'subscription'), choose('Cancel')]],
  'screens/subscription/ChangeDialog': [['change', of('subscriptions', 'subscription'), press('Change …')]],
  'screens/subscription/ExtendTrialDialog': [
    ['longer trial', of('subscriptions', 'trial'), choose('Extend')],
  ],
  'screens/subscription/PauseDialog': [
    [
      'pause',
      of('subscriptions', 'subscription'),
      async () => {
        await choose('Pause')();
        await dialog().getByLabel('The pause ends').selectOption('On a day');
      },
    ],
  ],
  'screens/subscription/SpendAlertsDialog': [
    ['alerts of spending', of('subscriptions', 'metered'), choose('Alerts of spending')],
  ],
  'screens/subscription/SubscriptionDialog': [
    ['resumption', of('subscriptions', 'paused'), choose('Resume')],
    ['end of a trial', of('subscriptions', 'trial'), choose(/^End the trial/)],
  ],
  'screens/webhook/Screen': [
    ['new secret', of('webhooks', 'endpoint'), choose('Rotate secret')],
    ['deleted endpoint', of('webhooks', 'endpoint'), choose('Delete endpoint')],
  ],
  'screens/webhooks/Screen': [['endpoint', at('/webhooks'), press('New endpoint')]],
  'screens/webhooks/SecretDialog': [
    [
      'secret',
      at('/webhooks'),
      async () => {
        await press('New endpoint')();
        await dialog().getByLabel('URL').fill('https://hooks.invalid/once');
        await send();
        await dialog().getByText('Copy it now').waitFor();
      },
    ],
  ],
};

/** Dialogs that need an operator with a password: the app and its recovery codes. */
const opened: Record<string, number> = { 'screens/account/PasswordPart': 2 };

interface Look {
  width: number;
  colorScheme: 'light' | 'dark';
  dir: 'ltr' | 'rtl';
}

const everyLook = [390, 1280, 2560].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['ltr', 'rtl'] as const).map((dir): Look => ({ width, colorScheme, dir })),
  ),
);
const isUsual = ({ width, colorScheme, dir }: Look) =>
  width === 1280
    ? colorScheme === 'light' && dir === 'ltr'
    : width === 390 && colorScheme === 'dark' && dir === 'rtl';
const looks = process.env['TEST_PICTURES'] ? everyLook : everyLook.filter(isUsual);

/** Opens a dialog as an operator who has just signed in. */
async function open([, getPlace, show]: Dialog): Promise<void> {
  const place = getPlace();
  await dateSession(new Date().toISOString());
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(place.startsWith('~') ? url + place.slice(1) : `${url}/console/t/${books.alias}${place}`);
  await page.locator('h1').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  await show();
  await dialog().waitFor();
}

describe.each(Object.entries(dialogs))('%s', (_, rows) => {
  it.each(rows)('%s', async (...row) => {
    await open(row);
    for (const { width, colorScheme, dir } of looks) {
      await page.setViewportSize({ width, height: width < 1000 ? 780 : 1000 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(`document.documentElement.dir = '${dir}'`);
      await page.waitForTimeout(250);
      await expectReadable(page, `dialog-${row[0].replaceAll(' ', '-')}-${width}-${colorScheme}-${dir}`);
      const edges = (await dialog().boundingBox())!;
      expect([edges.x >= 0, edges.x + edges.width <= width], `${row[0]} at ${width}`).toEqual([true, true]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });
});

it('are all dialogs of the console', () => {
  const root = path.join(import.meta.dirname, '../../src/console');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const found = files.flatMap((file): [name: string, count: number][] => {
    if (!file.endsWith('.tsx') || /^design\/(Dialog|ConfirmAction|FormDialog)\.tsx$/.test(file)) return [];
    const source = readFileSync(path.join(root, file), 'utf8');
    const isUsed = /from '.*\/(Dialog|ConfirmAction|FormDialog)\.tsx'|<dialog\s/.test(source);
    const count = source.match(/<(Dialog|ConfirmAction|FormDialog|dialog)\s/g)?.length ?? 0;
    return isUsed && count > 0 ? [[file.replace(/\.tsx$/, ''), count]] : [];
  });
  expect(found.length).toBeGreaterThan(40);
  expect(Object.keys(dialogs).toSorted()).toEqual(found.map(([file]) => file).toSorted());
  for (const [file, count] of found)
    expect(dialogs[file]!.length + (opened[file] ?? 0), file).toBeGreaterThanOrEqual(count);
});
