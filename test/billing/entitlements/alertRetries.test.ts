/** Alerts of a customer that cannot be compared: they are tried again later, and those of other customers are told. */
import { pino } from 'pino';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { planRetry } from '../../../src/billing/entitlements/alertRetries.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { openFeatureShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

/** Performs due work. Returns the customers of whom the log reports a failure. */
async function work(): Promise<string[]> {
  const lines: any[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await runDueWork(app.service, log);
  for (const { msg, err } of lines) {
    expect(msg).toBe('the alerts of a customer could not be compared');
    expect(err.message).toBeTruthy();
  }
  return lines.map(({ customer }) => customer);
}

/** Customers of a tenant with a limit of 100 each, with an alert at half of it. */
async function open(customers: number) {
  const shop = await openFeatureShop(app);
  const meterId = await shop.meter({ groupBy: [] });
  const feature = await shop.feature('limit', { meterId, alertPercents: [50] });
  const ids: string[] = [];
  for (let index = 0; index < customers; index += 1) {
    const { id } = await shop.shop.customer();
    await shop.override(feature, '100', { customerId: id });
    ids.push(id);
  }
  await work();
  return { ...shop, feature, ids };
}
type Shop = Awaited<ReturnType<typeof open>>;

let lastEvent = 0;

/** Records usage of all customers. */
async function record({ client, ids }: Shop, units: number): Promise<void> {
  const events = ids.map((customerId) => ({
    id: `event-${(lastEvent += 1)}`,
    event: 'use',
    customerId,
    properties: { units },
  }));
  const { recordUsage } = await client.graphql(
    'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
    { events },
  );
  expect(recordUsage.accepted).toBe(ids.length);
}

async function listTold({ client }: Pick<Shop, 'client'>): Promise<string[]> {
  const { traces } = await client.graphql(
    '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type } payload } } }',
  );
  return traces.nodes
    .filter(({ event }: any) => event.type === 'CustomerEvent.usage_alert')
    .map(({ payload }: any) => payload.resourceId);
}

const readChecks = async ({ alias }: Shop) =>
  app.service.store.fresh.select('limitChecks', { where: { tenantAlias: alias }, orderBy: ['id'] });

const spoil = (id: string) =>
  app.backdoor.execute(
    `update entitlement_overrides set terms = '{"value":"x"}' where customer_id = '${id}'`,
  );
const mend = (id: string) =>
  app.backdoor.execute(
    `update entitlement_overrides set terms = '{"value":"100"}' where customer_id = '${id}'`,
  );

describe('a customer whose limits cannot be measured', () => {
  it('delays no other customer, is tried again, and is told once it can be', async () => {
    const shop = await open(3);
    const [first, broken, last] = shop.ids as [string, string, string];
    await record(shop, 60);
    await spoil(broken);
    expect(await work()).toEqual([broken]);
    expect((await listTold(shop)).toSorted()).toEqual([first, last].toSorted());
    expect(await readChecks(shop)).toMatchObject([
      { customerId: broken, failures: 1, dueAt: '2026-01-01T00:01:00.000Z' },
    ]);
    expect(await work()).toEqual([]);
    await shop.advance('2026-01-01T00:01:00.000Z');
    expect(await readChecks(shop)).toMatchObject([{ failures: 2, dueAt: '2026-01-01T00:03:00.000Z' }]);
    await mend(broken);
    await shop.advance('2026-01-01T00:02:59.999Z');
    expect(await listTold(shop)).not.toContain(broken);
    await shop.advance('2026-01-01T00:03:00.000Z');
    expect(await listTold(shop)).toContain(broken);
    expect(await readChecks(shop)).toEqual([]);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('keeps one check, whatever is recorded meanwhile, and is found by the doctor', async () => {
    const shop = await open(1);
    const [broken] = shop.ids as [string];
    await spoil(broken);
    for (let minute = 0; minute < 8; minute += 1) {
      await record(shop, 1);
      await shop.advance(`2026-01-01T00:0${minute}:00.000Z`);
      await work();
    }
    const checks = await readChecks(shop);
    expect(checks).toMatchObject([{ failures: 4, dueAt: '2026-01-01T00:15:00.000Z' }]);
    expect(await findFaults(app, shop.alias)).toContain(
      `alerts: ${broken} has usage that could not be compared with its alerts 4 times`,
    );
    await mend(broken);
    await record(shop, 50);
    await shop.advance('2026-01-01T00:15:00.000Z');
    expect(await listTold(shop)).toEqual([broken]);
  });

  it('delays no spending of others', async () => {
    const shop = await open(0);
    const meterId = await shop.meter({ event: 'call', groupBy: [] });
    const details = { amount: 1, currency: 'afn' };
    const plan = await shop.plan(0, { name: 'Calls', price: { details, meterId } });
    const customers = [await shop.shop.customer(), await shop.shop.customer()];
    const document =
      'mutation ($id: ID!, $input: UpdateSubscriptionInput!) { updateSubscription(id: $id, input: $input) { id } }';
    const subscriptions: string[] = [];
    for (const { id: customerId } of customers) {
      const id = await shop.order(plan, { customerId });
      subscriptions.push(id);
      await shop.client.graphql(document, { id, input: { spendAlerts: [{ amount: 50, currency: 'afn' }] } });
    }
    const events = customers.map(({ id }) => ({
      id: `call-${id}`,
      event: 'call',
      customerId: id,
      properties: { units: '50' },
    }));
    await shop.client.graphql(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
      { events },
    );
    await app.backdoor.execute(
      `update subscriptions set spend_alerts = '["x"]' where id = '${subscriptions[0]}'`,
    );
    expect(await work()).toEqual([customers[0].id]);
    const { traces } = await shop.client.graphql(
      '{ traces(activityType: SubscriptionEvent, first: 100) { nodes { event { type } payload } } }',
    );
    const told = traces.nodes.filter(({ event }: any) => event.type === 'SubscriptionEvent.spend_alert');
    expect(told.map(({ payload }: any) => payload.resourceId)).toEqual([subscriptions[1]]);
  });

  it('that cannot be written delays no other', async () => {
    const shop = await open(3);
    const [first, broken, last] = shop.ids as [string, string, string];
    await record(shop, 60);
    await (engine === 'postgres'
      ? app.backdoor.execute(
          `alter table limit_alerts add constraint broken check (customer_id <> '${broken}') not valid`,
        )
      : app.backdoor.execute(
          `create trigger broken before insert on limit_alerts when new.customer_id = '${broken}'
           begin select raise(abort, 'broken'); end`,
        ));
    expect(await work()).toEqual([broken]);
    await app.backdoor.execute(
      engine === 'postgres' ? 'alter table limit_alerts drop constraint broken' : 'drop trigger broken',
    );
    expect((await listTold(shop)).toSorted()).toEqual([first, last].toSorted());
    await shop.advance('2026-01-01T00:01:00.000Z');
    expect((await listTold(shop)).toSorted()).toEqual(shop.ids.toSorted());
  });
});

it('waits longer after each failure, up to an hour', () => {
  const now = '2026-01-01T00:00:00.000Z';
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1 }), (failures) => {
      const checks: any[] = failures.map((each) => ({ failures: each === 0 ? null : each }));
      const { failures: next, dueAt } = planRetry(checks, now);
      expect(next).toBe(Math.max(...failures) + 1);
      const minutes = (Date.parse(dueAt!) - Date.parse(now)) / 60_000;
      expect(minutes).toBe(next! > 6 ? 60 : 2 ** (next! - 1));
    }),
  );
});
