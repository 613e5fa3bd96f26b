/** What was missed during an outage is billed once each, oldest first, and nobody waits for anybody else's trouble. */
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runDueWork, startScheduler } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { engine } from '../../support/engines.ts';
import { isLong } from '../../support/sample.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const quiet = pino({ level: 'silent' });
const daily = { frequency: 'Daily' };
const start = '2026-01-01T00:00:00.000Z';
const addDays = (index: number) => new Date(Date.parse(start) + index * dayMs).toISOString();

let clock: TestClock;
let app: TestApp;
beforeEach(async () => {
  clock = stoppedClock(start);
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
});
afterEach(() => app.close());

const openShop = async (alias: string): Promise<Shop> => createShop(await app.tenant({ alias }), alias);

async function subscribeDaily(shop: Shop): Promise<string> {
  const { price } = await shop.product({ amount: 1, recurring: daily });
  const subscription = await shop.subscribe(await shop.customer(), price);
  return subscription.id;
}

const findInvoices = async (tenantAlias: string, subscriptionId: string) =>
  app.service.store.committed.select('invoices', {
    where: { tenantAlias, subscriptionId },
    orderBy: ['number'],
  });

const findSubscription = async (tenantAlias: string, id: string) =>
  (await app.service.store.committed.select('subscriptions', { where: { tenantAlias, id } }))[0]!;

const formatPeriods = (invoices: { cycleStart: string; cycleEnd: string }[]) =>
  invoices.map(({ cycleStart, cycleEnd }) => `${cycleStart}/${cycleEnd}`);

const daysFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${addDays(first + index)}/${addDays(first + index + 1)}`);

/** More than one batch; on PostgreSQL each renewal has a price. */
const missed = isLong ? 400 : 120;

it(`one run bills each of ${missed} missed daily cycles once, oldest first`, async () => {
  const id = await subscribeDaily(await openShop('acme'));
  clock.advance(missed * dayMs);
  expect(await runDueWork(app.service, quiet)).toBe(missed);
  expect(await runDueWork(app.service, quiet)).toBe(0);
  const invoices = await findInvoices('acme', id);
  expect(formatPeriods(invoices)).toEqual(daysFrom(0, missed + 1));
  expect(invoices.map(({ number }) => number)).toEqual(invoices.map((_, index) => index + 1));
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(['paid']));
  expect(await findSubscription('acme', id)).toMatchObject({
    billedCount: missed + 1,
    currentPeriodStart: addDays(missed),
    nextBillingDate: addDays(missed + 1),
    dueAt: addDays(missed + 1),
  });
  const payments = await app.service.store.committed.select('payments', { where: { tenantAlias: 'acme' } });
  expect(new Set(payments.map(({ reference }) => reference)).size).toBe(missed + 1);
});

it('a stopped run finishes its batch, and the next run continues', async () => {
  const shop = await openShop('acme');
  const ids: string[] = [];
  for (let count = 0; count < 60; count++) ids.push(await subscribeDaily(shop));
  clock.advance(4 * dayMs);

  const scheduler = startScheduler(app.service, quiet, 60_000);
  const openNow = () => app.service.store.committed.select('invoices', { where: { status: 'open' } });
  while ((await openNow()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  // The first slice is under way: the stop waits for it, and begins no other.
  await scheduler.stop();
  const countPaid = async () => {
    const paid = await app.service.store.committed.select('invoices', {
      where: { tenantAlias: 'acme', status: 'paid' },
    });
    return paid.length - ids.length;
  };
  expect(await openNow()).toEqual([]);
  const done = await countPaid();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(4 * ids.length);

  expect(await runDueWork(app.service, quiet)).toBe(4 * ids.length - done);
  for (const id of ids) expect(formatPeriods(await findInvoices('acme', id))).toEqual(daysFrom(0, 5));
});

it.runIf(engine === 'sqlite')(
  'a subscription whose books do not add up is parked with a trace, and the others go on',
  async () => {
    const shop = await openShop('acme');
    const [first, poisoned, last] = [
      await subscribeDaily(shop),
      await subscribeDaily(shop),
      await subscribeDaily(shop),
    ];
    const file = new Database(app.path);
    // Its next period lies in one that it has paid.
    file
      .prepare('UPDATE subscriptions SET next_billing_date = ?, due_at = ? WHERE id = ?')
      .run(start, start, poisoned);
    file.close();
    clock.advance(3 * dayMs);
    expect(await runDueWork(app.service, quiet)).toBe(3 + 1 + 3);

    for (const id of [first, last])
      expect(await findSubscription('acme', id)).toMatchObject({ billedCount: 4, parkedReason: null });
    const reason = 'Its next period lies in a paid one.';
    expect(await findSubscription('acme', poisoned)).toMatchObject({
      billedCount: 1,
      dueAt: null,
      parkedReason: reason,
    });
    const traces = await app.service.store.committed.select('traces', {
      where: { tenantAlias: 'acme' },
      orderBy: ['eventId'],
    });
    const recorded = traces
      .filter(({ payload }) => payload['resourceId'] === poisoned)
      .map(({ executorId, payload }) => [executorId, payload['action']]);
    expect(recorded.at(-1)).toEqual(['system:scheduler', 'parked']);
    expect(await runDueWork(app.service, quiet)).toBe(0);
  },
);

it('a tenant with much due work does not delay another', async () => {
  const [busy, small] = [await openShop('busy'), await openShop('small')];
  for (let count = 0; count < 55; count++) await subscribeDaily(busy);
  const id = await subscribeDaily(small);
  clock.advance(6 * dayMs);
  const scheduler = startScheduler(app.service, quiet, 60_000);
  const billedCount = async () => (await findSubscription('small', id)).billedCount;
  await expect.poll(billedCount, { interval: 5 }).toBe(7);
  const waiting = await app.service.store.committed.select('subscriptions', {
    where: { tenantAlias: 'busy', dueAt: { to: clock.now() } },
  });
  await scheduler.stop();
  expect(waiting.length).toBeGreaterThan(0);
});
