/** A cancellation at the end of the period while a renewal is owed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

const methodDocument = `mutation ($id: ID!, $method: String!) {
  setPaymentMethod(id: $id, input: { paymentMethod: $method }) { id }
}`;
const endWithPeriod = 'cancelSubscription(id: $id, input: { atPeriodEnd: true })';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription from 31 January, 9:00, whose charges fail from the second on; the clock stands at `at`. */
async function pastDue(at: string, frequency = 'Monthly'): Promise<[books: Books, id: string]> {
  const books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  const price = await books.plan(50, { recurring: { frequency } });
  const id = await books.subscribe(await books.shop.customer(), price, 'sandbox_ok_then_declined');
  await books.advance(at);
  expect((await books.subscription(id)).status).toBe('past_due');
  return [books, id];
}

const pay = (books: Books, id: string, method = 'sandbox_ok') =>
  books.client.graphql(methodDocument, { id, method });
const triedAt = async (books: Books, id: string) =>
  (await books.tries(id)).filter((each) => each.includes('failed')).map((each) => each.split(' ')[0]);

describe('a cancellation at the end of the period while past due', () => {
  it('keeps the renewal unpaid, and its retries continue to the last', async () => {
    const [books, id] = await pastDue('2026-03-01');
    expect(await books.run(endWithPeriod, id)).toMatchObject({
      status: 'past_due',
      cancelAtPeriodEnd: true,
      cancelledAt: null,
      dueAt: '2026-03-02T09:00:00.000Z',
    });
    expect(await books.forecast(id, '2027-01-01')).toEqual(['2026-03-02T09:00 50']);
    await books.advance('2027-01-01');
    expect(await triedAt(books, id)).toEqual([
      '2026-02-28T09:00',
      '2026-03-02T09:00',
      '2026-03-07T09:00',
      '2026-03-14T09:00',
      '2026-03-21T09:00',
    ]);
    expect((await books.bills(id)).slice(1)).toEqual(['2026-02-28T09:00 uncollectible 50']);
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-03-21T09:00');
  });

  it('ends with the unpaid period after its payment', async () => {
    const [books, id] = await pastDue('2026-03-01');
    await books.run(endWithPeriod, id);
    await books.advance('2026-03-10');
    await pay(books, id);
    expect(await books.subscription(id)).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      dueAt: '2026-03-31T09:00:00.000Z',
    });
    await books.advance('2026-03-31T08:59:59.999Z');
    expect((await books.subscription(id)).status).toBe('active');
    await books.advance('2027-01-01');
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-03-31T09:00');
    expect((await books.bills(id)).slice(1)).toEqual(['2026-02-28T09:00 paid 50']);
  });

  it('ends with the payment if the period is over, and bills nothing later', async () => {
    const [books, id] = await pastDue('2026-02-10', 'Weekly');
    await books.run(endWithPeriod, id);
    await books.advance('2026-02-20');
    expect(await books.subscription(id)).toMatchObject({ status: 'past_due', cancelAtPeriodEnd: true });
    await pay(books, id);
    await books.advance('2026-06-01');
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-02-20');
    expect((await books.bills(id)).slice(1)).toEqual(['2026-02-07T09:00 paid 50']);
  });

  it('can be undone: retries continue, and the subscription continues after the payment', async () => {
    const [books, id] = await pastDue('2026-03-01');
    await books.run(endWithPeriod, id);
    expect(await books.run('uncancelSubscription(id: $id)', id)).toMatchObject({
      status: 'past_due',
      cancelAtPeriodEnd: false,
      dueAt: '2026-03-02T09:00:00.000Z',
    });
    await pay(books, id);
    await books.advance('2026-03-31T09:00:00Z');
    expect((await books.bills(id)).slice(1)).toEqual([
      '2026-02-28T09:00 paid 50',
      '2026-03-31T09:00 paid 50',
    ]);
  });

  it('can be replaced by an immediate one, which voids the unpaid invoice', async () => {
    const [books, id] = await pastDue('2026-03-01');
    await books.run(endWithPeriod, id);
    await books.run('cancelSubscription(id: $id)', id);
    expect(await books.subscription(id)).toMatchObject({ status: 'cancelled', cancelAtPeriodEnd: false });
    expect((await books.bills(id))[1]).toBe('2026-02-28T09:00 void 50');
  });

  it('records one trace', async () => {
    const [books, id] = await pastDue('2026-03-01');
    await books.perform({
      graphql: [`mutation ($id: ID!) { ${endWithPeriod} { status } }`, { id }],
      holds: { status: 'past_due' },
      traces: ['SubscriptionEvent cancellation_scheduled'],
    });
  });

  it('ends also after fifty concurrent requests', async () => {
    const [books, id] = await pastDue('2026-03-01');
    await Promise.all(Array.from({ length: 50 }, () => books.run(endWithPeriod, id)));
    await books.advance('2026-06-01');
    expect(await triedAt(books, id)).toHaveLength(5);
    expect((await books.subscription(id)).status).toBe('cancelled');
  });
});
