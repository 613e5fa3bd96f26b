/** Several requests to pay one invoice at once: a declined card is charged once, and each request gets the decline. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks } from '../support/books.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

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
