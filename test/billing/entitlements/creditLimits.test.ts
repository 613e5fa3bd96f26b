/** Limits that count the credits of a type: the usage of several meters, each at its rate. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openCredits as open } from './creditShop.ts';

const openCredits = (value: string | null, fields: object = {}) => open(app, value, fields);
const silent = pino({ level: 'silent' });
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

describe('a limit of credits', () => {
  it('counts the usage of all meters of the type', async () => {
    const shop = await openCredits('100');
    await shop.record('image', 3);
    await shop.record('tokens', '2500.5');
    expect(await shop.check(shop.feature, '67.4995')).toMatchObject({
      allowed: true,
      limit: '100',
      used: '32.5005',
      remaining: '67.4995',
      resetsAt: '2026-02-01T00:00:00.000Z',
      because: 'included',
    });
    expect(await shop.check(shop.feature, '67.499500000001')).toMatchObject({
      allowed: false,
      because: 'limit_reached',
    });
    const checkImages = (amount?: string) => shop.check(shop.feature, amount, { meterId: shop.images });
    expect((await checkImages()).allowed).toBe(true);
    expect((await checkImages('6')).allowed).toBe(true);
    expect((await checkImages('7')).allowed).toBe(false);
    expect((await shop.check(shop.feature, '67499.5', { meterId: shop.tokens })).allowed).toBe(true);
    await shop.advance('2026-02-01');
    expect(await shop.check(shop.feature)).toMatchObject({ used: '0', remaining: '100' });
  });

  it('is used by the units of one meter, exact with 100 at once', async () => {
    const shop = await openCredits('100');
    const results = await times(100, (index) =>
      index % 2 === 0
        ? shop.consume(shop.feature, 1, { meterId: shop.images })
        : shop.consume(shop.feature, 1000, { meterId: shop.tokens }),
    );
    const used = Number((await shop.check(shop.feature)).used);
    const credits = results.reduce(
      (sum, { allowed }, index) => sum + (allowed ? (index % 2 === 0 ? 10 : 1) : 0),
      0,
    );
    expect(used).toBe(credits);
    expect(used).toBeLessThanOrEqual(100);
    expect(used).toBeGreaterThan(90);
    expect(countAllowed(results)).toBeGreaterThan(9);
  });

  it('returns what is left after a use, and the same for a repeat', async () => {
    const shop = await openCredits('100');
    const use = () => shop.consume(shop.feature, 4, { id: `${shop.alias}-1`, meterId: shop.images });
    expect(await use()).toMatchObject({ allowed: true, used: '40', remaining: '60' });
    expect(await use()).toMatchObject({ allowed: true, used: '40', remaining: '60' });
    // The same id for units of the other meter is another use.
    expect(await shop.consume(shop.feature, 4, { id: `${shop.alias}-1`, meterId: shop.tokens })).toEqual({
      reason: 'usage_id_reused',
      path: 'id',
    });
  });

  it('is reserved in units of a meter, settled by what was used, and given back', async () => {
    const shop = await openCredits('100');
    const first = await shop.reserve(shop.feature, 6, { meterId: shop.images });
    expect(first).toMatchObject({ amount: '6', status: 'open' });
    const second = await shop.reserve(shop.feature, 30_000, { meterId: shop.tokens });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '0', reserved: '90', remaining: '10' });
    expect(await shop.reserve(shop.feature, 2, { meterId: shop.images })).toEqual({
      reason: 'entitlement_exceeded',
      path: 'amount',
    });
    await shop.settle(first.id, 5);
    await shop.settle(second.id, 31_000);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '81', reserved: '0', remaining: '19' });
    const third = await shop.reserve(shop.feature, 1, { id: 'third', meterId: shop.images });
    expect(await shop.reserve(shop.feature, 1, { id: 'third', meterId: shop.images })).toEqual(third);
    expect(await shop.reserve(shop.feature, 1, { id: 'third', meterId: shop.tokens })).toEqual({
      reason: 'usage_id_reused',
      path: 'id',
    });
    await shop.release(third.id);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '81', reserved: '0' });
  });

  it('gives each of five requests of 500 of 600 credits at once, and lets one pass', async () => {
    const shop = await openCredits('600');
    const results = await times(5, () => shop.consume(shop.feature, 50, { meterId: shop.images }));
    expect(countAllowed(results)).toBe(1);
  });

  it('goes on above a soft limit', async () => {
    const shop = await openCredits('10', { soft: true, overageLimit: '5' });
    expect(await shop.consume(shop.feature, 15_000, { meterId: shop.tokens })).toMatchObject({
      allowed: true,
      overage: '5',
      because: 'overage',
    });
    expect(await shop.consume(shop.feature, 1, { meterId: shop.tokens })).toMatchObject({
      allowed: false,
      because: 'overage_limit_reached',
    });
  });

  it('follows a change of the rates at once, with meters that are new to the type', async () => {
    const shop = await openCredits('100');
    const calls = await shop.meter({
      name: 'Calls',
      event: 'call',
      groupBy: [],
      aggregation: 'count',
      value: null,
    });
    await shop.record('image', 2);
    await shop.record('call', 1);
    await shop.reserve(shop.feature, 1, { meterId: shop.images });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '20', reserved: '10' });
    await shop.setRates([
      { meterId: shop.images, credits: '5' },
      { meterId: calls, units: '3', credits: '1' },
    ]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '10.333333333334', reserved: '5' });
    for (const used of ['10.666666666667', '11'])
      expect(await shop.consume(shop.feature, 1, { meterId: calls })).toMatchObject({ allowed: true, used });
    expect(await shop.consume(shop.feature, 1, { meterId: shop.tokens })).toEqual({
      reason: 'validation_failed',
      path: 'meterId',
    });
  });

  it('takes no meter if the type has one', async () => {
    const shop = await openCredits('100');
    await shop.setRates([{ meterId: shop.images, credits: '10' }]);
    expect(await shop.consume(shop.feature, 2)).toMatchObject({ allowed: true, used: '20' });
    const { id } = await shop.reserve(shop.feature, 1);
    expect(await shop.settle(id, 1)).toMatchObject({ status: 'settled' });
  });

  it('counts what several meters count of the same use', async () => {
    const shop = await openCredits('100');
    const uses = await shop.meter({
      name: 'Uses',
      event: 'image',
      groupBy: [],
      aggregation: 'count',
      value: null,
    });
    await shop.setRates([...shop.rates, { meterId: uses, credits: '20' }]);
    const use = () => shop.consume(shop.feature, 3, { meterId: shop.images });
    expect(await use()).toMatchObject({ allowed: true, used: '50' });
    expect(await use()).toMatchObject({ allowed: true, used: '100' });
    expect(await shop.check(shop.feature)).toMatchObject({ used: '100', remaining: '0' });
    expect(await use()).toMatchObject({ allowed: false });
  });

  it('is counted anew after events are taken back', async () => {
    const shop = await openCredits('100');
    const event = await shop.record('image', 5);
    await shop.consume(shop.feature, 1, { meterId: shop.images });
    await shop.voidUsage([event]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '10' });
    expect(await shop.consume(shop.feature, 9, { meterId: shop.images })).toMatchObject({ used: '100' });
  });

  it('counts meters that neither sum nor count, which no use is recorded by', async () => {
    const shop = await openCredits('100');
    const seats = await shop.meter({
      name: 'Seats',
      event: 'seat',
      groupBy: [],
      aggregation: 'max',
      value: 'n',
      persistent: true,
    });
    await shop.setRates([...shop.rates, { meterId: seats, credits: '7' }]);
    await shop.record('seat', 3);
    await shop.record('seat', 2);
    expect(await shop.consume(shop.feature, 1, { meterId: shop.images })).toMatchObject({ used: '31' });
    expect(await shop.consume(shop.feature, 1, { meterId: seats })).toEqual({
      reason: 'validation_failed',
      path: 'meterId',
    });
    await shop.advance('2026-02-01');
    expect((await shop.check(shop.feature)).used).toBe('21');
  });

  it('is in the list, in the token and in REST as other limits are', async () => {
    const shop = await openCredits('100');
    await shop.record('image', 3);
    const { status, body } = await shop.client.rest(
      'GET',
      `/customers/${shop.customer.id}/entitlements/${shop.feature}`,
      { tenantAlias: shop.alias, amount: '7', meterId: shop.images },
    );
    expect([status, body]).toMatchObject([200, { allowed: true, used: '30', remaining: '70' }]);
    const use = { id: 'by-rest', customerId: shop.customer.id, feature: shop.feature };
    const consumed = await shop.client.rest('POST', '/entitlements/consume', {
      tenantAlias: shop.alias,
      ...use,
      amount: '2',
      meterId: shop.images,
    });
    expect(consumed.body).toMatchObject({ allowed: true, used: '50' });
    const reserved = await shop.client.rest('POST', '/reservations', {
      tenantAlias: shop.alias,
      ...use,
      amount: '1000',
      meterId: shop.tokens,
    });
    expect(reserved.body).toMatchObject({ amount: '1000', meterId: shop.tokens });
    const { entitlements } = await shop.client.graphql(
      'query ($id: ID!) { entitlements(customerId: $id) { used reserved remaining } }',
      { id: shop.customer.id },
    );
    expect(entitlements).toEqual([{ used: '50', reserved: '1', remaining: '49' }]);
  });

  it('tells when a share of it is used, also by a meter that is new to the type', async () => {
    const shop = await openCredits('1000');
    const alerting = await shop.addFeature('limit', { creditTypeId: shop.typeId, alertPercents: [50, 80] });
    await shop.attach(shop.plan, alerting, '100');
    await shop.client.graphql('mutation { updateTenant(input: { usageAlertPercents: [90] }) { alias } }');
    const { features } = await shop.client.graphql('{ features(order: ASC) { nodes { alertPercents } } }');
    expect(features.nodes).toEqual([{ alertPercents: [90] }, { alertPercents: [50, 80] }]);
    const listTold = async () => {
      await runDueWork(app.service, silent);
      const { traces } = await shop.client.graphql(
        '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
      );
      return traces.nodes
        .filter(({ event }: any) => event.type === 'CustomerEvent.usage_alert')
        .map(({ event }: any) => `${event.details.percent}: ${event.details.used}`);
    };
    await shop.record('tokens', 49_999);
    expect(await listTold()).toEqual([]);
    await shop.record('tokens', 1);
    expect(await listTold()).toEqual(['50: 50']);
    const calls = await shop.meter({
      name: 'Calls',
      event: 'call',
      groupBy: [],
      aggregation: 'count',
      value: null,
    });
    await shop.setRates([...shop.rates, { meterId: calls, credits: '30' }]);
    await shop.record('call', 1);
    expect(await listTold()).toEqual(['50: 50', '80: 80']);
  });

  it('is found by doctor if its credit type or the meter of a rate is missing', async () => {
    const shop = await openCredits('100');
    const set = (table: string, column: string, text: string) =>
      app.backdoor.execute(`UPDATE ${table} SET ${column} = '${text}' WHERE tenant_alias = '${shop.alias}'`);
    const listFaults = async () =>
      (await findFaults(app, shop.alias)).filter((fault) => fault.startsWith('reference'));
    await set('features', 'credit_type_id', 'cty_gone');
    expect(await listFaults()).toEqual([
      expect.stringMatching(
        /^reference: feat_\w+ is counted in the credit type cty_gone, which does not exist$/,
      ),
    ]);
    await set('features', 'credit_type_id', shop.typeId);
    await set('credit_types', 'rates', JSON.stringify([{ meterId: 'mtr_gone', units: '1', credits: '1' }]));
    expect(await listFaults()).toEqual([
      `reference: ${shop.typeId} has a rate for the meter mtr_gone, which does not exist`,
    ]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '0', remaining: '100' });
    const kept = shop.rates.map(({ meterId, units = '1', credits }) => ({ meterId, units, credits }));
    await set('credit_types', 'rates', JSON.stringify(kept));
  });

  it('keeps its meters from being archived', async () => {
    const shop = await openCredits('100');
    const archive = async () =>
      (await shop.client.post(`mutation { archiveMeter(id: "${shop.images}") { id } }`)).body.errors?.[0]
        .extensions.reason;
    expect(await archive()).toBe('meter_in_use');
    const { features } = await shop.client.graphql('{ features { nodes { id creditTypeId meterId } } }');
    expect(features.nodes).toMatchObject([{ creditTypeId: shop.typeId, meterId: null }]);
    await shop.client.graphql(`mutation { archiveFeature(id: "${features.nodes[0].id}") { id } }`);
    expect(await archive()).toBeUndefined();
    expect(await shop.check(shop.feature)).toMatchObject({ used: '0', remaining: '100' });
  });
});

test.each<
  [
    what: string,
    input: (ids: { own: string; meter: string; other: string }) => object,
    reason: string,
    path: string,
  ]
>([
  [
    'beside a meter',
    ({ own, meter }) => ({ kind: 'limit', meterId: meter, creditTypeId: own }),
    'validation_failed',
    'creditTypeId',
  ],
  [
    'of a boolean',
    ({ own }) => ({ kind: 'boolean', creditTypeId: own }),
    'validation_failed',
    'creditTypeId',
  ],
  ['of a config', ({ own }) => ({ kind: 'config', creditTypeId: own }), 'validation_failed', 'creditTypeId'],
  [
    'of another tenant',
    ({ other }) => ({ kind: 'limit', creditTypeId: other }),
    'credit_type_not_found',
    'creditTypeId',
  ],
  [
    'that does not exist',
    () => ({ kind: 'limit', creditTypeId: '__proto__' }),
    'credit_type_not_found',
    'creditTypeId',
  ],
  ['without a name', () => ({ kind: 'limit', creditTypeId: '' }), 'credit_type_not_found', 'creditTypeId'],
  [
    'that is a meter',
    ({ meter }) => ({ kind: 'limit', creditTypeId: meter }),
    'credit_type_not_found',
    'creditTypeId',
  ],
])('a credit type %s is refused', async (_, input, reason, path) => {
  const shop = await openCredits('1');
  const other = await openCredits('1');
  const ids = { own: shop.typeId, meter: shop.images, other: other.typeId };
  const document = 'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }';
  const { body } = await shop.client.post(document, { input: { key: 'k', name: 'K', ...input(ids) } });
  const { extensions } = body.errors[0];
  expect([extensions.reason, extensions.issues[0].path]).toEqual([reason, path]);
});

test.each<[what: string, meter: (ids: { images: string; other: string }) => string | undefined]>([
  ['of another tenant', ({ other }) => other],
  ['that does not exist', () => 'mtr_0'],
  ['with the name of a method', () => 'constructor'],
  ['without a name', () => ''],
])('a meter %s is refused', async (_, choose) => {
  const shop = await openCredits('100');
  const other = await openCredits('100');
  const meterId = choose({ images: shop.images, other: other.images });
  const refused = { reason: 'validation_failed', path: 'meterId' };
  expect(await shop.check(shop.feature, 1, { meterId })).toEqual(refused);
  expect(await shop.consume(shop.feature, 1, { meterId })).toEqual(refused);
  expect(await shop.reserve(shop.feature, 1, { meterId })).toEqual(refused);
});

it('a use without a meter is refused if the type has several, and with one unless it is the own', async () => {
  const shop = await openCredits('100');
  const refused = { reason: 'validation_failed', path: 'meterId' };
  expect(await shop.consume(shop.feature, 1)).toEqual(refused);
  expect(await shop.reserve(shop.feature, 1)).toEqual(refused);
  const plain = await shop.addFeature('limit', { meterId: shop.images });
  await shop.attach(shop.plan, plain, '10');
  expect(await shop.consume(plain, 1, { meterId: shop.tokens })).toEqual(refused);
  expect(await shop.consume(plain, 1, { meterId: shop.images })).toMatchObject({ allowed: true, used: '1' });
  const yes = await shop.addFeature('boolean');
  expect(await shop.check(yes, 1, { meterId: shop.images })).toEqual({
    reason: 'validation_failed',
    path: 'feature',
  });
});
