import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import type { Scenario } from '../../support/scenario.ts';

const advanceDocument = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias } }';
const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status } }';
const cancelDocument = 'mutation ($id: ID!) { cancelIntent(id: $id) { status } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

async function openIntent(method?: string): Promise<{ books: Books; id: string }> {
  const books = await openBooks(app, '2026-01-31T10:00:00.000Z');
  const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  if (method) await books.client.post(confirmDocument, { id, method });
  return { books, id };
}
const fetchState = async (books: Books, id: string) =>
  (await books.client.graphql('query ($id: ID!) { intent(id: $id) { status updatedAt } }', { id })).intent;

describe('an intent expires', () => {
  it.each([
    ['that nobody has paid', undefined],
    ['whose payment was declined', 'sandbox_declined'],
    ['whose payment waits for the payer', 'sandbox_requires_action'],
  ])('after 24 hours: one %s', async (_, method) => {
    const { books, id } = await openIntent(method);
    const before = (await fetchState(books, id)).status;
    await books.advance('2026-02-01T09:59:59.999Z');
    expect((await fetchState(books, id)).status).toBe(before);
    await books.perform({
      graphql: [advanceDocument, { to: '2026-02-05' }],
      traces: ['ClockEvent advanced', 'IntentEvent expired', 'ClockEvent advanced'],
    });
    expect(await fetchState(books, id)).toEqual({ status: 'expired', updatedAt: '2026-02-01T10:00:00.000Z' });
    const refused: Pick<Scenario, 'reason' | 'paths'> = { reason: 'intent_not_payable', paths: ['id'] };
    await books.perform({ graphql: [confirmDocument, { id, method: 'sandbox_ok' }], ...refused });
    await books.perform({ graphql: [cancelDocument, { id }], ...refused });
    expect(await books.invoices()).toEqual([]);
    expect((await books.client.graphql('{ subscriptions { nodes { id } } }')).subscriptions.nodes).toEqual(
      [],
    );
  });

  it.each([
    ['that is paid', 'sandbox_ok', 'succeeded'],
    ['that waits for cash', 'manual', 'processing'],
  ])('but not one %s', async (_, method, status) => {
    const { books, id } = await openIntent(method);
    await books.advance('2026-02-05');
    expect((await fetchState(books, id)).status).toBe(status);
  });

  it('and not one that was cancelled', async () => {
    const { books, id } = await openIntent();
    await books.client.graphql(cancelDocument, { id });
    await books.advance('2026-02-05');
    expect((await fetchState(books, id)).status).toBe('cancelled');
  });

  it('also if very many expire at the same time', async () => {
    const books = await openBooks(app, '2026-01-31');
    const [customer, price] = [await books.shop.customer(), await books.plan(50)];
    const intents = Array.from({ length: 120 }, () => books.shop.intent(customer, price));
    const [one] = await Promise.all(intents);
    await books.advance('2026-02-01');
    const rows = await app.service.store.committed.select('intents', { where: { tenantAlias: books.alias } });
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['expired']));
    expect((await fetchState(books, one.intentId)).updatedAt).toBe('2026-02-01T00:00:00.000Z');
  });

  it('and allows a new intent', async () => {
    const { books } = await openIntent('sandbox_requires_action');
    const { customers } = await books.client.graphql('{ customers { nodes { id associatedId } } }');
    const { products } = await books.client.graphql('{ products { nodes { id prices { id } } } }');
    const [{ id: productId, prices }] = products.nodes;
    const price = { id: prices[0].id, productId };
    const [customer] = customers.nodes;
    const { intentId: id } = await books.shop.intent(customer, price);
    await books.perform({
      graphql: [confirmDocument, { id, method: 'sandbox_ok' }],
      reason: 'intent_not_payable',
      paths: ['id'],
    });
    await books.advance('2026-02-01T10:00:00Z');
    const subscription = await books.subscribe(customer, price);
    expect(await books.bills(subscription)).toEqual(['2026-02-01T10:00 paid 50']);
  });
});
