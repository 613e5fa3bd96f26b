/** What customers may use: values of products and overrides, how they combine, and the use that is left. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openFeatureShop, openLimit, type FeatureShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(async () => {
  expect(await findFaults(app)).toEqual([]);
  await app.close();
});

const graphql = ({ client }: Pick<FeatureShop, 'client'>, document: string, variables: object = {}) =>
  client.graphql(document, variables as any);

describe('a feature', () => {
  it('is yes or no, by the products of the customer', async () => {
    const shop = await openFeatureShop(app);
    const [sso, other] = [await shop.feature('boolean'), await shop.feature('boolean')];
    const plan = await shop.plan(20);
    await shop.attach(plan, sso, true);
    await shop.attach(plan, other, false);
    const none = { value: false, limit: null, used: null, reserved: null, remaining: null, overage: null };
    expect(await shop.check(sso)).toEqual({
      ...none,
      feature: { key: sso, kind: 'boolean' },
      customerId: shop.customer.id,
      allowed: false,
      resetsAt: null,
      because: 'no_subscription',
    });
    await shop.order(plan);
    expect(await shop.check(sso)).toMatchObject({ allowed: true, value: true, because: 'included' });
    expect(await shop.check(other)).toMatchObject({ allowed: false, value: false, because: 'not_included' });
    const missing = await shop.feature('boolean');
    expect(await shop.check(missing)).toMatchObject({ allowed: false, because: 'not_included' });
    expect(await shop.check('none')).toEqual({ reason: 'feature_not_found', path: 'feature' });
    const byName = { customerId: undefined, associatedId: shop.customer.associatedId };
    expect(await shop.check(sso, undefined, byName)).toMatchObject({ allowed: true });
  });

  it('has the value of the highest priority, then of the main product', async () => {
    const shop = await openFeatureShop(app);
    const size = await shop.feature('config');
    const [plan, addOn] = [await shop.plan(20), await shop.plan(5)];
    await shop.attach(plan, size, { gigabytes: 10 });
    await shop.attach(addOn, size, { gigabytes: 99 });
    await shop.order(plan, { addOns: [{ priceId: addOn.id }] });
    expect(await shop.check(size)).toMatchObject({ allowed: true, value: { gigabytes: 10 } });
    await shop.attach(addOn, size, 'large', { priority: 1 });
    expect(await shop.check(size)).toMatchObject({ value: 'large' });
    await shop.attach(plan, size, [1, 2], { priority: 1 });
    expect(await shop.check(size)).toMatchObject({ value: [1, 2] });
  });

  it('is the sum of the limits of all products, times the quantity where that is meant', async () => {
    const shop = await openFeatureShop(app);
    const seats = await shop.feature('limit');
    const perUnit = { price: { model: 'per_unit', details: { amount: 5, currency: 'afn' } } };
    const [plan, pack, other] = [
      await shop.plan(20, perUnit),
      await shop.plan(5, perUnit),
      await shop.plan(7),
    ];
    await shop.attach(plan, seats, 3);
    await shop.attach(pack, seats, '10', { timesQuantity: true });
    await shop.attach(other, seats, '0.5');
    await shop.order(plan, { quantity: 2, addOns: [{ priceId: pack.id, quantity: 4 }] });
    expect(await shop.check(seats, '43')).toMatchObject({
      allowed: true,
      limit: '43',
      value: '43',
      remaining: '43',
    });
    await shop.order(other);
    expect(await shop.check(seats, '43.5')).toMatchObject({ allowed: true, limit: '43.5' });
    expect(await shop.check(seats, '43.6')).toMatchObject({ allowed: false, because: 'limit_reached' });
    await shop.attach(other, seats, null);
    expect(await shop.check(seats, '999999')).toMatchObject({ allowed: true, limit: null, remaining: null });
  });
});

describe('a limit', () => {
  it('is compared with what the meter has counted in the period, and begins again with the next', async () => {
    const shop = await openLimit(app, '1000');
    expect(await shop.check(shop.feature)).toMatchObject({
      allowed: true,
      limit: '1000',
      used: '0',
      reserved: '0',
      remaining: '1000',
      overage: '0',
      resetsAt: '2026-02-01T00:00:00.000Z',
      because: 'included',
    });
    await shop.use(['2026-01-01', '600.5'], ['2026-01-01', 300]);
    expect(await shop.check(shop.feature, '99.5')).toMatchObject({
      allowed: true,
      used: '900.5',
      remaining: '99.5',
    });
    expect(await shop.check(shop.feature, '99.6')).toMatchObject({
      allowed: false,
      because: 'limit_reached',
    });
    await shop.use(['2026-01-01', 150]);
    expect(await shop.check(shop.feature, 0)).toMatchObject({
      allowed: false,
      used: '1050.5',
      remaining: '0',
      overage: '50.5',
    });
    await shop.advance('2026-02-01');
    expect(await shop.check(shop.feature)).toMatchObject({
      allowed: true,
      used: '0',
      resetsAt: '2026-03-01T00:00:00.000Z',
    });
  });

  it('that is soft goes on, and with a spend limit until that', async () => {
    const shop = await openLimit(app, '1000', { soft: true, overageLimit: '5000' });
    await shop.use(['2026-01-01', 5999]);
    expect(await shop.check(shop.feature)).toMatchObject({
      allowed: true,
      overage: '4999',
      remaining: '0',
      because: 'overage',
    });
    await shop.use(['2026-01-01', 1]);
    expect(await shop.check(shop.feature)).toMatchObject({
      allowed: false,
      because: 'overage_limit_reached',
    });
    await shop.attach(shop.plan, shop.feature, '1000', { soft: true });
    expect(await shop.check(shop.feature, '1000000')).toMatchObject({ allowed: true, because: 'overage' });
  });

  it('without a meter is compared with the amount', async () => {
    const shop = await openFeatureShop(app);
    const seats = await shop.feature('limit');
    const plan = await shop.plan(20);
    await shop.attach(plan, seats, 5);
    await shop.order(plan);
    expect(await shop.check(seats, 5)).toMatchObject({ allowed: true, used: '0', resetsAt: null });
    expect(await shop.check(seats, 6)).toMatchObject({ allowed: false });
    expect(await shop.consume(seats, 1)).toEqual({ reason: 'validation_failed', path: 'feature' });
  });

  it('is compared with a level that is carried over, and never begins again', async () => {
    const shop = await openLimit(app, '10', {}, { persistent: true });
    expect(await shop.consume(shop.feature, 8)).toMatchObject({ allowed: true, used: '8', resetsAt: null });
    await shop.advance('2026-02-10');
    expect(await shop.check(shop.feature, 3)).toMatchObject({ allowed: false, used: '8' });
    await shop.use(['2026-02-10', -3]);
    expect(await shop.check(shop.feature, 5)).toMatchObject({ allowed: true, used: '5' });
  });

  it('counts by any meter for a check', async () => {
    const shop = await openLimit(app, '2', {}, { aggregation: 'unique', value: 'user' });
    for (const user of ['a', 'b', 'a']) await shop.use(['2026-01-01', 1, { user }]);
    expect(await shop.check(shop.feature, 0)).toMatchObject({ allowed: true, used: '2', remaining: '0' });
    expect(await shop.consume(shop.feature, 1)).toEqual({ reason: 'validation_failed', path: 'feature' });
  });

  it('keeps its total when events are taken back, and in later periods', async () => {
    const shop = await openLimit(app, '100');
    await shop.advance('2026-01-10T10:07:00Z');
    expect(await shop.consume(shop.feature, 10, { id: `${shop.alias}-back` })).toMatchObject({ used: '10' });
    await shop.use(['2026-01-10T10:07:00Z', 20], ['2026-01-01', 5]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '35' });
    await shop.voidUsage([`${shop.alias}-back`]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '25' });
    expect(await shop.consume(shop.feature, 75)).toMatchObject({
      allowed: true,
      used: '100',
      remaining: '0',
    });
    await shop.advance('2026-02-01');
    await shop.use(['2026-01-31T23:59:59.999Z', 7], ['2026-02-01', 1]);
    expect(await shop.check(shop.feature)).toMatchObject({ used: '1' });
  });
});

describe('an override', () => {
  it('decides alone until its end, which is exclusive, also without a subscription', async () => {
    const shop = await openLimit(app, '100');
    const endsAt = '2026-01-20T00:00:00.000Z';
    expect(await shop.override(shop.feature, '500', { endsAt })).toMatchObject({ value: '500', endsAt });
    expect(await shop.check(shop.feature, 500)).toMatchObject({
      allowed: true,
      limit: '500',
      because: 'override',
    });
    await graphql(shop, 'mutation ($id: ID!) { pauseSubscription(id: $id) { id } }', {
      id: shop.subscriptionId,
    });
    expect(await shop.check(shop.feature)).toMatchObject({ allowed: true, because: 'override' });
    await shop.advance('2026-01-19T23:59:59.999Z');
    expect(await shop.check(shop.feature)).toMatchObject({ allowed: true });
    await shop.advance(endsAt);
    expect(await shop.check(shop.feature)).toMatchObject({ allowed: false, because: 'paused' });
    expect(await shop.override(shop.feature, '1', { endsAt })).toEqual({
      reason: 'validation_failed',
      path: 'endsAt',
    });
  });

  it('is one for each feature, and can deny', async () => {
    const shop = await openFeatureShop(app);
    const [sso, plan] = [await shop.feature('boolean'), await shop.plan(20)];
    await shop.attach(plan, sso, true);
    await shop.order(plan);
    const first = await shop.override(sso, true);
    const second = await shop.override(sso, false);
    expect(second.id).toBe(first.id);
    expect(await shop.check(sso)).toMatchObject({ allowed: false, value: false, because: 'override' });
    await graphql(shop, 'mutation ($id: ID!) { removeEntitlementOverride(id: $id) { id } }', {
      id: first.id,
    });
    expect(await shop.check(sso)).toMatchObject({ allowed: true, because: 'included' });
  });
});

describe('access', () => {
  const grace = (days: number | null) =>
    `mutation { updateTenant(input: { dunning: { accessGraceDays: ${days} } }) { alias } }`;
  const act = (text: string) => async (shop: Pick<FeatureShop, 'client'> & { subscriptionId: string }) => {
    await graphql(shop, `mutation ($id: ID!) { ${text} { id } }`, { id: shop.subscriptionId });
  };
  it.each<[string, object, (shop: any) => Promise<unknown>, boolean, string]>([
    ['in a trial', { trialDays: 14 }, async () => undefined, true, 'included'],
    ['in its first period', {}, async () => undefined, true, 'included'],
    ['paused', {}, act('pauseSubscription(id: $id)'), false, 'paused'],
    [
      'resumed',
      {},
      async (shop) => {
        await act('pauseSubscription(id: $id)')(shop);
        await act('resumeSubscription(id: $id)')(shop);
      },
      true,
      'included',
    ],
    [
      'to be cancelled',
      {},
      act('cancelSubscription(id: $id, input: { atPeriodEnd: true })'),
      true,
      'included',
    ],
    ['cancelled', {}, act('cancelSubscription(id: $id)'), false, 'no_subscription'],
    ['to start later', { startDate: '2026-01-10T00:00:00Z' }, async () => undefined, false, 'scheduled'],
  ])('while the subscription is %s', async (_, order, change, allowed, because) => {
    const shop = await openFeatureShop(app);
    const [sso, plan] = [await shop.feature('boolean'), await shop.plan(20)];
    await shop.attach(plan, sso, true);
    const subscriptionId = await shop.order(plan, order);
    await change({ ...shop, subscriptionId });
    expect(await shop.check(sso)).toMatchObject({ allowed, because });
  });

  it.each<[number, string, boolean]>([
    [0, '2026-02-01T00:00:00.000Z', false],
    [2, '2026-02-02T23:59:59.999Z', true],
    [2, '2026-02-03T00:00:00.000Z', false],
    [7, '2026-02-07T23:59:59.999Z', true],
    [7, '2026-02-08T00:00:00.000Z', false],
    [14, '2026-02-14T23:59:59.999Z', true],
    [14, '2026-02-15T00:00:00.000Z', false],
    [21, '2026-02-21T23:59:59.999Z', true],
    [21, '2026-02-22T00:00:00.000Z', false],
  ])('with a grace of %s days from a failed renewal, at %s', async (days, at, allowed) => {
    const shop = await openFeatureShop(app);
    await graphql(shop, grace(days));
    const feature = await shop.feature('limit', { meterId: await shop.meter() });
    const plan = await shop.plan(20);
    await shop.attach(plan, feature, '100');
    await shop.subscribe(shop.customer, plan, 'sandbox_ok_then_declined');
    await shop.consume(feature, 40);
    await shop.advance(at);
    const { because, ...rest } = await shop.check(feature, 100);
    expect(rest).toMatchObject({ allowed, used: '0' });
    // The last retry has ended the subscription by then.
    const denied = days === 21 ? 'no_subscription' : 'past_due';
    expect(because).toBe(allowed ? 'included' : denied);
  });
});

describe('a change of a product', () => {
  it('reaches subscribers at once, or each at their next period', async () => {
    const shop = await openLimit(app, '100');
    const late = await shop.shop.customer();
    await shop.advance('2026-01-02');
    await shop.attach(shop.plan, shop.feature, '200', { reach: 'next_period' });
    expect(await shop.check(shop.feature)).toMatchObject({ limit: '100' });
    await shop.advance('2026-01-10');
    await shop.subscribe(late, shop.plan);
    const ofLate = { customerId: late.id };
    expect(await shop.check(shop.feature, 1, ofLate)).toMatchObject({ limit: '200' });
    await shop.advance('2026-01-11');
    await shop.attach(shop.plan, shop.feature, '300', { reach: 'next_period' });
    expect([
      (await shop.check(shop.feature)).limit,
      (await shop.check(shop.feature, 1, ofLate)).limit,
    ]).toEqual(['100', '200']);
    await shop.advance('2026-02-01');
    expect([
      (await shop.check(shop.feature)).limit,
      (await shop.check(shop.feature, 1, ofLate)).limit,
    ]).toEqual(['300', '200']);
    await shop.advance('2026-02-02');
    await shop.detach(shop.plan, shop.feature, { reach: 'next_period' });
    await shop.advance('2026-02-10');
    expect([
      (await shop.check(shop.feature)).limit,
      (await shop.check(shop.feature, 1, ofLate)).limit,
    ]).toEqual(['300', '0']);
    await shop.attach(shop.plan, shop.feature, '50');
    expect([
      (await shop.check(shop.feature)).limit,
      (await shop.check(shop.feature, 1, ofLate)).limit,
    ]).toEqual(['50', '50']);
    await shop.detach(shop.plan, shop.feature);
    expect(await shop.check(shop.feature)).toMatchObject({ limit: '0', because: 'not_included' });
    expect(await shop.detach(shop.plan, shop.feature)).toEqual({ reason: 'entitlement_not_found' });
  });

  it('is shown with the product, by keys that others cannot take', async () => {
    const shop = await openFeatureShop(app);
    const sso = await shop.feature('boolean');
    const plan = await shop.plan(20);
    await shop.attach(plan, sso, true);
    const { product } = await graphql(
      shop,
      'query ($id: ID!) { product(id: $id) { features entitlements { feature { key } value } } }',
      { id: plan.productId },
    );
    expect(product).toEqual({ features: [], entitlements: [{ feature: { key: sso }, value: true }] });
    const { body } = await shop.client.post(
      'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }',
      { input: { key: sso, name: 'Other', kind: 'limit' } },
    );
    expect(body.errors[0].extensions.reason).toBe('feature_exists');
  });

  it('is refused for an archived feature, which those who have it keep', async () => {
    const shop = await openLimit(app, '5');
    const { features } = await graphql(
      shop,
      'query ($key: String) { features(key: $key) { nodes { id } } }',
      {
        key: shop.feature,
      },
    );
    await graphql(shop, 'mutation ($id: ID!) { archiveFeature(id: $id) { archivedAt } }', {
      id: features.nodes[0].id,
    });
    expect(await shop.attach(shop.plan, shop.feature, '6')).toEqual({
      reason: 'feature_archived',
      path: 'feature',
    });
    expect(await shop.override(shop.feature, '6')).toMatchObject({ reason: 'feature_archived' });
    expect(await shop.check(shop.feature)).toMatchObject({ allowed: true, limit: '5' });
    const { entitlements } = await graphql(
      shop,
      'query ($id: ID!) { entitlements(customerId: $id) { feature { key } allowed } }',
      { id: shop.customer.id },
    );
    expect(entitlements).toEqual([{ feature: { key: shop.feature }, allowed: true }]);
  });
});

describe('refuses', () => {
  it.each<[string, 'boolean' | 'config' | 'limit', unknown, object, string]>([
    ['a number for yes or no', 'boolean', 1, {}, 'value'],
    ['nothing for yes or no', 'boolean', null, {}, 'value'],
    ['nothing for a config', 'config', null, {}, 'value'],
    ['a deep config', 'config', JSON.parse('[[[[[[[[[1]]]]]]]]]'), {}, 'value'],
    ['a large config', 'config', Array.from({ length: 40 }, () => 'x'.repeat(500)), {}, 'value'],
    ['a number that JSON does not keep', 'config', { n: 2 ** 60 }, {}, 'value'],
    ['a negative limit', 'limit', -1, {}, 'value'],
    ['a limit with 13 decimals', 'limit', '0.1234567890123', {}, 'value'],
    ['a limit of 19 digits', 'limit', '1234567890123456789', {}, 'value'],
    ['a limit of 10³⁰⁰', 'limit', 1e300, {}, 'value'],
    ['NaN', 'limit', 'NaN', {}, 'value'],
    ['true as a limit', 'limit', true, {}, 'value'],
    ['an object as a limit', 'limit', { value: 1 }, {}, 'value'],
    ['a soft boolean', 'boolean', true, { soft: true }, 'soft'],
    ['a config times the quantity', 'config', 1, { timesQuantity: true }, 'timesQuantity'],
    ['a spend limit of a hard limit', 'limit', 1, { overageLimit: '1' }, 'overageLimit'],
    ['a negative spend limit', 'limit', 1, { soft: true, overageLimit: '-1' }, 'overageLimit'],
    ['a priority of a limit', 'limit', 1, { priority: 1 }, 'priority'],
    ['a priority of 101', 'config', 1, { priority: 101 }, 'priority'],
  ])('%s', async (_, kind, value, fields, path) => {
    const shop = await openFeatureShop(app);
    const feature = await shop.feature(kind);
    const plan = await shop.plan(20);
    expect(await shop.attach(plan, feature, value, fields)).toEqual({ reason: 'validation_failed', path });
  });

  it.each<[string, object, string, string]>([
    ['an empty key', { key: '' }, 'validation_failed', 'key'],
    ['a key with a slash', { key: 'a/b' }, 'validation_failed', 'key'],
    ['a long key', { key: 'k'.repeat(101) }, 'validation_failed', 'key'],
    ['a key of a prototype', { key: '__proto__' }, 'validation_failed', 'key'],
    ['an empty name', { name: ' ' }, 'validation_failed', 'name'],
    ['a meter of a boolean', { kind: 'boolean', meterId: 'mtr_none' }, 'validation_failed', 'meterId'],
    ['a meter that does not exist', { meterId: 'mtr_none' }, 'meter_not_found', 'undefined'],
  ])('a feature with %s', async (_, fields, reason, path) => {
    const shop = await openFeatureShop(app);
    const { body } = await shop.client.post(
      'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }',
      { input: { key: 'key', name: 'Name', kind: 'limit', ...fields } },
    );
    const { extensions } = body.errors[0];
    expect([extensions.reason, String(extensions.issues?.[0]?.path)]).toEqual([reason, path]);
  });

  it('the customers, products and features of another tenant', async () => {
    const [shop, other] = [await openLimit(app, '5'), await openLimit(app, '7')];
    expect(await shop.check(shop.feature, 1, { customerId: other.customer.id })).toEqual({
      reason: 'customer_not_found',
    });
    expect(await shop.check(other.feature)).toMatchObject({ reason: 'feature_not_found' });
    expect(await shop.attach(other.plan, shop.feature, 1)).toMatchObject({ reason: 'product_not_found' });
    expect(await shop.override(shop.feature, 1, { customerId: other.customer.id })).toMatchObject({
      reason: 'customer_not_found',
    });
    const { id } = await other.reserve(other.feature, 1);
    expect(await shop.settle(id, 1)).toEqual({ reason: 'reservation_not_found' });
    expect(await shop.release(id)).toEqual({ reason: 'reservation_not_found' });
    expect(await other.check(other.feature)).toMatchObject({ reserved: '1', remaining: '6' });
  });
});

it('answers by REST, flat', async () => {
  const shop = await openLimit(app, '5');
  const { id } = shop.customer;
  const one = await shop.client.rest('GET', `/customers/${id}/entitlements/${shop.feature}`, { amount: '6' });
  const shown = {
    feature: shop.feature,
    name: 'Feature',
    kind: 'limit',
    customerId: id,
    allowed: false,
    value: '5',
    limit: '5',
    used: '0',
    reserved: '0',
    remaining: '5',
    overage: '0',
    resetsAt: '2026-02-01T00:00:00.000Z',
    because: 'limit_reached',
  };
  expect([one.status, one.body]).toEqual([200, shown]);
  const all = await shop.client.rest('GET', `/customers/${id}/entitlements`, {});
  expect([all.status, all.body]).toEqual([200, { data: [{ ...shown, allowed: true, because: 'included' }] }]);
  const none = await shop.client.rest('GET', `/customers/${id}/entitlements/none`, {});
  expect([none.status, none.body.body.reason]).toEqual([404, 'feature_not_found']);
});

it('forgets what an erased or deleted customer had', async () => {
  for (const mutation of ['eraseCustomer', 'deleteCustomer']) {
    const shop = await openFeatureShop(app);
    const words = 'secret-of-ada';
    const config = await shop.feature('config');
    await shop.override(config, { domain: words });
    await shop.override(config, { domain: `${words}-2` });
    await graphql(shop, `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id: shop.customer.id });
    if (mutation === 'deleteCustomer')
      await graphql(shop, 'mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: shop.customer.id });
    const { committed } = app.service.store;
    const where = { tenantAlias: shop.alias };
    expect(await committed.select('entitlementOverrides', { where })).toEqual([]);
    const traces = await committed.select('traces', { where });
    expect(JSON.stringify(traces.map(({ payload }) => payload))).not.toContain(words);
  }
});
