/** Several requests to pay one invoice at once: a declined card is charged once, and each request gets the decline. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findInvoice } from '../../../src/billing/invoices/invoices.ts';
import { payOneOffInvoice } from '../../../src/billing/invoices/oneOffPayments.ts';
import { payInvoice } from '../../../src/billing/renewals/invoicePayment.ts';
import { openBooks, openScope } from '../../support/books.ts';
import { afn, ask } from '../../support/oneOff.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';

let running: StripeApp;
beforeAll(async () => {
  running = await startStripeApp();
});
afterAll(() => running.close());

const payDocument = 'mutation ($id: ID!) { payInvoice(id: $id) { status } }';

it('20 requests make one attempt, and the next request makes another', async () => {
  const books = await openBooks(running.app, '2026-01-31');
  const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  const { subscriptionId } = await books.shop.confirm(intentId, 'pm_card_chargeCustomerFail');
  await books.advance('2026-03-01');
  const { id } = (await books.invoices(subscriptionId)).at(-1);
  const countTries = () =>
    running.stripe.requests.filter((each) => each.startsWith(`POST /v1/payment_intents ${id}`)).length;
  const pay = () => books.client.post(payDocument, { id });
  const before = countTries();
  for (const round of [1, 2, 3]) {
    const answers = await Promise.all(Array.from({ length: 20 }, pay));
    const reasons = answers.map(({ body }) => body.errors[0].extensions.reason);
    expect(new Set(reasons)).toEqual(new Set(['payment_failed']));
    expect(countTries() - before).toBe(round);
  }
  expect(await books.tries(subscriptionId)).toHaveLength(2 + 3);
});

it('50 requests that share nothing, as of several servers, make one attempt', async () => {
  const books = await openBooks(running.app, '2026-01-31');
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
  await books.advance('2026-03-01');
  const { id: invoiceId } = (await books.invoices(id)).at(-1);
  const before = (await books.tries(id)).length;
  // Requests with different paths do not join the attempts of this process.
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, async (_, index) =>
      payInvoice(await openScope(running.app, books), invoiceId, { returnPath: `/portal/${index}` }),
    ),
  );
  expect(new Set(answers.map((each) => (each as any).reason?.reason))).toEqual(new Set(['payment_failed']));
  expect(await books.tries(id)).toHaveLength(before + 1);
});

it('a request that has seen an attempt in progress, which has ended since, makes no other', async () => {
  const books = await openBooks(running.app, '2026-01-31');
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
  const items = [{ amount: afn(30), description: 'Workshop' }];
  const { id } = await ask(books, 'createInvoice', { customerId: customer.id, items });
  const scope = await openScope(running.app, books);
  const ended = await findInvoice(scope.read, id);
  const countTries = () =>
    running.app.service.store.committed.count('payments', { tenantAlias: books.alias, invoiceId: id });
  const before = await countTries();
  const seen = { ...ended, chargeStartedAt: ended.createdAt };
  await expect(payOneOffInvoice(scope, seen)).rejects.toMatchObject({ reason: 'payment_failed' });
  expect(await countTries()).toBe(before);
});

it('a request that may not pay, and one whose key is known, leave the others their own outcome', async () => {
  const books = await openBooks(running.app, '2026-01-31');
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
  const items = [{ amount: afn(30), description: 'Workshop' }];
  const { id } = await ask(books, 'createInvoice', { customerId: customer.id, items });
  const reader = await running.app.key(books.alias, 'read');
  const pay = (client = books.client, key?: string) =>
    client.post(payDocument, { id }, key === undefined ? {} : { 'idempotency-key': key });
  await books.client.post(
    'mutation { createGroup(input: { name: "G" }) { id } }',
    {},
    { 'idempotency-key': 'used' },
  );
  const answers = await Promise.all([
    pay(reader),
    pay(books.client, 'used'),
    pay(),
    pay(books.client, 'new'),
  ]);
  const reasons = answers.map(({ body }) => body.errors?.[0].extensions.reason ?? body.body?.reason);
  expect(reasons).toEqual([
    'insufficient_scope',
    'idempotency_key_reused',
    'payment_failed',
    'payment_failed',
  ]);
});
