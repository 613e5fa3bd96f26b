/** A start that lies ahead and is then not paid: nothing unpaid is ever active. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, short, type Books } from '../../../support/books.ts';

const methodDocument = `mutation ($id: ID!, $method: String!) {
  setPaymentMethod(id: $id, input: { paymentMethod: $method }) { status billedCount }
}`;
const listDocument = `query ($status: SubscriptionStatus) {
  subscriptions(status: $status) { nodes { id status } }
}`;
const activeDocument = `query ($customer: ID!) {
  activeSubscriptions(customerId: $customer) { id }
  customer(id: $customer) { activeSubscriptions { id } }
}`;
const statuses = ['scheduled', 'incomplete', 'active', 'past_due', 'paused', 'cancelled'];

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription for 50 a month that was agreed to on 1 June and starts on 10 June with a card that is declined then. */
async function begun(clock: string): Promise<{ books: Books; customer: any; id: string; price: any }> {
  const books = await openBooks(app, '2026-06-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group();
  const price = await books.plan(50, { groupId });
  const id = await books.subscribe(customer, price, 'sandbox_ok_then_declined', { startDate: '2026-06-10' });
  await books.advance(clock);
  return { books, customer, id, price };
}

/** In the lists of which statuses it is, and whether it is among the active ones, wherever those are listed. */
async function listed({ books, customer, id }: { books: Books; customer: any; id: string }) {
  const found: string[] = [];
  for (const status of statuses) {
    const { nodes } = (await books.client.graphql(listDocument, { status })).subscriptions;
    found.push(...nodes.filter((each: any) => each.id === id).map(() => status));
    for (const each of nodes) expect(each.status).toBe(status);
  }
  const { activeSubscriptions, customer: shown } = await books.client.graphql(activeDocument, {
    customer: customer.id,
  });
  const fields = { tenantAlias: books.alias, customer: customer.id };
  const { body } = await books.client.rest('GET', '/subscriptions/active', fields);
  const counts = [activeSubscriptions.length, shown.activeSubscriptions.length, body.length];
  expect(new Set(counts).size, counts.join()).toBe(1);
  return [...found, counts[0] > 0];
}

describe('a start with a declined charge', () => {
  it('is scheduled before, incomplete from its start, and active after the payment', async () => {
    const before = await begun('2026-06-09T23:59:59.999Z');
    expect(await listed(before)).toEqual(['scheduled', false]);
    const { books, id } = before;
    await books.advance('2026-06-11');
    expect(await books.subscription(id)).toMatchObject({
      status: 'incomplete',
      billedCount: 0,
      pastDueSince: '2026-06-10T00:00:00.000Z',
      currentPeriodEnd: null,
    });
    expect(await listed(before)).toEqual(['incomplete', false]);
    await books.perform({
      graphql: [methodDocument, { id, method: 'sandbox_ok' }],
      holds: { status: 'active', billedCount: 1 },
      traces: [
        'PaymentMethodEvent created',
        'CustomerEvent updated < PaymentMethodEvent created',
        'SubscriptionEvent payment_method_changed',
        'PaymentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
        'SubscriptionEvent billed < PaymentEvent succeeded',
      ],
    });
    expect(await listed(before)).toEqual(['active', true]);
    expect(await books.lines(id)).toEqual(['cycle 50 2026-06-10/2026-07-10']);
  });

  it('is retried like a renewal, and cancelled after the last retry', async () => {
    const start = await begun('2026-06-30T23:59:59.999Z');
    const { books, id } = start;
    expect(await listed(start)).toEqual(['incomplete', false]);
    await books.advance('2026-07-02');
    expect((await books.tries(id)).map((each) => each.split(' ')[0])).toEqual([
      '2026-06-10',
      '2026-06-12',
      '2026-06-17',
      '2026-06-24',
      '2026-07-01',
    ]);
    expect(await books.bills(id)).toEqual(['2026-06-10 uncollectible 50']);
    expect(await listed(start)).toEqual(['cancelled', false]);
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-07-01');
  });

  it('differs from a declined renewal, which is past due and active', async () => {
    const start = await begun('2026-06-11');
    const { books, id } = start;
    await books.client.graphql(methodDocument, { id, method: 'sandbox_ok_then_declined' });
    expect(await listed(start)).toEqual(['incomplete', false]);
    await books.client.graphql(methodDocument, { id, method: 'sandbox_ok' });
    await books.client.graphql(methodDocument, { id, method: 'sandbox_ok_then_declined' });
    await books.advance('2026-07-11');
    expect(await listed(start)).toEqual(['past_due', true]);
  });

  it('is cancelled at once, also at the end of the period: no period is paid', async () => {
    for (const mutation of [
      'cancelSubscription(id: $id)',
      'cancelSubscription(id: $id, input: { atPeriodEnd: true })',
    ]) {
      const { books, id } = await begun('2026-06-11');
      expect(await books.run(mutation, id)).toMatchObject({ status: 'cancelled', billedCount: 0 });
      expect(await books.bills(id)).toEqual(['2026-06-10 void 50']);
    }
  });

  it('can neither be paused nor changed, and is not subscribed to a second time', async () => {
    const { books, customer, id, price } = await begun('2026-06-11');
    const pause = 'mutation ($id: ID!) { pauseSubscription(id: $id) { id } }';
    await books.perform({ graphql: [pause, { id }], reason: 'subscription_not_active', paths: ['id'] });
    const order = (wanted: any, reason: any): any => ({
      rest: ['POST', '/subscriptions/intent', books.shop.intentInput(customer, wanted)],
      status: 409,
      reason,
    });
    await books.perform(order(price, 'subscription_exists'));
    const { groupId } = (
      await books.client.graphql('query ($id: ID!) { product(id: $id) { groupId } }', { id: price.productId })
    ).product;
    await books.perform(order(await books.plan(90, { groupId }), 'subscription_not_active'));
  });

  it('does not apply to a free subscription, which is active at its start', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const options = { startDate: '2026-06-10' };
    const id = await books.subscribe(customer, await books.plan(0), 'sandbox_ok_then_declined', options);
    await books.advance('2026-06-10');
    expect(await listed({ books, customer, id })).toEqual(['active', true]);
  });
});
