/** Intents for products that are deleted, not active or expired by the time they are to be paid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBooks, type Books } from '../../support/books.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId } }';
const updateDocument =
  'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { id } }';
const deleteDocument = 'mutation ($id: ID!) { deleteProduct(id: $id) { id } }';

let running: StripeApp;
beforeAll(async () => {
  running = await startStripeApp();
});
afterAll(() => running.close());

type Withdraw = (books: Books, price: any) => Promise<unknown>;
const deactivate: Withdraw = (books, { productId: id }) =>
  books.client.graphql(updateDocument, { id, input: { active: false } });
const expire: Withdraw = async (books, { productId: id }) => {
  await books.client.graphql(updateDocument, { id, input: { expiresAt: '2026-06-01T01:00:00Z' } });
  await books.advance('2026-06-01T01:00:00Z');
};
const remove: Withdraw = (books, { productId: id }) => books.client.graphql(deleteDocument, { id });

const fetchStatus = async (books: Books, id: string) =>
  (await books.client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;
const madeFor = (id: string) => [...running.stripe.intents.values()].find(({ key }) => key === `${id}_1`);
const movedFor = (id: string) =>
  running.stripe.moved.filter(({ key }) => key.startsWith(id)).map(({ kind, amount }) => `${kind} ${amount}`);
const fetchActive = async (books: Books, customer: any) =>
  (
    await books.client.graphql('query ($id: ID!) { activeSubscriptions(customerId: $id) { id } }', {
      id: customer.id,
    })
  ).activeSubscriptions.length;

async function begun() {
  const books = await openBooks(running.app, '2026-06-01');
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const price = await books.plan(50, { groupId });
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, price);
  return { books, groupId, price, customer, intentId };
}

const withdrawn: [string, Withdraw, string, number][] = [
  ['is not active', deactivate, 'requires_payment_method', 409],
  ['has expired', expire, 'requires_payment_method', 409],
  ['is deleted', remove, 'cancelled', 410],
];

describe('an intent for a product that', () => {
  it.each(withdrawn)(
    '%s cannot be paid, and nobody is asked for money',
    async (why, withdraw, status, page) => {
      const { books, price, customer, intentId: id } = await begun();
      await withdraw(books, price);
      for (const method of ['sandbox_ok', 'pm_card_visa', 'manual']) {
        const issues = await books.perform({
          graphql: [confirmDocument, { id, method }],
          reason: 'intent_not_payable',
          paths: ['id'],
        });
        if (status !== 'cancelled') expect(issues.errors[0].extensions.issues[0].message).toContain(why);
      }
      const shown = await inject(running.app, { url: await payPath(running.app, id) });
      expect(shown.status).toBe(page);
      expect(shown.text).not.toContain('name="method"');
      expect([await fetchStatus(books, id), madeFor(id), await fetchActive(books, customer)]).toEqual([
        status,
        undefined,
        0,
      ]);
      expect(await books.invoices()).toEqual([]);
    },
  );

  it.each(withdrawn)('%s cannot be changed to: the subscription stays as it is', async (_, withdraw) => {
    const { books, groupId, price, intentId: _first } = await begun();
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(20, { groupId }));
    const before = await books.subscription(id);
    const { intentId } = await books.shop.intent(customer, price);
    await withdraw(books, price);
    const pay = { id: intentId, method: 'sandbox_ok' };
    await books.perform({ graphql: [confirmDocument, pay], reason: 'intent_not_payable' });
    const preview = `query ($id: ID!, $price: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $price }) { effectiveAt } }`;
    const { body } = await books.client.post(preview, { id, price: price.id });
    expect(['validation_failed', 'price_not_found']).toContain(body.errors[0].extensions.reason);
    expect(await books.subscription(id)).toEqual(before);
  });

  it('is active again can be paid again', async () => {
    const { books, price, customer, intentId: id } = await begun();
    await deactivate(books, price);
    await books.client.graphql(updateDocument, { id: price.productId, input: { active: true } });
    await books.client.graphql(confirmDocument, { id, method: 'sandbox_ok' });
    expect(await fetchActive(books, customer)).toBe(1);
  });
});

describe('a payment that had begun before the product', () => {
  async function waiting() {
    const begunWith = await begun();
    const { books, intentId: id } = begunWith;
    await books.client.graphql(confirmDocument, { id, method: 'pm_card_authenticationRequired' });
    return { ...begunWith, made: madeFor(id)! };
  }
  const callBack = (made: any) =>
    running.deliver(
      running.stripe.callback('payment_intent.succeeded', running.stripe.finish(made.id, true)),
    );

  it('was deleted is refunded once, however late and often the provider reports it', async () => {
    const { books, price, customer, intentId: id, made } = await waiting();
    await remove(books, price);
    expect(await fetchStatus(books, id)).toBe('cancelled');
    for (let times = 0; times < 3; times++) expect((await callBack(made)).status).toBe(200);
    expect(await fetchActive(books, customer)).toBe(0);
    const payments = await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: books.alias },
      orderBy: ['id'],
    });
    expect(payments.map(({ kind, status, amountMinor }) => `${kind} ${status} ${amountMinor}`)).toEqual([
      'charge succeeded 5000',
      'refund succeeded 5000',
    ]);
  });

  it.each(withdrawn.slice(0, 2))('%s is kept, since it was agreed to before', async (_, withdraw) => {
    const { books, price, customer, intentId: id, made } = await waiting();
    await withdraw(books, price);
    expect((await callBack(made)).status).toBe(200);
    expect([await fetchStatus(books, id), await fetchActive(books, customer)]).toEqual(['succeeded', 1]);
    expect(movedFor(id)).toEqual(['charge 5000']);
  });

  it('was deleted is no longer awaited by bank transfer', async () => {
    const { books, price, intentId: id } = await begun();
    await books.client.graphql(confirmDocument, { id, method: 'manual' });
    const [invoice] = await books.invoices();
    await remove(books, price);
    expect((await books.invoices())[0].status).toBe('void');
    const record = 'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "late" }) { status } }';
    await books.perform({ graphql: [record, { id: invoice.id }], reason: 'invoice_not_open' });
  });
});
