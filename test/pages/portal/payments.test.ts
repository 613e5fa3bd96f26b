/** Unpaid invoices that a customer pays in the portal: once, whatever is pressed, and with what the bank asks for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chargeInvoice } from '../../../src/billing/invoices/oneOffPayments.ts';
import { openBooks, openScope, type Books } from '../../support/books.ts';
import type { FakeStripe } from '../../support/fakeStripe.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask } from '../../support/oneOff.ts';
import { setPortal, signIn, wordsOf, type PortalBrowser } from '../../support/portal.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';
import { payPath } from '../../support/payLinks.ts';

const publicUrl = 'https://billing.example';

let running: StripeApp;
let stripe: FakeStripe;
let books: Books;
let base: string;
beforeAll(async () => {
  running = await startStripeApp({ publicUrl });
  stripe = running.stripe;
  books = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
  await books.client.graphql(`mutation { updateTenant(input: {
    paymentTermsDays: 0, bankAccount: { accountHolder: "Acme", iban: "DE89370400440532013000" }
  }) { alias } }`);
  base = `/portal/${books.alias}`;
});
afterAll(async () => {
  expect(await findFaults(running.app, books.alias)).toEqual([]);
  await running.close();
});

interface Debt {
  customer: any;
  browser: PortalBrowser;
  invoiceId: string;
}

const visit = async (customer: any) =>
  signIn(running.app, books.client, { customerId: customer.id }, publicUrl);

const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status } }';

/** A customer with a subscription, whose payment saved the method. */
async function createPayer(method: string) {
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, await books.plan(50));
  const { confirmIntent } = await books.client.graphql(confirmDocument, { id: intentId, method });
  if (confirmIntent.status === 'requires_action') {
    stripe.finish([...stripe.intents.keys()].at(-1)!, true);
    await running.app.server.inject({ url: `${await payPath(running.app, intentId)}/return` });
  }
  return customer;
}

/** A one-off invoice of 30 that waits for its payer. */
async function oweOneOff(method: string): Promise<Debt> {
  const customer = await createPayer(method);
  const items = [{ amount: afn(30), description: 'Workshop' }];
  const { id } = await ask(books, 'createInvoice', {
    customerId: customer.id,
    items,
    collect: 'send_invoice',
  });
  return { customer, browser: await visit(customer), invoiceId: id };
}

const statusOf = async (id: string) =>
  (await books.client.graphql('query ($id: ID!) { invoice(id: $id) { status } }', { id })).invoice.status;
const paymentsOf = (invoiceId: string) =>
  running.app.service.store.committed.select('payments', {
    where: { tenantAlias: books.alias, invoiceId },
    orderBy: ['id'],
  });
const movedFor = (id: string) => stripe.moved.filter(({ key }) => key.startsWith(id));
const ofCustomerDocument = 'query ($id: ID) { invoices(customerId: $id) { nodes { id } } }';
const linkOf = (text: string) => /<a class="button" href="([^"]+)"/.exec(text)![1]!;
const pay = (id: string) => `/invoices/${id}/pay`;

describe('the overview', () => {
  it('names an unpaid invoice with its amount, its due date, the card and the button', async () => {
    const { browser } = await oweOneOff('pm_card_visa');
    const words = wordsOf((await browser.get(base)).text);
    for (const each of ['To pay', 'AFN 30.00', '31 January 2026', 'Visa ending in 4242', 'Pay AFN 30.00 now'])
      expect(words).toContain(each);
    expect(words).toContain('Bank transfer');
    expect(browser.text).toContain(`href="${base}/payment-methods"`);
    await setPortal(books.client, { paymentMethods: false });
    const without = (await browser.get(base)).text;
    expect(without).not.toContain(`href="${base}/payment-methods"`);
    expect(wordsOf(without)).toContain('Pay AFN 30.00 now');
    await setPortal(books.client, null);
  });

  it('leads a customer who pays by transfer to the order, later shows the account to pay to', async () => {
    const customer = await books.shop.customer();
    const { intentId } = await books.shop.intent(customer, await books.plan(50));
    await books.client.graphql(confirmDocument, { id: intentId, method: 'manual' });
    const browser = await visit(customer);
    expect((await browser.get(base)).text).toContain(`href="${await payPath(running.app, intentId)}"`);
    const [ordered] = (await books.client.graphql(ofCustomerDocument, { id: customer.id })).invoices.nodes;
    await ask(books, 'recordPayment', { id: ordered.id });
    const items = [{ amount: afn(12), description: 'Workshop' }];
    const { id } = await ask(books, 'createInvoice', { customerId: customer.id, items });
    const { text } = await browser.get(base);
    expect(text).not.toContain(pay(id));
    const words = wordsOf(text);
    for (const each of ['AFN 12.00', 'We are waiting for your bank transfer.', 'Reference RF'])
      expect(words).toContain(each);
  });

  it('asks a customer without a method for one, and shows nothing once nothing is owed', async () => {
    const customer = await books.shop.customer();
    const items = [{ amount: afn(12), description: 'Workshop' }];
    const { id } = await ask(books, 'createInvoice', { customerId: customer.id, items });
    const browser = await visit(customer);
    expect(wordsOf((await browser.get(base)).text)).toContain('it pays this invoice at once');
    expect(browser.text).not.toContain(pay(id));
    await browser.get(`${base}/payment-methods`);
    await browser.submit('/payment-methods', { method: 'sandbox_ok' });
    expect(await statusOf(id)).toBe('paid');
    expect(wordsOf((await browser.get(base)).text)).not.toContain('To pay');
  });
});

describe('the button', () => {
  it('charges the saved card, in the name of the customer', async () => {
    const { browser, customer, invoiceId } = await oweOneOff('pm_card_visa');
    await browser.get(base);
    const done = await browser.submit(pay(invoiceId));
    expect([done.status, done.headers['location']]).toEqual([303, `${base}?done=invoicePaid`]);
    expect(wordsOf((await browser.follow(done)).text)).toContain('The invoice is paid. Thank you.');
    expect(await statusOf(invoiceId)).toBe('paid');
    expect(movedFor(invoiceId)).toHaveLength(1);
    const where = { tenantAlias: books.alias, executorId: `customer:${customer.id}` };
    const traces = await running.app.service.store.committed.select('traces', { where });
    expect(traces.map(({ activityType }) => activityType)).toContain('PaymentEvent');
  });

  it('pays the failed renewal of a subscription, which goes on', async () => {
    const own = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
    const customer = await own.shop.customer();
    const id = await own.subscribe(customer, await own.plan(50), 'pm_card_chargeCustomerFail');
    await own.advance('2026-03-01');
    const browser = await signIn(running.app, own.client, { customerId: customer.id }, publicUrl);
    await browser.get(`/portal/${own.alias}`);
    const { id: invoiceId } = (await own.invoices(id)).at(-1);
    const done = await browser.submit(pay(invoiceId));
    expect(done.headers['location']).toBe(`/portal/${own.alias}?done=invoicePaid`);
    expect((await own.subscription(id)).status).toBe('active');
    expect(await findFaults(running.app, own.alias)).toEqual([]);
  });

  it.each(['pm_card_visa', 'pm_card_authenticationRequired'])(
    'of %s moves money once in 50 presses at once, in two tabs',
    async (method) => {
      const { browser, customer, invoiceId } = await oweOneOff(method);
      await browser.get(base);
      const second = await visit(customer);
      await second.get(base);
      const tokens = [browser, second].map((by) => by.fields(pay(invoiceId)));
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          [browser, second][index % 2]!.post(base + pay(invoiceId), tokens[index % 2]),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(
        new Set([method === 'pm_card_visa' ? 303 : 200]),
      );
      const intents = [...stripe.intents.values()].filter(({ key }) => key.startsWith(invoiceId));
      expect(intents).toHaveLength(1);
      if (method !== 'pm_card_visa') {
        stripe.finish(intents[0].id, true);
        await Promise.all(
          Array.from({ length: 10 }, () => browser.get(`${base}/invoices/${invoiceId}/return`)),
        );
      }
      expect(movedFor(invoiceId)).toHaveLength(1);
      expect(await statusOf(invoiceId)).toBe('paid');
      expect((await paymentsOf(invoiceId)).map(({ status }) => status)).toEqual(['succeeded']);
      const late = await browser.post(base + pay(invoiceId), tokens[0]);
      expect(late.headers['location']).toBe(`${base}?done=alreadyPaid`);
      expect(movedFor(invoiceId)).toHaveLength(1);
    },
  );

  it('says what to do about a decline, and can be pressed again', async () => {
    const { browser, invoiceId } = await oweOneOff('sandbox_ok_then_declined');
    await browser.get(base);
    for (const tries of [1, 2]) {
      const refused = await browser.submit(pay(invoiceId));
      expect([refused.status, wordsOf(refused.text)]).toEqual([
        409,
        expect.stringContaining('The payment was declined and you were not charged. Choose another method'),
      ]);
      expect(await paymentsOf(invoiceId)).toHaveLength(tries);
    }
    expect(await statusOf(invoiceId)).toBe('open');
  });

  it('charges nothing for a form that showed less', async () => {
    const { browser, invoiceId } = await oweOneOff('pm_card_visa');
    await browser.get(base);
    const { token } = browser.fields(pay(invoiceId));
    const lower = token!.replace('.3000.', '.1.');
    expect(lower).not.toBe(token);
    expect((await browser.post(base + pay(invoiceId), { token: lower })).status).toBe(403);
    expect(movedFor(invoiceId)).toEqual([]);
  });
});

describe('a bank that asks for a confirmation', () => {
  const begin = async () => {
    const debt = await oweOneOff('pm_card_authenticationRequired');
    await debt.browser.get(base);
    const asked = await debt.browser.submit(pay(debt.invoiceId));
    const made = [...stripe.intents.values()].at(-1);
    expect([asked.status, linkOf(asked.text)]).toEqual([200, made.next_action.redirect_to_url.url]);
    expect(made.return_url).toBe(`${publicUrl}${base}/invoices/${debt.invoiceId}/return`);
    return { ...debt, made };
  };
  const goBack = ({ browser, invoiceId }: Debt) => browser.get(`${base}/invoices/${invoiceId}/return`);

  it('leads back to the paid invoice', async () => {
    const debt = await begin();
    expect(linkOf((await goBack(debt)).text)).toBe(debt.made.next_action.redirect_to_url.url);
    stripe.finish(debt.made.id, true);
    expect((await goBack(debt)).headers['location']).toBe(`${base}?done=invoicePaid`);
    expect((await paymentsOf(debt.invoiceId)).map(({ status }) => status)).toEqual(['succeeded']);
    // A later visit asks nobody and charges nothing.
    expect((await goBack(debt)).headers['location']).toBe(`${base}?done=invoicePaid`);
    expect(movedFor(debt.invoiceId)).toHaveLength(1);
  });

  it('that refuses leaves the invoice unpaid, and a return begins no charge', async () => {
    const debt = await begin();
    stripe.finish(debt.made.id, false);
    const refused = await goBack(debt);
    expect([refused.status, await statusOf(debt.invoiceId)]).toEqual([409, 'open']);
    const requests = stripe.requests.length;
    expect((await goBack(debt)).status).toBe(200);
    expect(stripe.requests).toHaveLength(requests);
  });

  it('is shown again by the overview, or the payment is stopped there', async () => {
    const debt = await begin();
    expect(wordsOf((await debt.browser.get(base)).text)).toContain('This payment is being processed.');
    const again = await debt.browser.submit(`/${debt.invoiceId}/resume`);
    expect(linkOf(again.text)).toBe(debt.made.next_action.redirect_to_url.url);
    await debt.browser.get(base);
    const stopped = await debt.browser.submit(`/${debt.invoiceId}/abandon`);
    expect(stopped.headers['location']).toBe(`${base}?done=paymentStopped`);
    expect(stripe.intents.get(debt.made.id).status).toBe('canceled');
    expect(await statusOf(debt.invoiceId)).toBe('open');
  });

  it('has an hour, then the scheduler ends the charge', async () => {
    const own = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
    [books, base] = [own, `/portal/${own.alias}`];
    const debt = await begin();
    const intent = () => stripe.intents.get(debt.made.id).status;
    await own.advance('2026-01-31T09:30:00.000Z');
    const invoice = { id: debt.invoiceId };
    const askAgain = async () => {
      const [row] = await running.app.service.store.fresh.select('invoices', { where: invoice });
      return chargeInvoice(await openScope(running.app, own), row!, true);
    };
    expect([await askAgain(), intent(), await paymentsOf(debt.invoiceId)]).toEqual([
      undefined,
      'requires_action',
      [],
    ]);
    await own.advance('2026-01-31T10:30:00.000Z');
    await askAgain();
    expect([intent(), (await paymentsOf(debt.invoiceId)).map(({ status }) => status)]).toEqual([
      'canceled',
      ['failed'],
    ]);
    expect(await statusOf(debt.invoiceId)).toBe('open');
  });
});

describe('a form that is not the page of the customer', () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  it.each<[string, (debt: Debt) => Promise<{ status: number }>, number]>([
    ['without a token', ({ browser, invoiceId }) => browser.post(base + pay(invoiceId)), 403],
    [
      'from another site',
      ({ browser, invoiceId }) =>
        browser.post(base + pay(invoiceId), browser.fields(pay(invoiceId)), headers),
      403,
    ],
    [
      'with the token of another invoice',
      async ({ browser, customer, invoiceId }) => {
        const items = [{ amount: afn(30), description: 'Second' }];
        const other = await ask(books, 'createInvoice', {
          customerId: customer.id,
          items,
          collect: 'send_invoice',
        });
        await browser.get(base);
        return browser.post(base + pay(invoiceId), browser.fields(pay(other.id)));
      },
      403,
    ],
    [
      'of another customer, with a token of their own page',
      async ({ invoiceId }) => {
        const { browser, invoiceId: own } = await oweOneOff('pm_card_visa');
        await browser.get(base);
        return browser.post(base + pay(invoiceId), browser.fields(pay(own)));
      },
      403,
    ],
    [
      'of another customer, without any token: the return from the bank',
      async ({ invoiceId }) => {
        const { browser } = await oweOneOff('pm_card_visa');
        return browser.get(`${base}/invoices/${invoiceId}/return`);
      },
      404,
    ],
    [
      'of a customer of another tenant',
      async ({ invoiceId }) => {
        const rival = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
        const customer = await rival.shop.customer();
        const browser = await signIn(running.app, rival.client, { customerId: customer.id }, publicUrl);
        return browser.get(`/portal/${rival.alias}/invoices/${invoiceId}/return`);
      },
      404,
    ],
  ])('%s charges nothing', async (_, send, status) => {
    const debt = await oweOneOff('pm_card_visa');
    await debt.browser.get(base);
    expect((await send(debt)).status).toBe(status);
    expect([await statusOf(debt.invoiceId), movedFor(debt.invoiceId)]).toEqual(['open', []]);
  });
});
