/** A charge for which another amount or currency came, such as a partial capture: it pays nothing, and is given back. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFaults } from '../support/faults.ts';
import { openBooks, type Books } from '../support/books.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

let running: StripeApp;
beforeAll(async () => {
  running = await startStripeApp();
});
afterAll(() => running.close());

const madeFor = (key: string) => [...running.stripe.intents.values()].find((each) => each.key === key);
const deliver = (made: any) => running.deliver(running.stripe.callback('payment_intent.succeeded', made));

const listMoved = (key: string) =>
  running.stripe.moved.filter((each) => each.key === key).map(({ kind, amount }) => `${kind} ${amount}`);

const listPayments = async ({ alias }: Books) =>
  (
    await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: alias },
      orderBy: ['createdAt', 'id'],
    })
  ).map(
    ({ kind, status, amountMinor, currency, failureReason }) =>
      `${kind} ${status} ${amountMinor} ${currency}${failureReason === null ? '' : ` ${failureReason}`}`,
  );

const sums: [name: string, came: object, recorded: string][] = [
  ['a part', { amount_received: 2000 }, '2000 afn'],
  ['more', { amount: 5001, amount_received: 5001 }, '5001 afn'],
  ['another currency', { currency: 'usd' }, '5000 usd'],
  ['nothing', { amount_received: 0 }, ''],
];

it.each(sums)('%s for the invoice of a renewal', async (_, came, recorded) => {
  const books = await openBooks(running.app, '2026-01-31');
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, await books.plan(50));
  const { subscriptionId } = await books.shop.confirm(intentId, 'pm_sepa_kept');
  await books.advance('2026-03-01');
  const { id, status } = (await books.invoices(subscriptionId)).at(-1);
  expect(status).toBe('open');
  const before = (await listPayments(books)).length;
  const made = running.stripe.finish(madeFor(`${id}_1`).id, true);
  Object.assign(made, came);
  await deliver(made);
  await deliver(made);
  expect((await books.invoices(subscriptionId)).at(-1).status).toBe('open');
  expect((await listPayments(books)).slice(before).toSorted()).toEqual(
    [
      'charge failed 5000 afn other_amount_received',
      ...(recorded
        ? [`charge succeeded ${recorded} other_amount_received`, `refund succeeded ${recorded}`]
        : []),
    ].toSorted(),
  );
  expect(await findFaults(running.app, books.alias)).toEqual([]);

  // The invoice is paid by another attempt, and refunded from that.
  await books.client.graphql('mutation ($id: ID!) { payInvoice(id: $id) { status } }', { id });
  await deliver(running.stripe.finish(madeFor(`${id}_2`).id, true));
  const refund = 'mutation ($id: ID!) { refundInvoice(id: $id) { status refundable { amount } } }';
  expect((await books.client.graphql(refund, { id })).refundInvoice).toEqual({
    status: 'paid',
    refundable: { amount: 0 },
  });
  expect(listMoved(`${id}_2`)).toEqual(['charge 5000']);
  expect((await listPayments(books)).at(-1)).toBe('refund succeeded 5000 afn');
  expect(await findFaults(running.app, books.alias)).toEqual([]);
});

it.each(sums)('%s for an order', async (_, came, recorded) => {
  const books = await openBooks(running.app, '2026-01-31');
  const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  const confirm = `mutation { confirmIntent(id: "${id}", input: { paymentMethod: "pm_card_authenticationRequired" }) { status } }`;
  await books.client.graphql(confirm);
  const made = running.stripe.finish(madeFor(`${id}_1`).id, true);
  Object.assign(made, came);
  await deliver(made);
  await deliver(made);
  const { intent } = await books.client.graphql(
    `{ intent(id: "${id}") { status subscriptionId failureReason } }`,
  );
  expect(intent).toEqual({
    status: 'requires_payment_method',
    subscriptionId: null,
    failureReason: 'other_amount_received',
  });
  expect((await listPayments(books)).toSorted()).toEqual(
    [
      'charge failed 5000 afn other_amount_received',
      ...(recorded
        ? [`charge succeeded ${recorded} other_amount_received`, `refund succeeded ${recorded}`]
        : []),
    ].toSorted(),
  );
  expect(await findFaults(running.app, books.alias)).toEqual([]);
});
