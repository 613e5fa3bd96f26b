import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription at 31 a month from 1 January. */
async function begun(): Promise<{ books: Books; id: string; customer: any }> {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  return { books, customer, id: await books.subscribe(customer, await books.plan(31)) };
}

const pause = (books: Books, id: string) => books.run('pauseSubscription(id: $id)', id);
const resume = (books: Books, id: string) => books.run('resumeSubscription(id: $id)', id);
const cancelAtEnd = 'cancelSubscription(id: $id, input: { atPeriodEnd: true })';
const keep = 'uncancelSubscription(id: $id)';

async function expectRefused(books: Books, mutation: string, id: string): Promise<void> {
  const document = `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`;
  await books.perform({ graphql: [document, { id }], reason: 'subscription_not_active', paths: ['id'] });
}

describe('a pause', () => {
  it('within the paid period moves no dates', async () => {
    const { books, id } = await begun();
    await books.advance('2026-01-10');
    expect(await pause(books, id)).toMatchObject({
      status: 'paused',
      pausedAt: '2026-01-10T00:00:00.000Z',
      dueAt: null,
      nextBillingDate: '2026-02-01T00:00:00.000Z',
    });
    await books.advance('2026-01-20');
    expect(await resume(books, id)).toMatchObject({ status: 'active', pausedAt: null });
    await books.advance('2026-02-01');
    expect(await books.lines(id)).toEqual([
      'cycle 31 2026-01-01/2026-02-01',
      'cycle 31 2026-02-01/2026-03-01',
    ]);
  });

  it('over the end of the period charges nothing, and then a stub by time; the anchor stays', async () => {
    const { books, id } = await begun();
    await pause(books, id);
    expect(await books.forecast(id, '2027-01-01')).toEqual([]);
    await books.advance('2026-03-11');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31']);
    expect(await resume(books, id)).toMatchObject({ dueAt: '2026-03-11T00:00:00.000Z', billedCount: 1 });
    expect(await books.forecast(id, '2026-04-01')).toEqual(['2026-03-11 21', '2026-04-01 31']);
    await books.advance('2026-04-01');
    expect((await books.lines(id)).slice(1)).toEqual([
      'stub 21 2026-03-11/2026-04-01',
      'cycle 31 2026-04-01/2026-05-01',
    ]);
    expect((await books.subscription(id)).billedCount).toBe(3);
  });

  it('that ends with a cycle charges the next one whole', async () => {
    const { books, id } = await begun();
    await pause(books, id);
    await books.advance('2026-03-01');
    await resume(books, id);
    await books.advance('2026-03-01');
    expect((await books.lines(id)).slice(1)).toEqual(['cycle 31 2026-03-01/2026-04-01']);
  });

  it('before the start delays the first charge', async () => {
    const books = await openBooks(app, '2026-01-01');
    const fields = { startDate: '2026-02-01' };
    const id = await books.subscribe(await books.shop.customer(), await books.plan(28), undefined, fields);
    await pause(books, id);
    await books.advance('2026-02-15');
    expect(await books.bills(id)).toEqual([]);
    await resume(books, id);
    await books.advance('2026-03-01');
    expect(await books.lines(id)).toEqual([
      'stub 14 2026-02-15/2026-03-01',
      'cycle 28 2026-03-01/2026-04-01',
    ]);
  });

  it('is refused while paused, and resuming is refused unless paused', async () => {
    const { books, id } = await begun();
    await expectRefused(books, 'resumeSubscription', id);
    await pause(books, id);
    await expectRefused(books, 'pauseSubscription', id);
    await resume(books, id);
    await expectRefused(books, 'resumeSubscription', id);
    await books.run('cancelSubscription(id: $id)', id);
    for (const mutation of [
      'pauseSubscription',
      'resumeSubscription',
      'uncancelSubscription',
      'cancelSubscription',
    ])
      await expectRefused(books, mutation, id);
  });

  it('records its traces', async () => {
    const { books, id } = await begun();
    for (const [mutation, action] of [
      ['pauseSubscription', 'paused'],
      ['resumeSubscription', 'resumed'],
    ]) {
      const document = `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`;
      await books.perform({ graphql: [document, { id }], traces: [`SubscriptionEvent ${action}`] });
    }
  });

  it('delays a scheduled downgrade', async () => {
    const books = await openBooks(app, '2026-01-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group();
    const id = await books.subscribe(customer, await books.plan(62, { groupId }));
    await books.subscribe(customer, await books.plan(31, { groupId }));
    await pause(books, id);
    await books.advance('2026-03-11');
    await resume(books, id);
    await books.advance('2026-03-11');
    expect((await books.lines(id)).slice(1)).toEqual(['stub 21 2026-03-11/2026-04-01']);
  });
});

describe('a cancellation at the end of the period', () => {
  it('is performed then, and nothing more is charged', async () => {
    const { books, id } = await begun();
    expect(await books.run(cancelAtEnd, id)).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      cancelledAt: null,
    });
    expect(await books.forecast(id, '2027-01-01')).toEqual([]);
    await books.advance('2026-01-31T23:59:59.999Z');
    expect((await books.subscription(id)).status).toBe('active');
    await books.advance('2026-03-01');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31']);
    const ended = await books.subscription(id);
    expect([ended.status, short(ended.cancelledAt), ended.nextBillingDate]).toEqual([
      'cancelled',
      '2026-02-01',
      null,
    ]);
  });

  it('can be undone', async () => {
    const { books, id } = await begun();
    await books.run(cancelAtEnd, id);
    expect(await books.run(keep, id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    await books.advance('2026-02-01');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31', '2026-02-01 paid 31']);
  });

  it('is performed while paused, in either order of the requests', async () => {
    for (const mutations of [
      [cancelAtEnd, 'pauseSubscription(id: $id)'],
      ['pauseSubscription(id: $id)', cancelAtEnd],
    ]) {
      const { books, id } = await begun();
      for (const mutation of mutations) await books.run(mutation, id);
      expect((await books.subscription(id)).status).toBe('paused');
      await books.advance('2026-12-31');
      expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-02-01');
      expect(await books.bills(id)).toHaveLength(1);
    }
  });

  it('that is undone while it is paused leaves it paused', async () => {
    const { books, id } = await begun();
    for (const mutation of [cancelAtEnd, 'pauseSubscription(id: $id)', keep]) await books.run(mutation, id);
    await books.advance('2026-12-31');
    expect(await books.subscription(id)).toMatchObject({ status: 'paused', cancelledAt: null, dueAt: null });
    expect(await books.bills(id)).toHaveLength(1);
  });

  it('of a resumed subscription is performed at the end of the paid period', async () => {
    const { books, id } = await begun();
    for (const mutation of [cancelAtEnd, 'pauseSubscription(id: $id)', 'resumeSubscription(id: $id)'])
      await books.run(mutation, id);
    await books.advance('2026-03-01');
    expect(short((await books.subscription(id)).cancelledAt)).toBe('2026-02-01');
  });

  it('before the start, or while paused beyond the paid period, is performed at once', async () => {
    const { books, id } = await begun();
    const fields = { startDate: '2026-02-01' };
    const ahead = await books.subscribe(await books.shop.customer(), await books.plan(28), undefined, fields);
    expect((await books.run(cancelAtEnd, ahead)).status).toBe('cancelled');
    await pause(books, id);
    await books.advance('2026-02-02');
    expect((await books.run(cancelAtEnd, id)).status).toBe('cancelled');
    await books.advance('2026-12-31');
    expect([await books.bills(id), await books.bills(ahead)]).toEqual([['2026-01-01 paid 31'], []]);
  });
});
