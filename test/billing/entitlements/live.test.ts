/** What followers of usage and of entitlements are told, over each transport and of what another server writes. */
import { createClient as createStream } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openService } from '../../../src/app/app.ts';
import { consumeEntitlement } from '../../../src/billing/entitlements/consumeEntitlement.ts';
import { recordUsage } from '../../../src/billing/usage/recordUsage.ts';
import { readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { follow, listen } from '../../support/follow.ts';
import { openFeatureShop, openLimit } from './shop.ts';

const usageRecorded = `subscription ($customerId: ID, $event: String, $after: ID) {
  usageRecorded(customerId: $customerId, event: $event, after: $after) { id eventId customerId properties }
}`;
const entitlementChanged = `subscription ($customerId: ID!) {
  entitlementChanged(customerId: $customerId) { feature { key } allowed limit used reserved because }
}`;

/** A second after what another server writes is noticed, for a machine under load. */
const soon = { timeout: 5000, interval: 20 };

interface Listening {
  events: any[];
  errors: any[];
  stop: () => unknown;
}
type Listen = (client: Client, query: string, variables?: Record<string, unknown>) => Promise<Listening>;

let app: TestApp;
let url: string;
let beside: Service;
const open: Listening[] = [];
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
  url = await listen(app);
  const config = readConfig({ database: app.database, databaseConnections: '4', logLevel: 'silent' }, {});
  // The clock of the other server is wrong, as clocks are. On SQLite there is none.
  const behindMs = engine === 'postgres' ? 3_600_000 : 0;
  beside = await openService(config, false, { clock: { nowMs: () => systemClock.nowMs() - behindMs } });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ stop }) => stop()));
});
afterAll(async () => {
  await beside.store.close();
  await app.close();
});

const keep = (listening: Listening): Listening => {
  open.push(listening);
  return listening;
};

const bySocket: Listen = async (client, query, variables) =>
  keep(await follow(url, client, variables, query));

const byStream: Listen = ({ apiKey }, query, variables) => {
  const stream = createStream({
    url: `${url}/graphql/stream`,
    headers: { 'api-key': apiKey },
    retryAttempts: 0,
  });
  const listening = keep({ events: [], errors: [], stop: () => stream.dispose() });
  stream.subscribe<any>(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (errors) listening.errors.push(...errors);
        else listening.events.push(Object.values(data)[0]);
      },
      error: (error) => void listening.errors.push(...[error].flat()),
      complete: () => {},
    },
  );
  return Promise.resolve(listening);
};

const transports: [string, Listen][] = [
  ['a WebSocket', bySocket],
  ['server-sent events', byStream],
];

/** The tenant as the other server has it. */
const openBeside = async (alias: string) => openScheduledTenant(beside, (await findTenant(beside, alias))!);

const send = (client: Client, events: object[]) =>
  client.graphql('mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { accepted } }', {
    input: { events },
  });
const ids = ({ events }: Listening) => events.map(({ eventId }) => eventId);
/** What was sent of a feature: how much is used and reserved, and why. */
const uses = ({ events }: Listening, key: string) =>
  events
    .filter(({ feature }) => feature.key === key)
    .map(({ used, reserved, because }) => `${used}+${reserved} ${because}`);

describe.each(transports)('over %s', (_, listenBy) => {
  it('usage is sent as it is recorded', async () => {
    const { client, customer } = await openFeatureShop(app);
    await send(client, [{ id: 'before', event: 'call', customerId: customer.id }]);
    const following = await listenBy(client, usageRecorded);
    let sent = 0;
    await expect
      .poll(async () => {
        // A stream is open before it has read where it begins.
        await send(client, [{ id: `first-${(sent += 1)}`, event: 'call', customerId: customer.id }]);
        return following.events.length;
      }, soon)
      .toBeGreaterThan(0);
    await send(client, [
      { id: 'a', event: 'call', customerId: customer.id, properties: { n: 1 } },
      { id: 'b', event: 'other', associatedId: 'nobody yet' },
    ]);
    await expect.poll(() => ids(following).slice(-2), soon).toEqual(['a', 'b']);
    expect(following.events.at(-2)).toMatchObject({ customerId: customer.id, properties: { n: 1 } });
    expect(ids(following)).not.toContain('before');
    expect(following.errors).toEqual([]);
  });

  it('entitlements are sent at first, and as they change', async () => {
    const shop = await openLimit(app, '100');
    const { client, customer, feature } = shop;
    const following = await listenBy(client, entitlementChanged, { customerId: customer.id });
    await expect.poll(() => uses(following, feature), soon).toEqual(['0+0 included']);
    await shop.consume(feature, 40);
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('40+0 included');
    const { id } = await shop.reserve(feature, 50);
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('40+50 included');
    await shop.release(id);
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('40+0 included');
    await shop.override(feature, 50);
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('40+0 override');
    expect(following.events.at(-1)).toMatchObject({ allowed: true, limit: '50' });
    expect(following.errors).toEqual([]);
  });
});

describe('a follower of usage', () => {
  it('receives each event once from any start, and by its filter', async () => {
    const { client, customer } = await openFeatureShop(app);
    await send(client, [{ id: 'start', event: 'call', customerId: customer.id }]);
    const { usageEvents } = await client.graphql('{ usageEvents(first: 1) { nodes { id } } }');
    const after = usageEvents.nodes[0].id;
    const following = await bySocket(client, usageRecorded, { after });
    const ofCustomer = await bySocket(client, usageRecorded, {
      after,
      customerId: customer.id,
      event: 'call',
    });
    const sent = Array.from({ length: 30 }, (_, index) =>
      Array.from({ length: 50 }, (__, at) => ({
        id: `${index}-${at}`,
        event: at % 2 === 0 ? 'call' : 'other',
        ...(at % 5 === 0 ? { associatedId: 'nobody yet' } : { customerId: customer.id }),
      })),
    );
    await Promise.all(sent.map((events) => send(client, events)));
    await expect.poll(() => following.events.length, soon).toBe(1500);
    expect(new Set(ids(following))).toEqual(new Set(sent.flat().map(({ id }) => id)));
    const own = sent.flat().filter((each) => each.event === 'call' && 'customerId' in each);
    await expect.poll(() => ofCustomer.events.length, soon).toBe(own.length);
    expect(new Set(ids(ofCustomer))).toEqual(new Set(own.map(({ id }) => id)));
    const again = await bySocket(client, usageRecorded, { after: following.events[999].id });
    await expect.poll(() => again.events.length, soon).toBe(500);
    expect(ids(again)).toEqual(ids(following).slice(1000));
  });

  it('receives what another server records at the same time', async () => {
    const { client, customer, alias } = await openFeatureShop(app);
    await send(client, [{ id: 'start', event: 'call', customerId: customer.id }]);
    const { usageEvents } = await client.graphql('{ usageEvents(first: 1) { nodes { id } } }');
    const following = await bySocket(client, usageRecorded, { after: usageEvents.nodes[0].id });
    const other = await openBeside(alias);
    const patiently = async (attempt: () => Promise<unknown>): Promise<void> => {
      // On SQLite the one who finds the file locked is told to come back.
      await attempt().catch(() => patiently(attempt));
    };
    for (let turn = 0; turn < 20; turn++) {
      const events = (name: string) => [{ id: `${name}-${turn}`, event: 'call', customerId: customer.id }];
      await Promise.all([
        patiently(() => send(client, events('here'))),
        patiently(() => recordUsage(other, { events: events('beside') })),
      ]);
    }
    await expect.poll(() => following.events.length, soon).toBe(40);
    expect(new Set(ids(following)).size).toBe(40);
    const places: string[] = following.events.map(({ id }) => id);
    expect(places.every((id, at) => at === 0 || places[at - 1]! < id)).toBe(true);
  });
});

describe('a follower of entitlements', () => {
  it('learns what another server counts', async () => {
    const { client, customer, feature, alias } = await openLimit(app, '100');
    const following = await bySocket(client, entitlementChanged, { customerId: customer.id });
    await expect.poll(() => uses(following, feature), soon).toEqual(['0+0 included']);
    const use = { id: 'beside', customerId: customer.id, feature, amount: '7' };
    expect(await consumeEntitlement(await openBeside(alias), use)).toMatchObject({ allowed: true });
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('7+0 included');
  });

  it('is told of the end of an override, and of nothing that changes for others', async () => {
    const shop = await openLimit(app, '100');
    const { client, customer, feature } = shop;
    await shop.override(feature, 5, { endsAt: '2026-01-10T00:00:00.000Z' });
    const following = await bySocket(client, entitlementChanged, { customerId: customer.id });
    await expect.poll(() => uses(following, feature), soon).toEqual(['0+0 override']);
    const other = await openFeatureShop(app);
    await other.override(await other.feature('boolean'), true);
    const neighbour = await shop.shop.customer();
    await shop.override(feature, 7, { customerId: neighbour.id });
    await shop.advance('2026-01-10T00:00:00.000Z');
    await expect.poll(() => uses(following, feature).at(-1), soon).toBe('0+0 included');
    expect(uses(following, feature)).toEqual(['0+0 override', '0+0 included']);
  });
});

it('followers of customers of another tenant, and of events of another one, are refused', async () => {
  const [shop, other] = [await openFeatureShop(app), await openFeatureShop(app)];
  await send(other.client, [{ id: 'theirs', event: 'call', customerId: other.customer.id }]);
  const { usageEvents } = await other.client.graphql('{ usageEvents(first: 1) { nodes { id } } }');
  const refused: [string, object, string][] = [
    [entitlementChanged, { customerId: other.customer.id }, 'customer_not_found'],
    [usageRecorded, { customerId: other.customer.id }, 'customer_not_found'],
    [usageRecorded, { after: usageEvents.nodes[0].id }, 'validation_failed'],
    [usageRecorded, { after: 'use_none' }, 'validation_failed'],
  ];
  for (const [query, variables, reason] of refused) {
    const following = await bySocket(shop.client, query, variables as never);
    await expect
      .poll(() => following.errors.map(({ extensions }) => extensions.reason), soon)
      .toEqual([reason]);
  }
});

it('the session of a customer follows neither', async () => {
  const { client, customer } = await openFeatureShop(app);
  const { createCustomerSession } = await client.graphql(
    'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
    { input: { customerId: customer.id } },
  );
  for (const query of [entitlementChanged, usageRecorded]) {
    const response = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${createCustomerSession.token}`,
      },
      body: JSON.stringify({ query, variables: { customerId: customer.id } }),
    });
    const text = await response.text();
    expect(text).toMatch(/closed_to_browsers/);
  }
});
