/** Backfilled usage: shown, counted again by the doctor, and never billed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const resultFields = 'accepted duplicates conflicts { index id } refused { index reason path } unassigned';
const send = async ({ client }: UsageShop, mutation: 'backfillUsage' | 'recordUsage', events: object[]) =>
  (
    await client.graphql(
      `mutation ($events: [UsageEventInput!]!) { ${mutation}(input: { events: $events }) { ${resultFields} } }`,
      { events },
    )
  )[mutation];

const readUsage = async (
  { client }: UsageShop,
  meterId: string,
  customerId: string | undefined,
  from = '2025-01-01',
  until = '2026-05-01',
) =>
  (
    await client.graphql(
      `query ($meterId: ID!, $customerId: ID, $from: DateTime!, $until: DateTime!) {
        usage(meterId: $meterId, customerId: $customerId, from: $from, until: $until, groupBy: ["model"]) { value events windows { group value } }
      }`,
      { meterId, customerId, from, until },
    )
  ).usage;

const nothing = { accepted: 0, duplicates: 0, conflicts: [], refused: [], unassigned: 0 };

/** A shop with a subscription to usage since 2026-01-01, of which the first 10 units a month are free. */
async function openMetered() {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const price = await shop.plan(0, {
    name: 'Calls',
    price: { details: { amount: 1, currency: 'afn' }, meterId, includedUnits: '10' },
  });
  const id = await shop.subscribe(shop.customer, price);
  const event = (eventId: string, at: string, units: number, model = 'a') => ({
    id: eventId,
    event: 'use',
    customerId: shop.customer.id as string,
    at,
    properties: { units, model },
  });
  return { ...shop, meterId, id, event };
}

describe('backfilled usage', () => {
  it('is shown from before the meter, and neither billed nor limited, whatever period it is of', async () => {
    const shop = await openMetered();
    await shop.client.graphql(
      `mutation ($meterId: ID!, $customerId: ID!) {
        createFeature(input: { key: "units", name: "Units", kind: limit, meterId: $meterId }) { id }
        overrideEntitlement(input: { customerId: $customerId, feature: "units", value: 1000 }) { id }
      }`,
      { meterId: shop.meterId, customerId: shop.customer.id },
    );
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 15, { model: 'a' }]);
    const sent = [
      shop.event('old-1', '2025-03-01T00:01:00Z', 100),
      shop.event('old-2', '2025-12-31T23:59:59.999Z', 7, 'b'),
      // The same quarter of an hour as the recorded event, and the first one of the period.
      shop.event('old-3', '2026-01-05T00:05:00Z', 1000),
      shop.event('old-4', '2026-01-01T00:00:00Z', 500),
    ];
    expect(await send(shop, 'backfillUsage', sent)).toEqual({ ...nothing, accepted: 4 });
    expect(await send(shop, 'backfillUsage', sent)).toEqual({ ...nothing, duplicates: 4 });
    expect(await send(shop, 'recordUsage', sent.slice(2))).toEqual({ ...nothing, duplicates: 2 });
    for (const customerId of [shop.customer.id, undefined])
      expect(await readUsage(shop, shop.meterId, customerId)).toEqual({
        value: '1622',
        events: 5,
        windows: [
          { group: { model: 'a' }, value: '1615' },
          { group: { model: 'b' }, value: '7' },
        ],
      });
    // Edges that divide a quarter of an hour read the events themselves.
    expect(
      await readUsage(shop, shop.meterId, shop.customer.id, '2026-01-05T00:03:00Z', '2026-01-05T00:06:00Z'),
    ).toMatchObject({ value: '1000', events: 1 });
    expect((await shop.currentUsage(shop.id)).total).toBe(5);
    const { checkEntitlement } = await shop.client.graphql(
      'query ($id: ID!) { checkEntitlement(customerId: $id, feature: "units") { used } }',
      { id: shop.customer.id },
    );
    expect(checkEntitlement.used).toBe('15');
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(5);
    await send(shop, 'backfillUsage', [shop.event('old-5', '2026-01-06', 1000)]);
    await shop.advance('2026-03-15');
    expect((await shop.lastBill(shop.id)).total).toBe(0);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('is taken back, and its quarter of an hour counted again, without what was recorded in it', async () => {
    const shop = await openMetered();
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 15, { model: 'a' }]);
    await send(shop, 'backfillUsage', [
      shop.event('back-1', '2026-01-05T00:05:00Z', 1000),
      shop.event('back-2', '2026-01-05T00:06:00Z', 30),
    ]);
    await shop.voidUsage(['back-1']);
    expect((await readUsage(shop, shop.meterId, shop.customer.id)).value).toBe('45');
    expect((await shop.currentUsage(shop.id)).total).toBe(5);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('refuses events one by one', async () => {
    const shop = await openMetered();
    const other = await openUsageShop(app);
    const wrong = [
      { ...shop.event('w-0', '2026-01-02', 1) },
      { ...shop.event('w-1', '2025-01-02', 1), at: undefined },
      { ...shop.event('w-2', '2025-01-02', 1), customerId: other.customer.id },
      { ...shop.event('w-3', '2025-01-02', 1), customerId: undefined, associatedId: 'nobody' },
      { ...shop.event('w-4', '2025-01-02', 1), properties: { units: 1e300 } },
      shop.event('w-5', '2025-01-02', 1),
      { ...shop.event('w-5', '2025-01-02', 2) },
    ];
    expect(await send(shop, 'backfillUsage', wrong)).toEqual({
      accepted: 1,
      duplicates: 0,
      conflicts: [{ index: 6, id: 'w-5' }],
      unassigned: 0,
      refused: [
        { index: 0, reason: 'validation_failed', path: 'events.0.at' },
        { index: 1, reason: 'validation_failed', path: 'events.1.at' },
        { index: 2, reason: 'customer_not_found', path: 'events.2.customerId' },
        { index: 3, reason: 'customer_not_found', path: 'events.3.associatedId' },
        { index: 4, reason: 'validation_failed', path: 'events.4.properties.units' },
      ],
    });
  });

  it('shows the earlier level of a persistent meter, which bills do not carry', async () => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter({ persistent: true });
    const price = await shop.plan(0, {
      name: 'Seats',
      price: { details: { amount: 1, currency: 'afn' }, meterId },
    });
    const id = await shop.subscribe(shop.customer, price);
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 3, { model: 'a' }]);
    const event = {
      id: `seat-${shop.alias}`,
      event: 'use',
      customerId: shop.customer.id,
      at: '2025-06-01',
      properties: { units: 5, model: 'a' },
    };
    expect(await send(shop, 'backfillUsage', [event])).toMatchObject({ accepted: 1 });
    expect((await readUsage(shop, meterId, shop.customer.id, '2026-01-01', '2026-02-01')).value).toBe('8');
    expect((await shop.currentUsage(id)).total).toBe(3);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('goes with the erasure of its customer', async () => {
    const shop = await openMetered();
    await shop.advance('2026-01-20');
    await send(shop, 'backfillUsage', [shop.event('gone', '2025-03-01', 100)]);
    await shop.client.graphql(
      `mutation ($sub: ID!) { cancelSubscription(id: $sub, input: { atPeriodEnd: false }) { id } }`,
      { sub: shop.id },
    );
    await shop.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', {
      id: shop.customer.id,
    });
    for (const table of ['usage_events', 'backfill_buckets', 'usage_ids']) {
      const [row] = await app.backdoor.all(
        `SELECT count(*) AS n FROM ${table} WHERE tenant_alias = '${shop.alias}'`,
      );
      expect([table, Number(row!['n'])]).toEqual([table, 0]);
    }
  });
});
