/** What a follower of the traces is told: everything, once, in order, and nothing of others. */
import { getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openService } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createGroup } from '../../../src/billing/catalog/groups.ts';
import { schema } from '../../../src/app/schema.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { transact } from '../../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { liveRows } from '../../support/operations.ts';
import { follow, listen, traceRecorded, type Following } from '../../support/follow.ts';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  url = await listen(app);
});
afterAll(() => app.close());

let made = 0;
const tenant = (clock?: string) => app.tenant({ alias: `acme-${++made}`, clock });
const parseAlias = ({ apiKey }: Client) => apiKey.split('_')[1]!;
const create = (client: Client, name = 'a') =>
  client.graphql('mutation ($name: String!) { createGroup(input: { name: $name }) { id } }', { name });

/** The tenant's events as they were committed, which a database tells by itself. */
async function committed(client: Client): Promise<string[]> {
  const rows = await app.backdoor.all(
    `select event_id from traces where tenant_alias = '${parseAlias(client)}' order by event_id`,
  );
  return rows.map((row) => String(row['event_id']));
}

const listIds = ({ events }: Following) => events.map(({ eventId }) => eventId);

describe('a follower', () => {
  it('receives events recorded after it subscribed', async () => {
    const client = await tenant();
    await create(client);
    const following = await follow(url, client);
    const { createGroup: group } = await create(client, 'b');
    await expect.poll(() => following.events.length).toBe(1);
    expect(following.events[0]).toMatchObject({
      activityType: 'GroupEvent',
      tenantAlias: parseAlias(client),
      payload: { action: 'created', resourceId: group.id, object: { name: 'b' } },
    });
    await following.stop();
  });

  it('receives each event once during concurrent writes, from any start and after each reconnection', async () => {
    const client = await tenant();
    await create(client);
    const start = (await committed(client)).at(-1)!;
    const writers = Array.from({ length: 8 }, async () => {
      for (let turn = 0; turn < 25; turn++) await create(client);
    });
    const steady = follow(url, client, { after: start });
    const late = Promise.all(
      [20, 60, 120].map(async (ms) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return follow(url, client, { after: start });
      }),
    );
    const restless = (async () => {
      const seen: string[] = [];
      while (seen.length < 200) {
        const following = await follow(url, client, { after: seen.at(-1) ?? start });
        await expect.poll(() => following.events.length).toBeGreaterThan(0);
        await following.stop();
        seen.push(...listIds(following));
      }
      return seen;
    })();
    await Promise.all(writers);
    const expected = (await committed(client)).filter((id) => id > start);
    expect(expected).toHaveLength(200);
    for (const following of [await steady, ...(await late)]) {
      await expect.poll(() => following.events.length).toBe(200);
      expect(listIds(following)).toEqual(expected);
      await following.stop();
    }
    expect(await restless).toEqual(expected);
  });

  it('receives events in order while the clock of the tenant is stopped', async () => {
    const client = await tenant('2026-01-31T00:00:00.000Z');
    const following = await follow(url, client);
    for (let turn = 0; turn < 5; turn++) await create(client, `turn ${turn}`);
    await expect.poll(() => following.events.length).toBe(5);
    expect(new Set(following.events.map(({ createdAt }) => createdAt)).size).toBe(1);
    expect(following.events.map(({ payload }) => payload.object.name)).toEqual(
      [0, 1, 2, 3, 4].map((turn) => `turn ${turn}`),
    );
    await following.stop();
  });

  it('receives only events that match its filter', async () => {
    const client = await tenant();
    const { createGroup: group } = await create(client);
    const other = await app.key(parseAlias(client), 'write');
    const byType = await follow(url, client, { filter: { activityType: 'ProductEvent' } });
    const byWho = await follow(url, client, { filter: { executorId: 'ada' } });
    const person = { email: 'a@example.com', firstName: 'Ada', lastName: 'L' };
    const add = async (associatedId: string): Promise<string> => {
      const document = 'mutation ($input: UpsertCustomerInput!) { upsertCustomer(input: $input) { id } }';
      return (await client.graphql(document, { input: { ...person, associatedId } })).upsertCustomer.id;
    };
    const [ada, bob] = [await add('ada'), await add('bob')];
    const ofAda = await follow(url, client, { filter: { customerId: ada } });
    const grant = `mutation ($id: ID!) {
      createInvoiceItem(input: { customerId: $id, amount: { amount: 1, currency: "usd" }, description: "Work" }) { id }
    }`;
    for (const id of [bob, ada]) await client.graphql(grant, { id });
    const byWhat = await follow(url, client, {
      filter: { resourceId: group.id, activityType: 'GroupEvent' },
    });
    await create(other);
    await client.graphql(
      `mutation { updateGroup(id: "${group.id}", input: { name: "b" }) { id } }`,
      undefined,
      {
        'x-executor-id': 'ada',
      },
    );
    const product = `mutation { createProduct(input: { name: "p", description: "d", groupId: "${group.id}" }) { id } }`;
    await client.graphql(product);
    await expect.poll(() => byType.events.length).toBe(1);
    await expect.poll(() => byWho.events.length).toBe(1);
    expect(byWhat.events).toHaveLength(1);
    expect(byWhat.events[0].payload).toMatchObject({ action: 'updated', resourceId: group.id });
    expect(ofAda.events).toHaveLength(1);
    expect(ofAda.events[0].payload.object).toMatchObject({ customerId: ada, description: 'Work' });
    await Promise.all([byType, byWho, byWhat, ofAda].map((following) => following.stop()));
  });
});

describe('another process beside the server', () => {
  const anHourMs = 3_600_000;
  let beside: Service;
  beforeAll(async () => {
    const config = readConfig({ database: app.database, databaseConnections: '4', logLevel: 'silent' }, {});
    // Its clock is wrong, as clocks are: what it records must still come after what was there.
    beside = await openService(config, false, { clock: { nowMs: () => systemClock.nowMs() - anHourMs } });
  });
  afterAll(() => beside.store.close());

  const write = (alias: string) =>
    transact(beside, alias, { traceId: 'f'.repeat(32), executorId: 'beside' }, (unit) =>
      createGroup(unit, { name: 'beside' }),
    );

  it('has its events delivered, in the order of the commits', async () => {
    const client = await tenant();
    await create(client);
    const start = (await committed(client)).at(-1)!;
    const following = await follow(url, client, { after: start });
    const expected: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      await (turn % 2 ? create(client, 'server') : write(parseAlias(client)));
      expected.push(turn % 2 ? 'server' : 'beside');
    }
    await expect.poll(() => following.events.length).toBe(6);
    expect(following.events.map(({ payload }) => payload.object.name)).toEqual(expected);
    await following.stop();
    const again = await follow(url, client, { after: following.events[2].eventId });
    await expect.poll(() => again.events.length).toBe(3);
    expect(listIds(again)).toEqual(listIds(following).slice(3));
    await again.stop();
  });

  it('can write at the same time, and each event is received once', async () => {
    const client = await tenant();
    await create(client);
    const start = (await committed(client)).at(-1)!;
    const following = await follow(url, client, { after: start });
    const patiently = async (attempt: () => Promise<unknown>): Promise<void> => {
      // On SQLite the one who finds the file locked is told to come back.
      await attempt().catch(() => patiently(attempt));
    };
    const alias = parseAlias(client);
    await Promise.all([
      ...Array.from({ length: 40 }, () => patiently(() => create(client))),
      (async () => {
        for (let turn = 0; turn < 40; turn++) await patiently(() => write(alias));
      })(),
    ]);
    const expected = (await committed(client)).filter((id) => id > start);
    expect(expected).toHaveLength(80);
    await expect.poll(() => following.events.length).toBe(80);
    expect(listIds(following)).toEqual(expected);
    await following.stop();
  });
});

describe('a client without access', () => {
  it('is refused by every subscription field', () => {
    const fields = Object.values(schema.getSubscriptionType()!.getFields());
    expect(Object.keys(liveRows)).toEqual(fields.map(({ name }) => name));
    for (const { name, args } of fields) {
      const ids = args
        .filter(({ type }) => getNamedType(type).name === 'ID')
        .map((argument) => argument.name);
      expect(Object.keys(liveRows[name]!.foreign ?? {})).toEqual(ids);
    }
  });

  it('receives no events of another tenant', async () => {
    const [client, other] = [await tenant(), await tenant()];
    await create(other);
    const [foreign] = await committed(other);
    const following = await follow(url, client, { after: (await committed(client))[0] });
    await create(other);
    const refusals = await Promise.all(
      [foreign, 'evt_none', 'x'].map(async (after) => {
        const refused = await follow(url, client, { after });
        await expect.poll(() => refused.errors.length).toBe(1);
        await refused.stop();
        return refused.errors;
      }),
    );
    for (const errors of refusals) {
      expect(errors[0].extensions).toMatchObject({ reason: 'trace_not_found', status: 404 });
      expect(errors).toEqual(refusals[0]);
    }
    await create(client);
    await expect
      .poll(() => following.events.some(({ activityType }) => activityType === 'GroupEvent'))
      .toBe(true);
    expect(new Set(following.events.map(({ tenantAlias }) => tenantAlias))).toEqual(
      new Set([parseAlias(client)]),
    );
    await following.stop();
  });

  it('gets the same error for the alias of another tenant and an unknown alias', async () => {
    const [client, other] = [await tenant(), await tenant()];
    for (const tenantAlias of [parseAlias(other), 'nobody', '']) {
      const refused = await follow(url, client, {}, traceRecorded, tenantAlias);
      expect(refused.closed, tenantAlias).toEqual({ code: 4401, reason: 'tenant_mismatch' });
      await refused.stop();
    }
    const own = await follow(url, client, {}, traceRecorded, parseAlias(client));
    expect([own.closed, own.errors]).toEqual([undefined, []]);
    await own.stop();
  });
});
