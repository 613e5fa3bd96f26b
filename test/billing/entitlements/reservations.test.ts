/** Use and reservations of a limit: exact at the same time, durable, and the same after a lost answer. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { openLimit } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(async () => {
  expect(await findFaults(app)).toEqual([]);
  await app.close();
});

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const countAllowed = (results: any[]) => results.filter(({ allowed }) => allowed).length;

describe('consumption', () => {
  it('records what is allowed, and nothing else', async () => {
    const shop = await openLimit(app, '100');
    expect(await shop.consume(shop.feature, '60.5')).toMatchObject({
      allowed: true,
      used: '60.5',
      remaining: '39.5',
      because: 'included',
    });
    expect(await shop.consume(shop.feature, 40)).toMatchObject({
      allowed: false,
      used: '60.5',
      because: 'limit_reached',
    });
    expect(await shop.check(shop.feature, '39.5')).toMatchObject({ allowed: true, used: '60.5' });
  });

  it('counts once, however often it is sent', async () => {
    const shop = await openLimit(app, '100');
    const id = `${shop.alias}-once`;
    const results = await times(20, () => shop.consume(shop.feature, 70, { id }));
    expect(countAllowed(results)).toBe(20);
    expect(new Set(results.map(({ used }) => used))).toEqual(new Set(['70']));
    expect(await shop.consume(shop.feature, 70, { id })).toMatchObject({
      allowed: true,
      used: '70',
      remaining: '30',
    });
    expect(await shop.consume(shop.feature, 10, { id })).toEqual({ reason: 'usage_id_reused', path: 'id' });
    const [event] = (await shop.client.graphql('{ usageEvents { nodes { eventId properties } } }'))
      .usageEvents.nodes;
    expect(event).toEqual({ eventId: id, properties: { units: '70' } });
  });

  it('is exact with 100 at once', async () => {
    const shop = await openLimit(app, '100');
    const results = await times(100, () => shop.consume(shop.feature, 3));
    expect(countAllowed(results)).toBe(33);
    expect(await shop.check(shop.feature, 1)).toMatchObject({ allowed: true, used: '99', remaining: '1' });
  });

  it('goes on above a soft limit until the spend limit', async () => {
    const shop = await openLimit(app, '1000', { soft: true, overageLimit: '5000' });
    const results = await times(100, () => shop.consume(shop.feature, 100));
    expect(countAllowed(results)).toBe(60);
    expect(await shop.check(shop.feature)).toMatchObject({
      allowed: false,
      used: '6000',
      overage: '5000',
      because: 'overage_limit_reached',
    });
  });

  it('is counted by meters with a multiplier, a filter, or of events', async () => {
    const thousands = await openLimit(app, '2', {}, { unitMultiplier: '0.001' });
    expect(await thousands.consume(thousands.feature, '1.5')).toMatchObject({ allowed: true, used: '1.5' });
    const thirds = await openLimit(app, '2', {}, { unitMultiplier: '3' });
    expect(await thirds.consume(thirds.feature, 1)).toEqual({ reason: 'validation_failed', path: 'amount' });
    const filtered = await openLimit(app, '2', {}, { filter: [{ property: 'region', values: ['eu'] }] });
    expect(await filtered.consume(filtered.feature, 1)).toEqual({
      reason: 'validation_failed',
      path: 'properties',
    });
    const properties = { region: 'eu', units: 'ignored' };
    expect(await filtered.consume(filtered.feature, 1, { properties })).toMatchObject({
      allowed: true,
      used: '1',
    });
    const calls = await openLimit(app, '2', {}, { aggregation: 'count', value: undefined });
    expect(await calls.consume(calls.feature, 2)).toEqual({ reason: 'validation_failed', path: 'amount' });
    const results = await times(4, () => calls.consume(calls.feature, 1));
    expect(countAllowed(results)).toBe(2);
  });

  it.each<[string, object, string]>([
    ['0 units', { amount: 0 }, 'amount'],
    ['negative units', { amount: -1 }, 'amount'],
    ['an empty id', { id: '' }, 'id'],
    ['a long id', { id: 'x'.repeat(256) }, 'id'],
    ['no customer', { customerId: null }, 'customerId'],
    ['two customers', { associatedId: 'x' }, 'associatedId'],
    ['a property that is a list', { properties: { a: [] } }, 'properties.a'],
    ['__proto__', { properties: JSON.parse('{"__proto__": 1}') }, 'properties'],
    ['a long property', { properties: { a: 'x'.repeat(501) } }, 'properties.a'],
  ])('is refused with %s', async (_, fields, path) => {
    const shop = await openLimit(app, '100');
    expect(await shop.consume(shop.feature, 1, fields)).toEqual({ reason: 'validation_failed', path });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '0' });
  });
});

describe('reservations', () => {
  it('of 500 from 600, five at once: one passes', async () => {
    const shop = await openLimit(app, '600');
    const results = await times(5, () => shop.reserve(shop.feature, 500));
    expect(results.filter(({ id }) => id)).toHaveLength(1);
    expect(results.filter(({ reason }) => reason === 'entitlement_exceeded')).toHaveLength(4);
    expect(await shop.check(shop.feature, 101)).toMatchObject({
      allowed: false,
      used: '0',
      reserved: '500',
      remaining: '100',
    });
  });

  it('are exact with 100 at once, and beside consumption', async () => {
    const shop = await openLimit(app, '100');
    const results = await times(100, (index) =>
      index % 2 === 0 ? shop.reserve(shop.feature, 3) : shop.consume(shop.feature, 3),
    );
    expect(results.filter(({ id, allowed }) => id !== undefined || allowed)).toHaveLength(33);
    const { used, reserved, remaining } = await shop.check(shop.feature);
    expect([Number(used) + Number(reserved), remaining]).toEqual([99, '1']);
  });

  it('are settled by what was used, once, also by more than was reserved', async () => {
    const shop = await openLimit(app, '100');
    const { id, status, expiresAt } = await shop.reserve(shop.feature, 60);
    expect([status, expiresAt]).toEqual(['open', '2026-01-01T00:05:00.000Z']);
    const settled = await times(10, () => shop.settle(id, '42.5'));
    expect(new Set(settled.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(settled[0]).toMatchObject({ id, status: 'settled', amount: '60', settledAmount: '42.5' });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '42.5', reserved: '0', remaining: '57.5' });
    expect(await shop.settle(id, 1)).toEqual({ reason: 'reservation_closed', path: 'id' });
    expect(await shop.release(id)).toEqual({ reason: 'reservation_closed', path: 'id' });
    const second = await shop.reserve(shop.feature, 10);
    expect(await shop.settle(second.id, 100)).toMatchObject({ settledAmount: '100' });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '142.5', overage: '42.5', allowed: false });
  });

  it('are released, or settled by nothing', async () => {
    const shop = await openLimit(app, '100');
    const [first, second] = [await shop.reserve(shop.feature, 60), await shop.reserve(shop.feature, 40)];
    expect(await shop.release(first.id)).toMatchObject({ status: 'released' });
    expect(await shop.release(first.id)).toMatchObject({ status: 'released' });
    expect(await shop.settle(first.id, 1)).toEqual({ reason: 'reservation_closed', path: 'id' });
    expect(await shop.settle(second.id, 0)).toMatchObject({ status: 'settled', settledAmount: '0' });
    const calls = await openLimit(app, '2', {}, { aggregation: 'count', value: undefined });
    const third = await calls.reserve(calls.feature, 1);
    expect(await calls.settle(third.id, 0)).toMatchObject({ status: 'settled', settledAmount: '0' });
    expect(await calls.settle(third.id, 0)).toMatchObject({ status: 'settled', settledAmount: '0' });
    expect(await calls.check(calls.feature)).toMatchObject({ used: '0', reserved: '0' });
    expect(await shop.check(shop.feature, 100)).toMatchObject({ allowed: true, used: '0', reserved: '0' });
  });

  it('end by themselves', async () => {
    const shop = await openLimit(app, '100');
    const { id } = await shop.reserve(shop.feature, 100, { ttlSeconds: 60 });
    await shop.advance('2026-01-01T00:00:59.999Z');
    expect(await shop.check(shop.feature)).toMatchObject({ allowed: false, reserved: '100' });
    await shop.advance('2026-01-01T00:01:00Z');
    expect(await shop.check(shop.feature, 100)).toMatchObject({ allowed: true, reserved: '0' });
    expect(await shop.settle(id, 1)).toEqual({ reason: 'reservation_closed', path: 'id' });
    expect(await shop.release(id)).toMatchObject({ status: 'expired' });
  });

  it('are the same when they are asked for again', async () => {
    const shop = await openLimit(app, '100');
    const id = `${shop.alias}-reserved`;
    const results = await times(10, () => shop.reserve(shop.feature, 60, { id }));
    expect(new Set(results.map((each) => each.id)).size).toBe(1);
    expect(await shop.reserve(shop.feature, 61, { id })).toEqual({ reason: 'usage_id_reused', path: 'id' });
    const document = `mutation ($input: ReserveEntitlementInput!) { reserveEntitlement(input: $input) { id } }`;
    const input = { customerId: shop.customer.id, feature: shop.feature, amount: 40 };
    const again: any[] = [];
    for (let repeat = 0; repeat < 3; repeat++)
      again.push(await shop.client.graphql(document, { input }, { 'idempotency-key': `${shop.alias}-key` }));
    expect(new Set(again.map((each) => each.reserveEntitlement.id)).size).toBe(1);
    expect(await shop.check(shop.feature, 0)).toMatchObject({
      allowed: true,
      reserved: '100',
      remaining: '0',
    });
  });

  it.each<[string, object, string]>([
    ['0 units', { amount: 0 }, 'amount'],
    ['no time', { ttlSeconds: 0 }, 'ttlSeconds'],
    ['more than a day', { ttlSeconds: 86_401 }, 'ttlSeconds'],
    ['an empty id', { id: '' }, 'id'],
  ])('are refused with %s', async (_, fields, path) => {
    const shop = await openLimit(app, '100');
    expect(await shop.reserve(shop.feature, 1, fields)).toEqual({ reason: 'validation_failed', path });
  });

  it('are listed, and forgotten after 35 days', async () => {
    const shop = await openLimit(app, '100');
    const made = [await shop.reserve(shop.feature, 1), await shop.reserve(shop.feature, 2)];
    const list = async () =>
      (
        await shop.client.graphql(
          'query ($customerId: ID) { reservations(customerId: $customerId) { nodes { id amount } } }',
          { customerId: shop.customer.id },
        )
      ).reservations.nodes;
    expect(await list()).toEqual(made.map(({ id, amount }) => ({ id, amount })).toReversed());
    await shop.advance('2026-02-06');
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect(await list()).toEqual([]);
  });
});

// SQLite lets no second server open its file.
it.runIf(engine === 'postgres')('is exact with two servers on one database', async () => {
  const settings = { database: app.database, databaseConnections: '4', secretKey: testSecretKey };
  const config = readConfig({ ...settings, logLevel: 'silent', rateLimitPerSecond: '1000000' }, {});
  const second = await createApp(config, { scheduler: false });
  try {
    const shop = await openLimit(app, '600');
    const send = async (index: number, path: string, fields: object) => {
      const { server } = index % 2 === 0 ? app : second;
      const payload = { customerId: shop.customer.id, feature: shop.feature, ...fields };
      const headers = { 'api-key': shop.client.apiKey };
      const answer = await server.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload });
      return { ...answer.json(), code: answer.statusCode };
    };
    const reserved = await times(5, (index) => send(index, '/reservations', { amount: '500' }));
    expect(reserved.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    const consumed = await times(100, (index) =>
      send(index, '/entitlements/consume', { id: `${shop.alias}-${index}`, amount: '3' }),
    );
    expect(countAllowed(consumed)).toBe(33);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '99', reserved: '500', remaining: '1' });
  } finally {
    await second.close();
  }
});

it('waits neither for renewals nor they for it', async () => {
  const shop = await openLimit(app, '100');
  // A unit of work that is under way does not delay a reservation, and the other way round.
  const results = await Promise.all([
    shop.reserve(shop.feature, 10),
    shop.advance('2026-01-02'),
    shop.consume(shop.feature, 10),
  ]);
  expect(results[0]).toMatchObject({ status: 'open' });
});
