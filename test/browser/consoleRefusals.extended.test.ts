/**
 * Every form of the console, in a real browser: each of its fields is refused by the server, and the refusal names the label of
 * the field, never its path in the input. Each can be read by all (WCAG 2.2 AA).
 */
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

const create = async (mutation: string, input: object): Promise<string> => {
  const [, name, type] = /^(\w+) (\w+)$/.exec(mutation)!;
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { id } }`;
  return (await books.client.graphql(document, { input }))[name!].id;
};

beforeAll(async () => {
  buildConsole();
  app = await startApp({
    publicUrl: 'http://127.0.0.1',
    testMails: 'on',
    secretKey: Buffer.alloc(32, 7).toString('base64'),
  });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  const ada = await books.shop.customer({ firstName: 'Ada', lastName: 'Lovelace' });
  const seats = { price: { details: { amount: 12, currency: 'eur' }, model: 'per_unit' } };
  const { price, product } = await books.shop.product({ name: 'Team', ...seats });
  ids.customer = ada.id;
  ids.product = product.id;
  ids.price = price.id;
  ids.subscription = await books.subscribe(ada, price, undefined, { quantity: 3 });
  ids.paid = (await books.invoices())[0].id;
  await books.shop.product({ name: 'Storage', ...seats });
  const trial = (await books.shop.product({ name: 'Try', price: { ...seats.price, trialDays: 30 } })).price;
  ids.trial = await books.subscribe(ada, trial, undefined, { quantity: 1 });
  const items = [{ amount: { amount: 80, currency: 'eur' }, description: 'Set-up' }];
  ids.open = await create('createInvoice CreateInvoiceInput', {
    customerId: ada.id,
    items,
    collect: 'send_invoice',
  });
  ids.coupon = await create('createCoupon CreateCouponInput', {
    name: 'Sale',
    percentOff: '20',
    duration: 'once',
  });
  url = await listen(app);
  const { cookie } = await signInOperator(app, { role: 'owner' });
  const [name, value] = cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
}, browserStartMs);
afterAll(async () => {
  await context.close();
  await app.close();
});

const dialog = () => page.getByRole('dialog');
const press = (name: string | RegExp) => async () => {
  await page.getByRole('button', { name }).first().click();
  return dialog();
};
const choose = (entry: string) => async () => {
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
  return dialog();
};
/** The form of a part of a screen. */
const part = (title: string) => () => {
  const section = page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });
  return Promise.resolve(section.locator('form'));
};

interface Form {
  place: () => string;
  open: () => Promise<Locator>;
  /** What is chosen before the fields are tried, one at a time. */
  begin?: (form: Locator) => Promise<unknown>;
  /** Fields whose text the form does not send as it is, or whose text may be anything. */
  taken?: string[];
  /** What is typed into each field. Default: more than any takes. */
  text?: string;
  /** Names by which refusals call fields besides their labels. */
  names?: string[];
}

const price = (form: Locator) => form.getByRole('textbox', { name: 'Amount' }).first().fill('12');
const setUp = (name: string) => async () => {
  const section = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
  await section.getByRole('button', { name: 'Set up' }).click();
  return dialog();
};

const forms: Record<string, Form> = {
  'new customer': {
    place: () => '/customers',
    open: press('New customer'),
    begin: (form) => form.getByLabel('E-mail').fill('grace@example.com'),
  },
  'details of a customer': {
    place: () => `/customers/${ids.customer}`,
    open: choose('Edit details'),
    begin: (form) => form.getByLabel('Country').selectOption('Germany'),
  },
  'tax ids': {
    place: () => `/customers/${ids.customer}`,
    open: choose('Tax ids and exemption'),
    begin: (form) => form.getByRole('button', { name: 'Add a tax id' }).click(),
  },
  credit: { place: () => `/customers/${ids.customer}`, open: choose('Grant a credit'), begin: price },
  discount: { place: () => `/customers/${ids.customer}`, open: choose('Apply a discount') },
  'blocked mail': { place: () => `/customers/${ids.customer}`, open: choose('Block mail') },
  erasure: {
    place: () => `/customers/${ids.customer}`,
    open: choose('Erase personal data'),
    taken: ['Type ada@example.com to confirm'],
  },
  charge: {
    place: () => `/customers/${ids.customer}`,
    open: choose('Charge once'),
    begin: async (form) => {
      await form.getByLabel('Description').fill('Set-up');
      await price(form);
    },
    taken: ['Amount', 'Quantity'],
  },
  sale: {
    place: () => `/customers/${ids.customer}`,
    open: press('Start a subscription'),
    begin: (form) => pick(form, 'Price', 'Storage'),
  },
  'metadata of a customer': {
    place: () => `/customers/${ids.customer}`,
    open: press('Edit metadata'),
    begin: (form) => form.getByLabel('Name').first().fill('seats'),
    text: 'x'.repeat(600),
    names: ['seats'],
  },
  refund: { place: () => `/invoices/${ids.paid}`, open: press('Refund …'), taken: ['Amount in EUR'] },
  'credit note': {
    place: () => `/invoices/${ids.paid}`,
    open: choose('Credit note …'),
    taken: ['Amount in EUR'],
  },
  'recorded payment': {
    place: () => `/invoices/${ids.open}`,
    open: press('Record a payment …'),
    begin: (form) => form.getByLabel('Reference').fill('RF18'),
    taken: ['Amount in EUR'],
  },
  'change of a subscription': {
    place: () => `/subscriptions/${ids.subscription}`,
    open: press('Change …'),
    begin: (form) => form.getByLabel('Quantity').fill('4'),
  },
  'new product': {
    place: () => '/catalog',
    open: press('New product'),
    begin: async (form) => {
      await form.getByLabel('Name').first().fill('Other');
      await price(form);
      await form.locator('summary').click();
    },
  },
  'new group': {
    place: () => '/catalog',
    open: async () => {
      await page.getByRole('button', { name: 'Groups' }).click();
      return press('New group')();
    },
  },
  product: { place: () => `/catalog/${ids.product}`, open: press('Edit') },
  'new price': {
    place: () => `/catalog/${ids.product}/prices/new`,
    open: () => Promise.resolve(page.locator('.price-editor form')),
    begin: (form) => form.getByLabel('Model').selectOption('package'),
  },
  'new tiered price': {
    place: () => `/catalog/${ids.product}/prices/new`,
    open: () => Promise.resolve(page.locator('.price-editor form')),
    begin: (form) => form.getByLabel('Model').selectOption('graduated'),
  },
  'amount of a price': {
    place: () => `/catalog/${ids.product}/prices/${ids.price}`,
    open: press('Change amount'),
  },
  'new coupon': {
    place: () => '/coupons',
    open: press('Create a coupon'),
    begin: async (form) => {
      await form.getByLabel('Name').fill('Other');
      await form.getByLabel('Percent').last().fill('10');
      await form.getByLabel('How long').selectOption('repeating');
    },
  },
  'promotion code': { place: () => `/coupons/${ids.coupon}`, open: press('Create a promotion code') },
  'name of a coupon': { place: () => `/coupons/${ids.coupon}`, open: press('Rename') },
  'new key': { place: () => '/keys', open: press('New API key') },
  'new endpoint': { place: () => '/webhooks', open: press('New endpoint') },
  tenant: { place: () => '/settings/business', open: part('Tenant') },
  seller: {
    place: () => '/settings/business',
    open: part('Seller on documents'),
    begin: async (form) => {
      await form.getByLabel('Legal name').fill('Acme GmbH');
      await form.getByLabel('Country', { exact: true }).selectOption('Germany');
    },
  },
  looks: { place: () => '/settings/branding', open: part('Branding') },
  'bank account': { place: () => '/settings/providers', open: part('Bank account for transfers') },
  'Stripe account': { place: () => '/settings/providers', open: setUp('Stripe') },
  'Mollie account': { place: () => '/settings/providers', open: setUp('Mollie') },
  dunning: { place: () => '/settings/dunning', open: part('Failed payments') },
  portal: { place: () => '/settings/portal', open: part('Customer portal') },
  policies: { place: () => '/settings/policies', open: part('Policies') },
  origins: { place: () => '/settings/pages', open: () => Promise.resolve(page.locator('main form')) },
  'tax rate': {
    place: () => '/settings/taxes',
    open: press('New tax rate'),
    begin: (form) => form.getByLabel('Percent').fill('19'),
  },
  numbers: { place: () => '/settings/numbers', open: part('Invoices') },
  mail: { place: () => '/settings/mail', open: part('Mails') },
  'text of a mail': {
    place: () => '/settings/texts?part=text',
    open: () => Promise.resolve(page.locator('main form')),
  },
  invitation: { place: () => '/settings/operators', open: press('Invite operator') },
  'test tenant': { place: () => '/settings/tests', open: press('New test tenant') },
  'saved view': {
    place: () => '/customers',
    open: async () => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
      return dialog();
    },
  },
  'name of the operator': {
    place: () => '~/console/account',
    open: () => Promise.resolve(page.locator('form.account-form')),
  },
  password: { place: () => '~/console/account', open: press('Set a password') },
  'new tenant': {
    place: () => '~/console/new-tenant',
    open: () => Promise.resolve(page.locator('form')),
    begin: (form) => form.getByLabel('Name', { exact: true }).fill('Other'),
  },
};

const fields =
  'input:not([type=checkbox], [type=date], [type=file], [type=radio], [role=combobox], [readonly]), textarea';
const tooLong = 'x'.repeat(20_000);

/** Opens a form as it is at first. */
async function open({ place, open: show, begin }: Form): Promise<Locator> {
  const path = place();
  page.removeAllListeners('dialog');
  page.on('dialog', (asked) => void asked.accept());
  await page.goto(path.startsWith('~') ? url + path.slice(1) : `${url}/console/t/${books.alias}${path}`);
  await page.locator('h1').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  const form = await show();
  await form.waitFor();
  await begin?.(form);
  return form;
}

const readLabel = (field: Locator): Promise<string> =>
  field.evaluate((element: any) => element.labels[0].textContent.trim());
const readLines = (form: Locator) => form.locator('.note.bad[role=alert] .note-detail').allTextContents();

/** Sends the form, and waits for what comes of it. */
async function send(form: Locator): Promise<'refused' | 'unsent' | 'sent'> {
  const button = form.locator('button[type=submit]').last();
  const refusal = form.locator('.note.bad[role=alert]');
  // A busy server takes its time for a preview.
  await expect
    .poll(async () => (await refusal.count()) > 0 || !/is not ready/.test((await button.textContent()) ?? ''))
    .toBe(true);
  // What a preview refuses is shown as well, and cannot be sent.
  if ((await button.getAttribute('aria-disabled')) === 'true' && !(await button.getAttribute('aria-busy'))) {
    await form
      .locator('.note.bad[role=alert]')
      .first()
      .waitFor({ timeout: 3000 })
      .catch(() => undefined);
    return (await form.locator('.note.bad[role=alert]').count()) > 0 ? 'refused' : 'unsent';
  }
  await form
    .locator('.note.bad[role=alert]')
    .evaluateAll((notes: any[]) => notes.forEach((note) => note.setAttribute('data-old', '')));
  await button.click();
  const fresh = form.locator('.note.bad[role=alert]:not([data-old])').first();
  const saved = page.getByRole('status').filter({ hasText: /Saved/ });
  await expect
    .poll(async () => (await fresh.count()) + (await saved.count()) + Number(!(await form.isVisible())))
    .toBeGreaterThan(0);
  return (await fresh.count()) > 0 ? 'refused' : 'sent';
}

it.each(Object.entries(forms))('refusals name the labels of the form: %s', async (name, form) => {
  let shown = await open(form);
  // A preview comes a moment later, and its button changes colour by and by.
  await page.waitForTimeout(1000);
  await expectReadable(page, `console-form-${name.replaceAll(' ', '-')}`);
  const count = await shown.locator(fields).count();
  expect(count).toBeGreaterThan(0);
  const wrong: string[] = [];
  const unsent: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const field = shown.locator(fields).nth(nth);
    const label = await readLabel(field);
    const before = await field.inputValue();
    await field.evaluate((element: any) => element.removeAttribute('maxlength'));
    await field.fill(form.text ?? tooLong);
    const outcome = await send(shown);
    if (outcome === 'refused') {
      const lines = await readLines(shown);
      const labels = [...(await shown.locator('label').allTextContents()), ...(form.names ?? [])];
      const own = lines.filter((line) => line.startsWith(`${label}: `));
      const isMarked = (await field.getAttribute('aria-invalid')) === 'true';
      if (own.length === 0 && !isMarked) wrong.push(`${label} is not named: ${lines.join(' | ')}`);
      for (const line of lines)
        if (!labels.some((each) => line.startsWith(`${each}: `))) wrong.push(`${label} leads to: ${line}`);
      await field.fill(before);
    } else {
      unsent.push(label);
      shown = await open(form);
    }
  }
  expect(wrong).toEqual([]);
  expect(unsent, 'what is not refused').toEqual(form.taken ?? []);
});
