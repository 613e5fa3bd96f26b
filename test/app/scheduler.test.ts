import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork, startScheduler } from '../../src/app/scheduler.ts';
import { engine } from '../support/engines.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { createShop } from '../support/shop.ts';

const log = pino({ level: 'silent' });
const invoicesDocument = `query ($id: ID!) {
  invoices(subscriptionId: $id, first: 100, order: ASC) { nodes { createdAt total { amount } status } }
}`;

/** One service for each test: upkeep looks after all of its tenants. */
async function serve(): Promise<{ app: TestApp; clock: ReturnType<typeof stoppedClock> }> {
  const clock = stoppedClock('2026-01-31T10:00:00.000Z');
  return { clock, app: await startApp({ rateLimitPerSecond: '10000' }, { clock }) };
}

const listBills = async (client: Client, id: string) =>
  (await client.graphql(invoicesDocument, { id })).invoices.nodes.map(
    ({ createdAt, status, total }: any) => `${createdAt.slice(0, 10)} ${status} ${total.amount}`,
  );

/** A live tenant with a monthly subscription. */
async function subscribed(app: TestApp, alias: string) {
  const client = await app.tenant({ alias });
  const shop = createShop(client, alias);
  const { price } = await shop.product();
  const { id } = await shop.subscribe(await shop.customer(), price);
  return { client, shop, price, id, alias };
}

describe('due work', () => {
  let service: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    service = await serve();
  });
  afterAll(() => service.app.close());

  it('is performed for every tenant, once', async () => {
    const { app, clock } = service;
    const tenants = [await subscribed(app, 'one'), await subscribed(app, 'two')];
    const [{ shop, client, price }] = tenants as [(typeof tenants)[0], ...typeof tenants];
    const { intentId } = await shop.intent(await shop.customer(), price);
    expect(await runDueWork(app.service, log)).toBe(0);
    clock.advance(60 * dayMs);
    expect(await runDueWork(app.service, log, '2026-02-28T09:59:59.999Z')).toBe(1);
    for (const { client: each, id } of tenants) expect(await listBills(each, id)).toHaveLength(1);
    expect(await runDueWork(app.service, log)).toBe(4);
    expect(await runDueWork(app.service, log)).toBe(0);
    for (const { client: each, id } of tenants) {
      expect(await listBills(each, id)).toEqual([
        '2026-01-31 paid 50',
        '2026-04-01 paid 50',
        '2026-04-01 paid 50',
      ]);
    }
    const { traces } = await client.graphql(
      '{ traces(executorId: "system:scheduler", first: 20) { nodes { activityType payload } } }',
    );
    const recorded = traces.nodes.map(
      ({ activityType, payload }: any) => `${activityType} ${payload.action}`,
    );
    expect(recorded).toContain('IntentEvent expired');
    expect(recorded.filter((each: string) => each === 'SubscriptionEvent billed')).toHaveLength(2);
    expect(
      (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id: intentId })).intent,
    ).toEqual({ status: 'expired' });
  });

  it('is parked if the books do not add up, without affecting other subscriptions, until it is resumed', async () => {
    const { app, clock } = service;
    const [bad, good] = [await subscribed(app, 'bad'), await subscribed(app, 'good')];
    const broken = (currentPeriodEnd: string) =>
      app.service.store.transact('bad', (queries) =>
        queries.update('subscriptions', { tenantAlias: 'bad', id: bad.id }, { currentPeriodEnd }),
      );
    await broken('2027-01-01T00:00:00.000Z');
    clock.advance(31 * dayMs);
    await runDueWork(app.service, log);
    const document = `query ($id: ID!) { subscription(id: $id) { status parkedReason dueAt billedCount } }`;
    expect((await bad.client.graphql(document, { id: bad.id })).subscription).toEqual({
      status: 'active',
      parkedReason: 'Its next period lies in a paid one.',
      dueAt: null,
      billedCount: 1,
    });
    expect(await listBills(good.client, good.id)).toHaveLength(2);
    const { traces } = await bad.client.graphql('{ traces(first: 1) { nodes { activityType payload } } }');
    expect(traces.nodes[0]).toMatchObject({
      activityType: 'SubscriptionEvent',
      payload: { action: 'parked' },
    });

    await broken('2026-05-01T10:00:00.000Z');
    const resume = 'mutation ($id: ID!) { resumeSubscription(id: $id) { parkedReason } }';
    expect((await bad.client.graphql(resume, { id: bad.id })).resumeSubscription.parkedReason).toBeNull();
    await runDueWork(app.service, log);
    expect(await listBills(bad.client, bad.id)).toHaveLength(2);
  });
});

describe('the scheduler', () => {
  it('performs due work and stops on request', async () => {
    const { app, clock } = await serve();
    const { client, id } = await subscribed(app, 'acme');
    clock.advance(29 * dayMs);
    const scheduler = startScheduler(app.service, log, 60_000);
    while ((await listBills(client, id)).length < 2) await setTimeout(5);
    await scheduler.stop();
    clock.advance(31 * dayMs);
    await setTimeout(20);
    expect(await listBills(client, id)).toHaveLength(2);
    await app.close();
  });

  it('shrinks batches that delay requests and grows the others', async () => {
    const clock = stoppedClock('2026-01-31T10:00:00.000Z');
    let isSlow = false;
    const nowMs = () => {
      const untilMs = performance.now() + (isSlow ? 1 : 0);
      while (performance.now() < untilMs);
      return clock.nowMs();
    };
    const app = await startApp({ rateLimitPerSecond: '10000' }, { clock: { ...clock, nowMs } });
    const { shop, price } = await subscribed(app, 'acme');
    for (let more = 0; more < 29; more++) await shop.subscribe(await shop.customer(), price);
    clock.advance(29 * dayMs);
    isSlow = true;
    const sizes: number[] = [];
    const logger = pino({}, { write: (line) => void sizes.push(JSON.parse(line).subscriptions) });
    const scheduler = startScheduler(app.service, logger, 60_000);
    const sum = () => sizes.reduce((total, size) => total + size, 0);
    await expect.poll(sum, { interval: 5 }).toBe(30);
    await scheduler.stop();
    // What waits for PostgreSQL keeps nobody waiting.
    expect(sizes).toEqual(engine === 'postgres' ? [4, 8, 16, 2] : [4, 4, 4, 4, 4, 4, 4, 2]);
    await app.close();
  });
});
