import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

const recordDocument = `mutation ($id: ID!, $reference: String!, $at: DateTime) {
  recordPayment(id: $id, input: { reference: $reference, receivedAt: $at }) { status paidAt subscriptionId }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const record = (books: Books, id: string, expected: object = {}, fields: object = {}) =>
  books.perform({ graphql: [recordDocument, { id, reference: 'till 7', ...fields }], ...expected });

/** An intent that waits for cash since 31 January, and its invoice. */
async function awaited() {
  const books = await openBooks(app, '2026-01-31');
  const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  expect((await books.shop.confirm(intentId, 'manual')).status).toBe('processing');
  const [invoice] = await books.invoices();
  expect(invoice).toMatchObject({ status: 'open', total: { amount: 50 }, subscriptionId: null });
  return { books, intentId, invoice };
}

const settled = [
  'PaymentEvent succeeded',
  'InvoiceEvent paid < PaymentEvent succeeded',
  'SubscriptionEvent billed < PaymentEvent succeeded',
];

describe('money that is recorded', () => {
  it('starts the pending subscription on the day of the payment', async () => {
    const { books, intentId, invoice } = await awaited();
    await books.advance('2026-02-05');
    expect(await books.client.graphql('{ subscriptions { nodes { id } } }')).toEqual({
      subscriptions: { nodes: [] },
    });
    const { subscriptionId } = await record(
      books,
      invoice.id,
      {
        holds: { status: 'paid', paidAt: '2026-02-05T00:00:00.000Z' },
        traces: [
          'InvoiceEvent period_moved',
          'IntentEvent updated',
          'IntentEvent succeeded',
          'PaymentMethodEvent created < IntentEvent succeeded',
          'SubscriptionEvent created < IntentEvent succeeded',
          'InvoiceEvent updated < IntentEvent succeeded',
          'PaymentEvent succeeded < IntentEvent succeeded',
          'InvoiceEvent paid < PaymentEvent succeeded',
        ],
      },
      { at: '2026-02-03' },
    );
    const { intent } = await books.client.graphql(
      'query ($id: ID!) { intent(id: $id) { status subscriptionId } }',
      { id: intentId },
    );
    expect(intent).toEqual({ status: 'succeeded', subscriptionId });
    expect(await books.lines(subscriptionId)).toEqual(['cycle 50 2026-02-03/2026-03-03']);
    const [payment] = await app.service.store.committed.select('payments', {
      where: { tenantAlias: books.alias },
    });
    expect(payment).toMatchObject({ provider: 'manual', reference: 'till 7', amountMinor: 5000n });
    expect(payment?.receivedAt).toBe('2026-02-03T00:00:00.000Z');
  });

  it('pays each renewal, which awaits it for the length of the retries', async () => {
    const { books, invoice } = await awaited();
    const { subscriptionId: id } = await record(books, invoice.id, { traces: expect.anything() });
    await books.advance('2026-03-20');
    expect(await books.subscription(id)).toMatchObject({ status: 'past_due', billedCount: 1 });
    const [, renewal] = await books.invoices(id);
    await record(books, renewal.id, { holds: { status: 'paid' }, traces: settled });
    expect(await books.subscription(id)).toMatchObject({
      status: 'active',
      pastDueSince: null,
      billedCount: 2,
    });
    await books.advance('2026-06-01');
    expect(await books.bills(id)).toEqual([
      '2026-01-31 paid 50',
      '2026-02-28 paid 50',
      '2026-03-31 uncollectible 50',
    ]);
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-05-05');
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-03-20 charge succeeded 50',
    ]);
  });

  it('pays an invoice after a declined card', async () => {
    const books = await openBooks(app, '2026-01-31');
    const price = await books.plan(50);
    const id = await books.subscribe(await books.shop.customer(), price, 'sandbox_ok_then_declined');
    await books.advance('2026-03-01');
    const [, open] = await books.invoices(id);
    await record(books, open.id, { holds: { status: 'paid' }, traces: settled });
    await books.advance('2026-03-30');
    expect((await books.tries(id)).slice(1)).toEqual([
      '2026-02-28 charge failed 50',
      '2026-03-01 charge succeeded 50',
    ]);
    expect((await books.subscription(id)).status).toBe('active');
  });

  it('is refused a second time, in the future, without a reference, and for an unknown invoice', async () => {
    const { books, invoice } = await awaited();
    const invalid = (path: string) => ({ reason: 'validation_failed', paths: [path] });
    await record(books, invoice.id, invalid('receivedAt'), { at: '2026-02-01' });
    await record(books, invoice.id, invalid('reference'), { reference: '' });
    await record(books, 'inv_unknown', { reason: 'invoice_not_found' });
    await record(books, invoice.id, { traces: expect.anything() });
    await record(books, invoice.id, { reason: 'invoice_not_open', paths: ['id'] });
  });

  it('is refused after the intent is cancelled, which voids the invoice', async () => {
    const { books, intentId, invoice } = await awaited();
    const document = 'mutation ($id: ID!) { cancelIntent(id: $id) { status } }';
    await books.perform({
      graphql: [document, { id: intentId }],
      holds: { status: 'cancelled' },
      traces: ['IntentEvent cancelled', 'InvoiceEvent voided < IntentEvent cancelled'],
    });
    await record(books, invoice.id, { reason: 'invoice_not_open', paths: ['id'] });
    expect(await books.client.graphql('{ subscriptions { nodes { id } } }')).toEqual({
      subscriptions: { nodes: [] },
    });
  });
});
