/** The end of a repeating discount, which the time alone causes, is one event, whoever finds it first. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { findFaults } from '../../support/faults.ts';
import { apply, createCoupon, discountsOf, remove } from './shop.ts';

let app: TestApp;
const clock = stoppedClock('2026-01-01T00:00:00.000Z');
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock });
});
afterAll(() => app.close());

const repeating = { percentOff: '50', duration: 'repeating', durationInMonths: 2 };

/** The ends of discounts of a tenant: `2026-04-01 disc_…`. */
async function listEnds(tenantAlias: string): Promise<string[]> {
  const where = { tenantAlias, activityType: 'DiscountEvent' as const };
  const traces = await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  return traces
    .filter(({ payload }) => payload['action'] === 'ended')
    .map(({ createdAt, resourceId }) => `${short(createdAt)} ${resourceId}`);
}

async function subscribed() {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const id: string = await books.subscribe(customer, await books.plan(100, { currency: 'usd' }));
  const give = async (coupon: object, holder: object = { subscriptionId: id }): Promise<any> =>
    apply(books, { ...holder, couponId: (await createCoupon(books, coupon)).id });
  return { books, customer, id, give };
}

const bill = async (books: Books, customerId: string): Promise<string> => {
  const document = `mutation ($id: ID!) { createInvoice(
    input: { customerId: $id, items: [{ amount: { amount: 10, currency: "usd" }, description: "Work" }], collect: send_invoice }
  ) { id } }`;
  return (await books.client.graphql(document, { id: customerId })).createInvoice.id;
};

describe('the clock of a test tenant', () => {
  it('stops at the end of a repeating discount, and at no end of others', async () => {
    const { books, id, give } = await subscribed();
    const ending = await give(repeating);
    const removed = await give(repeating);
    await give({ percentOff: '10', duration: 'once' });
    await give({ percentOff: '10', duration: 'forever' });
    await books.advance('2026-03-20');
    await remove(books, removed.id);
    expect((await discountsOf(books, id)).own).toHaveLength(2);
    expect(await listEnds(books.alias)).toEqual([]);
    for (const to of ['2026-04-20', '2026-04-20', '2026-08-01']) await books.advance(to);
    expect(await listEnds(books.alias)).toEqual([`2026-04-01 ${ending.id}`]);
    expect((await discountsOf(books, id)).own).toHaveLength(1);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('records the end again where the months began anew with another invoice', async () => {
    const { books, customer, give } = await subscribed();
    const { id } = await give({ ...repeating, durationInMonths: 1 }, { customerId: customer.id });
    const first = await bill(books, customer.id);
    await books.advance('2026-02-10');
    await books.client.graphql('mutation ($id: ID!) { voidInvoice(id: $id) { id } }', { id: first });
    await bill(books, customer.id);
    await books.advance('2026-04-01');
    expect(await listEnds(books.alias)).toEqual([`2026-02-01 ${id}`, `2026-03-10 ${id}`]);
  });
});

describe('the scheduler', () => {
  it('records the ends of all tenants that follow real time, each once', async () => {
    const ids: Record<string, string[]> = {};
    for (const [alias, count] of [
      ['real', 101],
      ['other', 1],
    ] as const) {
      const client = await app.tenant({ alias });
      const books = { client } as Books;
      const { id: couponId } = await createCoupon(books, { ...repeating, durationInMonths: 1 });
      const names = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
      ids[alias] = await Promise.all(
        Array.from({ length: count }, async (_, nth) => {
          const input = { tenantAlias: alias, associatedId: `user-${nth}`, ...names };
          const { body } = await client.rest('POST', '/customers', input);
          const discount = await apply(books, { customerId: body.id, couponId });
          await bill(books, body.id);
          return discount.id as string;
        }),
      );
    }
    clock.advance(30 * dayMs);
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect(await listEnds('real')).toEqual([]);
    clock.advance(dayMs);
    const quiet = pino({ level: 'silent' });
    await Promise.all([runDueWork(app.service, quiet), runDueWork(app.service, quiet)]);
    for (const [alias, all] of Object.entries(ids))
      expect((await listEnds(alias)).toSorted()).toEqual(all.map((id) => `2026-02-01 ${id}`).toSorted());
  });
});

it('doctor finds an end that nobody recorded', async () => {
  const { books, give } = await subscribed();
  const { id } = await give(repeating);
  await books.advance('2026-03-20');
  await app.backdoor.execute(`UPDATE discounts SET ends_at = '2026-03-01T00:00:00.000Z' WHERE id = '${id}'`);
  expect(await findFaults(app, books.alias)).toContain(
    `overdue: ${id} ended at 2026-03-01T00:00:00.000Z, but no event says so`,
  );
  await books.advance('2026-03-20');
  expect(await listEnds(books.alias)).toEqual([`2026-03-20 ${id}`]);
});
