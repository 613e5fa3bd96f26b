/** Cards that a customer adds in the portal: entered in the form of Stripe's script, or on a page of the provider. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import type { FakeStripe } from '../../support/fakeStripe.ts';
import { findFaults } from '../../support/faults.ts';
import { startMollieApp } from '../../support/mollieApp.ts';
import { openPortalBrowser, setPortal, signIn, wordsOf, type PortalBrowser } from '../../support/portal.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';

const publicUrl = 'https://billing.example';
const page = '/portal/acme/payment-methods';

let running: StripeApp;
let stripe: FakeStripe;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  running = await startStripeApp({ stripePublishableKey: 'pk_test_notasecret', publicUrl });
  stripe = running.stripe;
  client = await running.app.tenant({ alias: 'acme', name: 'Acme', test: false });
  shop = createShop(client, 'acme');
});
afterAll(async () => {
  expect(await findFaults(running.app, 'acme')).toEqual([]);
  await running.close();
});

let lastToken = 0;
const confirmation = (card: string) => `ctoken_77${++lastToken}_${card}`;
const flow = { type: 'payment_method' };

async function open(own: Client = client, by: Shop = shop) {
  const customer = await by.customer();
  return { customer, browser: await signIn(running.app, own, { customerId: customer.id, flow }, publicUrl) };
}
const enter = (browser: PortalBrowser, card: string) =>
  browser.submit('/payment-methods', { method: 'card', confirmation: confirmation(card) });
const listMethods = async ({ id }: any, own: Client = client) =>
  (
    await own.graphql(
      'query ($id: ID!) { customer(id: $id) { paymentMethods { nodes { brand last4 isDefault } } } }',
      { id },
    )
  ).customer.paymentMethods.nodes;
const visa = { brand: 'visa', last4: '4242', isDefault: true };
const linkOf = (text: string) => /<a class="button" href="([^"]+)"/.exec(text)![1]!;
/** The path that the provider leads back to. */
const toPath = (url: string) => url.slice(publicUrl.length);
const lastIntent = () => [...stripe.intents.values()].at(-1);
const lastSession = () => [...stripe.sessions.values()].at(-1);

describe('the page', () => {
  it("has the form of Stripe's script, and is the only one that may load it", async () => {
    const { browser } = await open();
    const { text, headers } = await browser.get(page);
    const settings = JSON.parse(/data-card-form="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"'));
    expect(settings).toMatchObject({ method: 'card', options: { mode: 'setup', currency: 'eur' } });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'referrer-policy': 'same-origin', 'cache-control': 'no-store' });
    for (const path of ['', '/invoices', '/details'])
      expect(
        String((await browser.get(`/portal/acme${path}`)).headers['content-security-policy']),
      ).not.toMatch(/script-src|stripe/);
  });

  it('of a tenant without such a provider says where methods are added', async () => {
    const own = await running.app.tenant({ alias: 'transfers', name: 'Transfers', test: false });
    await own.graphql('mutation { updateTenant(input: { paymentProviders: [manual] }) { name } }');
    const { browser } = await open(own, createShop(own, 'transfers'));
    const { text, headers } = await browser.get('/portal/transfers/payment-methods');
    expect(wordsOf(text)).toContain('Payment methods are added on the site where you subscribed.');
    expect(String(headers['content-security-policy'])).not.toContain('stripe');
  });
});

describe('a card entered in the form', () => {
  it('is saved as the default, in the name of the customer', async () => {
    const { browser, customer } = await open();
    const answer = await browser.follow(await enter(browser, 'pm_card_visa'));
    expect(wordsOf(answer.text)).toContain('The payment method is saved.');
    expect(await listMethods(customer)).toEqual([visa]);
    const where = { tenantAlias: 'acme', executorId: `customer:${customer.id}` };
    const traces = await running.app.service.store.fresh.select('traces', { where });
    expect(traces.map(({ activityType }) => activityType)).toContain('PaymentMethodEvent');
  });

  it('pays what is open at once, and becomes the default', async () => {
    const books = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
    const { customer, browser } = await open(books.client, books.shop);
    const id = await books.subscribe(customer, await books.plan(50), 'pm_card_chargeCustomerFail');
    await books.advance('2026-03-01');
    expect(await statusOf(books, id)).toBe('past_due');
    await browser.get(`/portal/${books.alias}/payment-methods`);
    await enter(browser, 'pm_card_visa');
    expect(await statusOf(books, id)).toBe('active');
    expect(await books.bills(id)).toEqual([
      expect.stringMatching(/ paid 50$/),
      expect.stringMatching(/ paid 50$/),
    ]);
    expect((await listMethods(customer, books.client)).filter(({ isDefault }: any) => isDefault)).toEqual([
      visa,
    ]);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });

  it.each(['pm_card_visa_chargeDeclined', 'pm_card_chargeDeclinedInsufficientFunds'])(
    '%s is refused, and saves nothing',
    async (card) => {
      const { browser, customer } = await open();
      const { status, text } = await enter(browser, card);
      expect([status, wordsOf(text)]).toEqual([
        409,
        expect.stringContaining('was refused. Try another one.'),
      ]);
      expect(text).toContain('data-card-form');
      expect(await listMethods(customer)).toEqual([]);
    },
  );

  it('that the bank must confirm is saved on the return, once, also beside the callback', async () => {
    const { browser, customer } = await open();
    const { text } = await enter(browser, 'pm_card_authenticationRequired');
    expect(wordsOf(text)).toContain('Your bank asks you to confirm this.');
    const made = lastIntent();
    expect(linkOf(text)).toBe(made.next_action.redirect_to_url.url);
    const back = toPath(made.return_url);
    expect(linkOf((await browser.get(back)).text)).toBe(made.next_action.redirect_to_url.url);
    stripe.finish(made.id, true);
    await Promise.all([
      browser.get(back),
      browser.get(back),
      running.deliver(stripe.callback('setup_intent.succeeded', made)),
    ]);
    expect((await browser.get(back)).headers['location']).toBe(`${page}?done=methodAdded`);
    expect(await listMethods(customer)).toEqual([visa]);
  });

  it('is saved once by 20 forms at once', async () => {
    const { browser, customer } = await open();
    const fields = {
      ...browser.fields('/payment-methods'),
      method: 'card',
      confirmation: confirmation('pm_card_visa'),
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.post(page, fields)));
    // How many of them meet is chance; none may save a second method.
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(303);
    expect(answers.every(({ status }) => status === 303 || status === 409)).toBe(true);
    expect(await listMethods(customer)).toEqual([visa]);
  });

  it.each([
    ['a method of a test tenant', { method: 'sandbox_ok' }, 404],
    ['an unknown method', { method: 'pm_card_visa' }, 404],
    ['no method', { method: '' }, 404],
    ['a token of another form', { method: 'card', token: 'x' }, 403],
  ])('is not replaced by %s', async (_, fields, status) => {
    const { browser, customer } = await open();
    const sessions = stripe.sessions.size;
    expect((await browser.submit('/payment-methods', fields)).status).toBe(status);
    expect([stripe.sessions.size, await listMethods(customer)]).toEqual([sessions, []]);
  });
});

const statusOf = async (books: Books, id: string) => (await books.subscription(id)).status;

describe('a card entered on the page of Stripe', () => {
  it.each([
    ['without scripts', { method: 'card' }],
    ['by the button for it', { method: 'card', redirect: 'yes' }],
    ['after a confirmation that is none', { method: 'card', confirmation: 'ctoken_../x' }],
  ])('%s is saved on the return', async (_, fields) => {
    const { browser, customer } = await open();
    const { text } = await browser.submit('/payment-methods', fields);
    const session = lastSession();
    expect(session.mode).toBe('setup');
    expect(linkOf(text)).toBe(session.url);
    expect(wordsOf(text)).toContain('There you enter the payment method. Afterwards you come back here.');
    stripe.completeSession(session.id, 'pm_card_visa');
    const done = await browser.follow(await browser.get(toPath(session.success_url)));
    expect(wordsOf(done.text)).toContain('The payment method is saved.');
    expect(await listMethods(customer)).toEqual([visa]);
  });
});

describe('the address of the return', () => {
  it('belongs to the session that left, and to its request', async () => {
    const { browser, customer } = await open();
    await browser.submit('/payment-methods', { method: 'card' });
    const session = lastSession();
    stripe.completeSession(session.id, 'pm_card_visa');
    const back = toPath(session.success_url);
    const rival = await running.app.tenant({ alias: 'rival', name: 'Rival', test: false });
    const others: [PortalBrowser, any, Client][] = [];
    for (const [own, by] of [
      [client, shop],
      [rival, createShop(rival, 'rival')],
    ] as const) {
      const each = await open(own, by);
      others.push([each.browser, each.customer, own]);
    }
    for (const [other, stranger, own] of others) {
      for (const path of [back, back.replace('/acme/', '/rival/')])
        expect([303, 404]).toContain((await other.get(path)).status);
      expect(await listMethods(stranger, own)).toEqual([]);
    }
    const [path, query] = back.split('?');
    const fields = new URLSearchParams(query);
    for (const [name, value] of [
      ['token', ''],
      ['token', `1.0.${'0'.repeat(64)}`],
      ['request', fields.get('request')!.replace('_default_', '_further_')],
      ['request', fields.get('request')!.replace(/card$/, 'pm_card_visa')],
      ['request', ''],
      ['request', 'x'.repeat(5000)],
    ] as const) {
      const altered = new URLSearchParams(query);
      altered.set(name, value);
      expect((await browser.get(`${path}?${altered.toString()}`)).status, `${name} ${value}`).toBe(404);
    }
    expect((await browser.get(path!)).status).toBe(404);
    const signedOut = await openPortalBrowser(running.app, publicUrl).get(back);
    expect([signedOut.status, signedOut.headers['location']]).toEqual([303, '/portal/acme']);
    expect(await listMethods(customer)).toEqual([]);
    expect((await browser.get(back)).status).toBe(303);
    expect(await listMethods(customer)).toEqual([visa]);
  });

  it('is closed with the part', async () => {
    const own = await running.app.tenant({ alias: 'closed', name: 'Closed', test: false });
    const { browser } = await open(own, createShop(own, 'closed'));
    await browser.submit('/payment-methods', { method: 'card' });
    await setPortal(own, { paymentMethods: false });
    expect((await browser.get(toPath(lastSession().success_url))).status).toBe(404);
  });
});

it('a method entered on the page of Mollie is saved on the return', async () => {
  const played = await startMollieApp({ publicUrl });
  const { app, mollie } = played;
  const own = await app.tenant({ alias: 'acme', name: 'Acme', test: false });
  const customer = await createShop(own, 'acme').customer();
  const browser = await signIn(app, own, { customerId: customer.id, flow }, publicUrl);
  const { text } = await browser.submit('/payment-methods', {});
  const payment = [...mollie.payments.values()].at(-1);
  expect(linkOf(text)).toBe(payment._links.checkout.href);
  mollie.finish(payment.id);
  const done = await browser.follow(await browser.get(toPath(payment.redirectUrl)));
  expect(wordsOf(done.text)).toContain('The payment method is saved.');
  expect(await listMethods(customer, own)).toMatchObject([{ isDefault: true }]);
  await played.close();
});
