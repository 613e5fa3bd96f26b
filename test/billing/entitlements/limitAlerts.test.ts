/** Events that tell when a share of a limit is used: once each for a customer, a feature and a period. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { openFeatureShop, type FeatureShop } from './shop.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const work = () => runDueWork(app.service, log);

/** A customer with a plan that has a limit of 100 with alerts. */
async function openAlerts(
  alertPercents: number[] | null = [50, 80, 100],
  terms: object = {},
  meter: object = {},
) {
  const shop = await openFeatureShop(app);
  const meterId = await shop.meter({ groupBy: [], ...meter });
  const feature = await shop.feature('limit', { meterId, alertPercents });
  const plan = await shop.plan(20, { name: 'Plan' });
  await shop.attach(plan, feature, '100', terms);
  const subscriptionId = await shop.order(plan);
  return { ...shop, meterId, feature, subscriptionId };
}

/** The events that were told, in order: `50% of 100 from 2026-01-01, used 60`. */
async function listTold({ client }: Pick<FeatureShop, 'client'>): Promise<string[]> {
  const { traces } = await client.graphql(
    '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
  );
  return traces.nodes
    .filter(({ event }: any) => event.type === 'CustomerEvent.usage_alert')
    .map(
      ({ event: { details: d } }: any) =>
        `${d.percent}% of ${d.limit} from ${d.periodStart?.slice(0, 10) ?? 'ever'}`,
    );
}

const half = '50% of 100 from 2026-01-01';
const most = '80% of 100 from 2026-01-01';
const all = '100% of 100 from 2026-01-01';

describe('an alert of a limit', () => {
  it.each<[string, number[] | null, (number | string)[], string[]]>([
    ['just below the share', [50], ['49.999999999999'], []],
    ['exactly at the share', [50], ['49.999999999999', '0.000000000001'], [half]],
    ['each share by itself', [50, 80, 100], [50, 30, 20], [half, most, all]],
    ['all shares at once', [100, 50, 80, 50], [150], [half, most, all]],
    ['use that goes on', [50], [60, 10, 100], [half]],
    ['no alerts', null, [200], []],
    ['an empty list', [], [200], []],
  ])('tells of %s', async (_, percents, uses, expected) => {
    const shop = await openAlerts(percents);
    for (const units of uses) {
      await shop.use(['2026-01-01', units]);
      await work();
    }
    expect(await listTold(shop)).toEqual(expected);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('tells again in the next period, and not again after use was taken back', async () => {
    const shop = await openAlerts();
    const ids = await shop.use(['2026-01-01', 60]);
    await work();
    await shop.voidUsage(ids);
    await work();
    await shop.use(['2026-01-01', 85]);
    await work();
    expect(await listTold(shop)).toEqual([half, most]);
    await shop.advance('2026-02-10');
    await shop.use(['2026-02-10', 55]);
    // An event of the period before belongs to that.
    await shop.use(['2026-01-20', 500]);
    await work();
    expect(await listTold(shop)).toEqual([half, most, '50% of 100 from 2026-02-01']);
  });

  it('tells a share of a limit that no period resets once, and again after the use was below it', async () => {
    const shop = await openAlerts([50, 80], {}, { persistent: true });
    const told: string[] = [];
    const use = async (at: string, units: number) => {
      await shop.use([at, units]);
      await work();
      told.splice(0, told.length, ...(await listTold(shop)));
    };
    const [ofHalf, ofMost] = ['50% of 100 from ever', '80% of 100 from ever'];
    await use('2026-01-01', 60);
    await shop.advance('2026-02-10');
    await use('2026-02-10', 1);
    expect(told).toEqual([ofHalf]);
    await use('2026-02-10', 20);
    expect(told).toEqual([ofHalf, ofMost]);
    const { entitlements } = await shop.client.graphql(
      'query ($id: ID!) { entitlements(customerId: $id) { alertedPercent } }',
      { id: shop.customer.id },
    );
    expect(entitlements).toEqual([{ alertedPercent: 80 }]);
    await use('2026-02-10', -11);
    await use('2026-02-10', 15);
    expect(told).toEqual([ofHalf, ofMost, ofMost]);
    await use('2026-02-10', -80);
    await shop.advance('2026-03-10');
    await use('2026-03-10', 80);
    expect(told).toEqual([ofHalf, ofMost, ofMost, ofHalf, ofMost]);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('compares the sum of several products, and an override alone', async () => {
    const shop = await openAlerts();
    const more = await shop.plan(5);
    await shop.attach(more, shop.feature, '100');
    await shop.order(more);
    await shop.use(['2026-01-01', 60]);
    await work();
    expect(await listTold(shop)).toEqual([]);
    await shop.use(['2026-01-01', 40]);
    await work();
    expect(await listTold(shop)).toEqual(['50% of 200 from 2026-01-01']);
    await shop.override(shop.feature, '120');
    await shop.use(['2026-01-01', 1]);
    await work();
    expect(await listTold(shop)).toEqual(['50% of 200 from 2026-01-01', '80% of 120 from 2026-01-01']);
  });

  it('counts use, by consumption and settlement, and not what is reserved', async () => {
    const shop = await openAlerts();
    const { id } = await shop.reserve(shop.feature, 90);
    await work();
    expect(await listTold(shop)).toEqual([]);
    await shop.settle(id, 50);
    await work();
    expect(await listTold(shop)).toEqual([half]);
    await shop.consume(shop.feature, 50);
    await work();
    expect(await listTold(shop)).toEqual([half, most, all]);
  });

  it('tells nothing of backfilled events, of limits without end, and of those of nothing', async () => {
    const shop = await openAlerts();
    await shop.advance('2026-01-10');
    const event = { event: 'use', customerId: shop.customer.id, at: '2026-01-05T00:00:00.000Z' };
    await shop.client.graphql(
      'mutation ($input: BackfillUsageInput!) { backfillUsage(input: $input) { accepted } }',
      { input: { events: [{ ...event, id: 'old', properties: { units: '500' } }] } },
    );
    await work();
    for (const value of ['0', null]) {
      await shop.override(shop.feature, value);
      await shop.use(['2026-01-10', 500]);
      await work();
    }
    expect(await listTold(shop)).toEqual([]);
  });

  it('counts the events that waited for the customer', async () => {
    const shop = await openAlerts();
    const event = { id: 'w', event: 'use', associatedId: 'later', properties: { units: '90' } };
    await shop.client.graphql(
      'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { unassigned } }',
      { input: { events: [event] } },
    );
    const customer = await shop.shop.customer({ associatedId: 'later' });
    await shop.override(shop.feature, '100', { customerId: customer.id });
    await work();
    expect(await listTold(shop)).toEqual([half, most]);
  });

  it('tells once for 50 recordings at the same time, beside several schedulers', async () => {
    const shop = await openAlerts();
    await Promise.all([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 2])),
      ...Array.from({ length: 8 }, work),
    ]);
    await Promise.all(Array.from({ length: 8 }, work));
    expect(await listTold(shop)).toEqual([half, most, all]);
  });

  it.runIf(engine === 'postgres')('tells once on two gateways', async () => {
    const shop = await openAlerts();
    const other = await createApp(
      readConfig(
        { database: app.database, logLevel: 'silent', secretKey: testSecretKey, testMails: 'off' },
        {},
      ),
      { scheduler: false },
    );
    const workThere = () => runDueWork(other.service, log);
    await Promise.allSettled([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 2])),
      ...Array.from({ length: 3 }, () => [work(), workThere()]).flat(),
    ]);
    await Promise.allSettled([work(), workThere()]);
    await work();
    await workThere();
    await other.close();
    expect(await listTold(shop)).toEqual([half, most, all]);
  });

  it('is compared after a crash between the recording and the event', async () => {
    const shop = await openAlerts();
    await shop.use(['2026-01-01', 80]);
    expect(await listTold(shop)).toEqual([]);
    await shop.advance('2026-01-01');
    expect(await listTold(shop)).toEqual([half, most]);
  });

  it('keeps its customers erased, and goes on with the others', async () => {
    const shop = await openAlerts();
    const second = await shop.shop.customer();
    await shop.override(shop.feature, '100', { customerId: second.id });
    await shop.consume(shop.feature, 50, { customerId: second.id });
    await shop.use(['2026-01-01', 50]);
    const erased = await shop.shop.customer();
    await shop.override(shop.feature, '100', { customerId: erased.id });
    await shop.consume(shop.feature, 90, { customerId: erased.id });
    await shop.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: erased.id });
    await work();
    expect((await listTold(shop)).toSorted()).toEqual([half, half]);
  });
});

describe('the setting', () => {
  it('can be changed by itself, and keeps the name', async () => {
    const shop = await openAlerts(null);
    const update = async (input: object) => {
      const { features } = await shop.client.graphql('{ features(first: 1) { nodes { id } } }');
      const { updateFeature } = await shop.client.graphql(
        'mutation ($id: ID!, $input: UpdateFeatureInput!) { updateFeature(id: $id, input: $input) { name alertPercents } }',
        { id: features.nodes[0].id, input },
      );
      return updateFeature;
    };
    expect(await update({ alertPercents: [80, 50] })).toEqual({ name: 'Feature', alertPercents: [50, 80] });
    expect(await update({ name: 'Calls' })).toEqual({ name: 'Calls', alertPercents: [50, 80] });
    await shop.use(['2026-01-01', 60]);
    await work();
    expect(await listTold(shop)).toEqual([half]);
    expect(await update({ alertPercents: null })).toEqual({ name: 'Calls', alertPercents: [] });
    await shop.use(['2026-01-01', 40]);
    await work();
    expect(await listTold(shop)).toEqual([half]);
  });

  it('of the tenant holds for features that name none, and an empty list of a feature is none', async () => {
    const shop = await openAlerts(null);
    const { meterId } = shop;
    const setDefault = async (usageAlertPercents: unknown) => {
      const document =
        'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { usageAlertPercents } }';
      const { body } = await shop.client.post(document, { input: { usageAlertPercents } });
      const error = body.errors?.[0]?.extensions;
      return error ? [error.reason, error.issues?.[0]?.path] : body.data.updateTenant.usageAlertPercents;
    };
    for (const [key, alertPercents] of Object.entries({ none: [], own: [90] })) {
      await shop.client.graphql(
        'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }',
        { input: { key, name: key, kind: 'limit', meterId, alertPercents } },
      );
      await shop.override(key, '100');
    }
    expect(await setDefault([101])).toEqual(['validation_failed', 'usageAlertPercents.0']);
    expect(await setDefault([1, 2, 3, 4, 5, 6])).toEqual(['validation_failed', 'usageAlertPercents']);
    expect(await setDefault([80, 50, 50])).toEqual([50, 80]);
    const { features } = await shop.client.graphql('{ features(order: ASC) { nodes { alertPercents } } }');
    expect(features.nodes.map((each: any) => each.alertPercents)).toEqual([[50, 80], [], [90]]);
    await shop.use(['2026-01-01', 60]);
    await work();
    expect(await listTold(shop)).toEqual([half]);
    await shop.use(['2026-01-01', 35]);
    await work();
    expect((await listTold(shop)).toSorted()).toEqual([half, most, '90% of 100 from 2026-01-01'].toSorted());
    expect(await setDefault([])).toEqual([]);
    expect(await setDefault(null)).toEqual([]);
    await shop.advance('2026-02-10');
    await shop.use(['2026-02-10', 85]);
    await work();
    expect(await listTold(shop)).toHaveLength(3);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('of the tenant is that of no other tenant', async () => {
    const [shop, other] = [await openAlerts(null), await openAlerts(null)];
    await shop.client.graphql(
      'mutation { updateTenant(input: { usageAlertPercents: [50] }) { usageAlertPercents } }',
    );
    for (const each of [shop, other]) await each.use(['2026-01-01', 60]);
    await work();
    expect(await listTold(shop)).toEqual([half]);
    expect(await listTold(other)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['0', { alertPercents: [0] }, 'alertPercents.0'],
    ['101', { alertPercents: [50, 101] }, 'alertPercents.1'],
    ['six', { alertPercents: [1, 2, 3, 4, 5, 6] }, 'alertPercents'],
    ['no meter', { alertPercents: [50], meterId: null }, 'alertPercents'],
  ])('refuses %s', async (_, fields, path) => {
    const shop = await openFeatureShop(app);
    const meterId = await shop.meter({ groupBy: [] });
    const input = { key: 'k', name: 'K', kind: 'limit', meterId, ...fields };
    const { body } = await shop.client.post(
      'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }',
      { input },
    );
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });
});
