/** The doctor finds alerts that should have been told long ago, and none that are right to wait for the next use. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../src/app/scheduler.ts';
import { openFeatureShop } from '../billing/entitlements/shop.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { findFaults } from '../support/faults.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const work = () => runDueWork(app.service, log);
const at = (minute: number) => `2026-01-10T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** A customer with a limit of 100 and a price of usage, since ten days, with alerts of both. */
async function open(fields: object = { alertPercents: [50, 80] }) {
  const shop = await openFeatureShop(app);
  const meterId = await shop.meter({ groupBy: [] });
  const feature = await shop.feature('limit', { meterId, ...fields });
  const other = await shop.feature('limit', {
    meterId: await shop.meter({ groupBy: [], event: 'call' }),
    alertPercents: [50],
  });
  const plan = await shop.plan(0, {
    name: 'Calls',
    price: { details: { amount: 1, currency: 'afn' }, meterId },
  });
  await shop.attach(plan, feature, '100');
  await shop.attach(plan, other, '100');
  const subscriptionId = await shop.order(plan);
  await shop.advance(at(0));
  await work();
  return { ...shop, meterId, feature, plan, subscriptionId };
}
type Shop = Awaited<ReturnType<typeof open>>;

const update = ({ client }: Shop, name: string, input: object, id?: string) => {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
  return id === undefined
    ? client.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, { input })
    : client.graphql(
        `mutation ($id: ID!, $input: ${type}!) { ${name}(id: $id, input: $input) { __typename } }`,
        {
          id,
          input,
        },
      );
};
const setSpendAlerts = (shop: Shop, amounts: number[]) =>
  update(
    shop,
    'updateSubscription',
    { spendAlerts: amounts.map((amount) => ({ amount, currency: 'afn' })) },
    shop.subscriptionId,
  );
const findFeature = async ({ client, feature }: Shop): Promise<string> =>
  (await client.graphql('{ features(first: 50) { nodes { id key } } }')).features.nodes.find(
    ({ key }: any) => key === feature,
  ).id;

/** Loses what recordings have noted, as a fault of the program or a restored table would. */
const loseChecks = ({ alias }: Shop) =>
  app.backdoor.execute(`delete from limit_checks where tenant_alias = '${alias}'`);

/** Returns what doctor finds of alerts, without ids and times. */
const findUntold = async ({ alias }: Shop): Promise<string[]> =>
  (await findFaults(app, alias))
    .filter((fault) => fault.startsWith('alerts:'))
    .map((fault) => fault.replace(/^alerts: \S+ /, '').replace(/ of limit-\d+ from \S+,/, ','));

const untold = 'has used 60 of 100, but was not told 50 percent';

describe('doctor', () => {
  it('finds a limit and an amount of which no event tells, after some minutes', async () => {
    const shop = await open();
    await setSpendAlerts(shop, [40, 100]);
    await work();
    await shop.advance(at(1));
    await shop.use([at(1), 60]);
    await loseChecks(shop);
    await shop.advance(at(5));
    expect(await findUntold(shop)).toEqual([]);
    await shop.advance(at(6));
    expect(await findUntold(shop)).toEqual([
      untold,
      'has spent 60 afn from 2026-01-01T00:00:00.000Z, but was not told 40',
    ]);
    // The next use is compared.
    await shop.use([at(6), 1]);
    await work();
    await shop.advance(at(20));
    expect(await findUntold(shop)).toEqual([]);
  });

  it('finds the shares that the tenant sets', async () => {
    const shop = await open({});
    await update(shop, 'updateTenant', { usageAlertPercents: [50] });
    await shop.advance(at(1));
    await shop.use([at(1), 60]);
    await loseChecks(shop);
    await shop.advance(at(10));
    expect(await findUntold(shop)).toEqual([untold]);
  });

  const rows: [string, (shop: Shop) => Promise<unknown>][] = [
    ['was told', work],
    ['waits to be compared', () => Promise.resolve()],
    [
      'another event came to later',
      async (shop) => {
        await loseChecks(shop);
        await shop.advance(at(9));
        await shop.use([at(9), 1]);
        await loseChecks(shop);
      },
    ],
    [
      'was taken back in part',
      async (shop) => {
        await shop.voidUsage(await shop.use([at(1), 5]));
        await loseChecks(shop);
      },
    ],
    [
      'is of an erased customer',
      async (shop) => {
        await shop.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', {
          id: shop.subscriptionId,
        });
        await shop.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', {
          id: shop.customer.id,
        });
      },
    ],
  ];
  it.each(rows)('finds no usage that %s', async (_, change) => {
    const shop = await open();
    await shop.advance(at(1));
    await shop.use([at(1), 60]);
    await change(shop);
    await shop.advance(at(10));
    expect(await findUntold(shop)).toEqual([]);
  });

  const changes: [string, object, (shop: Shop) => Promise<unknown>][] = [
    [
      'the alerts',
      { alertPercents: [90] },
      async (shop) => update(shop, 'updateFeature', { alertPercents: [50] }, await findFeature(shop)),
    ],
    ['the alerts of the tenant', {}, (shop) => update(shop, 'updateTenant', { usageAlertPercents: [50] })],
    ['the limit', { alertPercents: [90] }, (shop) => shop.attach(shop.plan, shop.feature, '61')],
    ['an override', { alertPercents: [90] }, (shop) => shop.override(shop.feature, '61')],
  ];
  it.each(changes)('finds no usage before a change of %s', async (_, fields, change) => {
    const shop = await open(fields);
    await shop.advance(at(1));
    await shop.use([at(1), 60]);
    await work();
    await shop.advance(at(2));
    await change(shop);
    // Usage that another meter counts is compared, but counts for this limit as none.
    await shop.advance(at(3));
    await update(shop, 'recordUsage', {
      events: [
        {
          id: `other-${shop.alias}`,
          event: 'call',
          customerId: shop.customer.id,
          properties: { units: '1' },
        },
      ],
    });
    await loseChecks(shop);
    await shop.advance(at(10));
    expect(await findUntold(shop)).toEqual([]);
  });

  it('goes on after what cannot be measured', async () => {
    const shop = await open();
    await shop.override(shop.feature, '100');
    await shop.advance(at(1));
    await shop.use([at(1), 60]);
    await work();
    await app.backdoor.execute(
      `update entitlement_overrides set terms = '{"value":"x"}' where customer_id = '${shop.customer.id}'`,
    );
    await shop.advance(at(10));
    expect(await findUntold(shop)).toEqual([
      'has usage that cannot be compared with its alerts: not a decimal: x',
    ]);
  });
});
