/** Catalogue files: what they plan, apply, and return, by real requests. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;
let count = 0;
let people = 0;
beforeAll(async () => {
  app = await startApp({ allowPrivateWebhooks: 'true' } as object);
});
beforeEach(async () => {
  client = await app.tenant({ alias: `tenant-${(count += 1)}`, test: true });
});
afterAll(() => app.close());

const planFields = 'hash unmanaged changes { action resource key path recordId changes subscribers }';
const plan = async (catalog: unknown, by = client) => {
  const { body } = await by.post(
    `query ($input: PlanCatalogInput!) { planCatalog(input: $input) { ${planFields} } }`,
    { input: { catalog } },
  );
  if (!body.errors) return body.data.planCatalog;
  const { reason, issues } = body.errors[0].extensions;
  return `${reason} ${(issues ?? []).map(({ path, message }: any) => `${path} ${message}`).join('; ')}`.trim();
};
const applyPlan = async (catalog: unknown, hash: string, by = client) => {
  const { body } = await by.post(
    `mutation ($input: ApplyCatalogInput!) { applyCatalog(input: $input) { ${planFields} } }`,
    { input: { catalog, hash } },
  );
  if (!body.errors) return body.data.applyCatalog;
  const { reason, issues } = body.errors[0].extensions;
  return `${reason} ${(issues ?? []).map(({ path }: any) => path).join()}`.trim();
};
const apply = async (catalog: unknown, by = client) => {
  const planned = await plan(catalog, by);
  if (typeof planned === 'string') return planned;
  const applied = await applyPlan(catalog, planned.hash, by);
  if (typeof applied === 'string') return applied;
  return applied.changes.map(({ action, resource, key }: any) => `${action} ${resource} ${key}`);
};
const pull = async (by = client) => (await by.graphql('{ catalog }')).catalog;
const describePlan = (planned: any) =>
  typeof planned === 'string'
    ? planned
    : planned.changes.map(({ action, resource, key }: any) => `${action} ${resource} ${key}`);

const usd = (amount: number) => ({ amount, currency: 'usd' });
const monthly = (amount: number, lookupKey = 'pro_monthly') => ({ lookupKey, details: usd(amount) });
const pro = (fields: object = {}) => ({ lookupKey: 'pro', name: 'Pro', ...fields });

/** A catalogue with everything that a file may have. */
const whole = {
  version: 1,
  groups: [{ name: 'Plans', prorateUpgrades: true, metadata: { a: 1 } }],
  meters: [
    { name: 'Calls', event: 'call', aggregation: 'count' },
    {
      name: 'Bytes',
      event: 'bytes',
      aggregation: 'sum',
      value: 'size',
      groupBy: ['region'],
      filter: [{ property: 'kind', values: ['a', 'b'] }],
      unitMultiplier: '0.001',
    },
  ],
  features: [
    { key: 'sso', name: 'Single sign-on', kind: 'boolean' },
    { key: 'calls', name: 'Calls', kind: 'limit', meter: 'Calls', alertPercents: [80, 100] },
    { key: 'tier', name: 'Tier', kind: 'config' },
    { key: 'old', name: 'Old', kind: 'boolean', archived: true },
  ],
  products: [
    {
      lookupKey: 'pro',
      name: 'Pro',
      description: 'For teams',
      group: 'Plans',
      metadata: { b: [1, { c: null }] },
      taxCode: 'saas',
      kind: 'electronic_service',
      features: ['Ten users', 'SSO'],
      highlighted: true,
      sortOrder: 2,
      expiresAt: '2099-01-01T00:00:00.000Z',
      prices: [
        { lookupKey: 'pro_monthly', details: usd(29), nickname: 'Monthly', trialDays: 14, setupFee: usd(5) },
        {
          lookupKey: 'pro_yearly',
          details: { amount: 290, currency: 'eur' },
          recurring: { frequency: 'Yearly', period: 1, executionDate: '2026-01-31T00:00:00.000Z' },
          taxBehavior: 'inclusive',
        },
        {
          lookupKey: 'pro_seats',
          details: { decimal: '0.005', currency: 'usd' },
          model: 'per_unit',
          minQuantity: 2,
          maxQuantity: 500,
        },
        { lookupKey: 'pro_package', details: usd(10), model: 'package', packageSize: 50 },
        {
          lookupKey: 'pro_tiers',
          details: usd(0),
          model: 'graduated',
          tiers: [
            { upTo: 10, unitAmount: 1 },
            { upTo: null, unitAmount: '0.5', flatAmount: '2' },
          ],
        },
        {
          lookupKey: 'pro_calls',
          details: { decimal: '0.01', currency: 'usd' },
          meter: 'Calls',
          includedUnits: 100,
          minimumSpend: usd(1),
          maximumSpend: usd(1000),
        },
        {
          lookupKey: 'pro_bytes',
          details: usd(0),
          meter: 'Bytes',
          rates: [
            { match: { region: 'eu' }, unitAmount: '0.02' },
            { match: {}, unitAmount: '0.01' },
          ],
        },
        {
          lookupKey: 'pro_share',
          details: usd(0),
          meter: 'Bytes',
          model: 'percentage',
          percentage: {
            percent: '1.5',
            fixedPerEvent: '0.1',
            freeEvents: 3,
            freeAmount: '10',
            minPerEvent: '0.2',
            maxPerEvent: '5',
          },
        },
        { lookupKey: 'pro_yen', details: { amount: 3000, currency: 'jpy' } },
      ],
      entitlements: [
        { feature: 'sso', value: true },
        { feature: 'calls', value: 1000, soft: true, overageLimit: 50, timesQuantity: true },
        { feature: 'tier', value: { level: [1] }, priority: 5 },
      ],
    },
    {
      lookupKey: 'free',
      name: 'Free',
      active: false,
      prices: [],
      entitlements: [{ feature: 'calls', value: null }],
    },
  ],
  coupons: [
    {
      lookupKey: 'spring',
      name: 'Spring',
      percentOff: '12.5',
      duration: 'repeating',
      durationInMonths: 3,
      products: ['pro'],
      maxRedemptions: 10,
      redeemBy: '2098-01-01T00:00:00.000Z',
      metadata: { x: 'y' },
    },
    { lookupKey: 'five', name: 'Five', amountOff: usd(5), duration: 'once', active: false },
  ],
  tax: {
    vatIdCheck: 'accept',
    taxCurrency: 'eur',
    rates: [
      { country: 'DE', percent: 19, name: 'MwSt.', effectiveFrom: '2026-01-01T00:00:00.000Z' },
      {
        country: 'US',
        region: 'CA',
        postalCode: '94',
        taxCode: 'saas',
        percent: '7.25',
        effectiveFrom: '2026-01-01T00:00:00.000Z',
      },
      { country: 'GB', category: 'Z', percent: '0', effectiveFrom: '2026-01-01T00:00:00.000Z' },
    ],
  },
  webhooks: [
    {
      url: 'https://shop.example/hooks',
      description: 'Shop',
      events: ['InvoiceEvent', 'SubscriptionEvent.created'],
    },
    { url: 'https://shop.example/off', active: false },
  ],
  mails: [{ kind: 'receipt', language: 'en', subject: 'Thank you', body: 'We received it.' }],
  portal: {
    pause: true,
    cancellation: 'both',
    products: ['pro'],
    retentionCoupon: 'spring',
    headline: 'Welcome',
  },
};

it('applies everything that a file may have, and then changes nothing', async () => {
  const planned = await plan(whole);
  expect(planned).toMatchObject({ unmanaged: 0 });
  expect(planned.changes.every(({ action }: any) => ['create', 'update'].includes(action))).toBe(true);
  const applied = await apply(whole);
  expect(applied).toEqual(describePlan(planned));
  expect(applied).toHaveLength(32);
  expect(describePlan(await plan(whole))).toEqual([]);
  expect(await apply(whole)).toEqual([]);
});

it('pulls what it applied: the plan of that is empty, and another tenant becomes the same', async () => {
  await apply(whole);
  const pulled = await pull();
  expect(JSON.stringify(pulled)).not.toMatch(/secret|whsec/);
  expect(describePlan(await plan(pulled))).toEqual([]);
  const other = await app.tenant({ alias: `other-${count}`, test: true });
  await apply(pulled, other);
  expect(await pull(other)).toEqual(pulled);
  expect(pulled).toMatchObject({
    products: [
      { lookupKey: 'pro', prices: { length: 9 } },
      { lookupKey: 'free', active: false },
    ],
  });
});

/** A subscriber of the price with this key. */
async function subscribe(priceId: string, productId = 'pro') {
  const { createCustomer } = await client.graphql(
    'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    {
      input: {
        email: 'a@shop.example',
        firstName: 'A',
        lastName: 'B',
        associatedId: `user-${(people += 1)}`,
      },
    },
  );
  const { createSubscriptionIntent } = await client.graphql(
    'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
    { input: { customerId: createCustomer.id, productId, priceId, receiptUrl: 'https://shop.example/' } },
  );
  const { confirmIntent } = await client.graphql(
    'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { subscription { id } } }',
    { id: createSubscriptionIntent.id },
  );
  return confirmIntent.subscription.id as string;
}
const showPrices = async () =>
  (
    await client.graphql(
      '{ product(id: "pro") { active prices { id active lookupKey details { amount } } } }',
    )
  ).product;

describe('a price', () => {
  const file = (amount: number, fields: object = {}) => ({
    products: [pro({ prices: [{ ...monthly(amount), ...fields }] })],
  });

  it('of another amount is a new one, and subscribers keep theirs', async () => {
    await apply(file(20));
    const [before] = (await showPrices()).prices;
    const id = await subscribe('pro_monthly');
    await subscribe('pro_monthly');
    const planned = await plan(file(25));
    expect(planned.changes).toEqual([
      {
        action: 'replace',
        resource: 'price',
        key: 'pro_monthly',
        path: 'products.0.prices.0',
        recordId: before.id,
        changes: { details: [usd(20), usd(25)] },
        subscribers: 2,
      },
    ]);
    expect(await apply(file(25))).toEqual(['replace price pro_monthly']);
    expect((await showPrices()).prices).toEqual([
      { id: before.id, active: false, lookupKey: null, details: { amount: 20 } },
      { id: expect.any(String), active: true, lookupKey: 'pro_monthly', details: { amount: 25 } },
    ]);
    const { subscription } = await client.graphql(
      'query ($id: ID!) { subscription(id: $id) { priceId price { details { amount } } } }',
      { id },
    );
    expect(subscription).toEqual({ priceId: before.id, price: { details: { amount: 20 } } });
    expect(await apply(file(25))).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['another nickname', { nickname: 'M' }, ['update price pro_monthly']],
    ['another interval', { recurring: { frequency: 'Yearly' } }, ['replace price pro_monthly']],
    ['the default interval', { recurring: { frequency: 'Monthly', period: 1, executionDate: null } }, []],
    ['the default model', { model: 'flat', taxBehavior: 'exclusive' }, []],
    ['the amount as text', { details: { decimal: '20.00', currency: 'USD' } }, []],
    ['a trial', { trialDays: 7 }, ['replace price pro_monthly']],
  ])('with %s', async (_, fields, expected) => {
    await apply(file(20));
    expect(await apply(file(20, fields))).toEqual(expected);
    expect(await apply(file(20, fields))).toEqual([]);
  });

  it('that is absent is archived, and comes back as it was', async () => {
    await apply(file(20));
    expect(await apply({ products: [pro({ prices: [] })] })).toEqual(['retire price pro_monthly']);
    expect((await showPrices()).prices).toEqual([
      expect.objectContaining({ active: false, lookupKey: 'pro_monthly' }),
    ]);
    expect(await apply({ products: [pro()] })).toEqual([]);
    expect(await apply(file(20))).toEqual(['restore price pro_monthly']);
    expect((await showPrices()).prices).toEqual([
      expect.objectContaining({ active: true, lookupKey: 'pro_monthly' }),
    ]);
  });

  it('moves to another product with its key', async () => {
    await apply(file(20));
    const moved = {
      products: [pro({ prices: [] }), { lookupKey: 'team', name: 'Team', prices: [monthly(20)] }],
    };
    expect(await apply(moved)).toEqual(['create product team', 'replace price pro_monthly']);
    expect(await apply(moved)).toEqual([]);
    const { price } = await client.graphql('{ price(id: "pro_monthly") { product { lookupKey } } }');
    expect(price.product.lookupKey).toBe('team');
  });
});

it('retires what is absent, and never what has no key', async () => {
  await apply({
    products: [pro({ prices: [monthly(20)] })],
    coupons: whole.coupons.slice(1),
    features: whole.features.slice(0, 1),
  });
  await subscribe('pro_monthly');
  const { createProduct } = await client.graphql(
    'mutation { createProduct(input: { name: "By hand", description: "", prices: [{ details: { amount: 1, currency: "usd" } }] }) { id prices { id } } }',
  );
  const planned = await plan({ products: [], coupons: [], features: [] });
  expect(planned).toMatchObject({
    unmanaged: 2,
    changes: [
      { action: 'retire', resource: 'feature', key: 'sso' },
      { action: 'retire', resource: 'product', key: 'pro', subscribers: 1 },
    ],
  });
  await apply({ products: [], coupons: [], features: [] });
  const { products, subscriptions } = await client.graphql(
    '{ products { nodes { id active } } subscriptions { nodes { status } } }',
  );
  expect(products.nodes).toContainEqual({ id: createProduct.id, active: true });
  expect(subscriptions.nodes).toEqual([{ status: 'active' }]);
  expect(await apply({ products: [], coupons: [], features: [] })).toEqual([]);
});

it('gives a key to a record that exists, by its id', async () => {
  const { createProduct } = await client.graphql(
    'mutation { createProduct(input: { name: "Pro", description: "", prices: [{ details: { amount: 20, currency: "usd" } }] }) { id prices { id } } }',
  );
  const pulled = await pull();
  expect(pulled.products).toMatchObject([
    { id: createProduct.id, prices: [{ id: createProduct.prices[0].id }] },
  ]);
  expect(describePlan(await plan(pulled))).toEqual([]);
  const adopted = {
    products: [pro({ id: createProduct.id, prices: [{ id: createProduct.prices[0].id, ...monthly(20) }] })],
  };
  expect(await apply(adopted)).toEqual(['update product pro', 'update price pro_monthly']);
  expect((await showPrices()).prices).toEqual([
    { id: createProduct.prices[0].id, active: true, lookupKey: 'pro_monthly', details: { amount: 20 } },
  ]);
  expect(await apply({ products: [pro({ prices: [monthly(20)] })] })).toEqual([]);
});

it('changes what a product has of features, and detaches with the next period', async () => {
  const file = (entitlements: object[]) => ({
    features: whole.features.slice(0, 1).concat({ key: 'seats', name: 'Seats', kind: 'limit' } as never),
    products: [pro({ entitlements, prices: [monthly(20)] })],
  });
  await apply(file([{ feature: 'seats', value: 5 }]));
  await subscribe('pro_monthly');
  expect((await plan(file([{ feature: 'seats', value: 10 }]))).changes).toMatchObject([
    {
      action: 'update',
      resource: 'entitlement',
      key: 'pro seats',
      changes: { value: ['5', '10'] },
      subscribers: 1,
    },
  ]);
  expect(await apply(file([{ feature: 'sso', value: true }]))).toEqual([
    'create entitlement pro sso',
    'retire entitlement pro seats',
  ]);
  expect(await apply(file([{ feature: 'sso', value: true }]))).toEqual([]);
  expect(await apply(file([{ feature: 'seats', value: null }]))).toEqual([
    'create entitlement pro seats',
    'retire entitlement pro sso',
  ]);
  expect(await apply(file([{ feature: 'seats', value: null }]))).toEqual([]);
});

it('replaces a coupon of other terms, also where the portal offers it', async () => {
  const file = (percentOff: number, name = 'Spring') => ({
    coupons: [{ lookupKey: 'spring', name, percentOff, duration: 'once' }],
    portal: { retentionCoupon: 'spring' },
  });
  await apply(file(10));
  expect(await apply(file(10, 'Easter'))).toEqual(['update coupon spring']);
  expect(await apply(file(20, 'Easter'))).toEqual(['replace coupon spring', 'update portal portal']);
  expect(await apply(file(20, 'Easter'))).toEqual([]);
  const { coupon, coupons, tenant } = await client.graphql(
    '{ coupon(id: "spring") { id } coupons { nodes { active lookupKey percentOff } } tenant { portal { retentionCouponId } } }',
  );
  expect(coupons.nodes).toEqual([
    { active: true, lookupKey: 'spring', percentOff: '20' },
    { active: false, lookupKey: null, percentOff: '10' },
  ]);
  expect(tenant.portal.retentionCouponId).toBe(coupon.id);
});

describe('refuses', () => {
  const price = monthly(20);
  const one = (fields: object) => ({ products: [pro({ prices: [{ ...price, ...fields }] })] });
  it.each<[string, unknown, string]>([
    ['an unknown section', { plans: [] }, 'validation_failed plans is not a known field'],
    [
      'an unknown field',
      { products: [pro({ colour: 'red' })] },
      'validation_failed products.0.colour is not a known field',
    ],
    [
      'an unknown field of a price',
      one({ price: 1 }),
      'validation_failed products.0.prices.0.price is not a known field',
    ],
    ['a wrong type', { products: [{ lookupKey: 'pro', name: 5 }] }, 'validation_failed products.0.name'],
    ['a list instead of an entry', { products: [[]] }, 'validation_failed products.0'],
    ['text instead of a list', { products: 'pro' }, 'validation_failed products'],
    ['null instead of a section', { coupons: null }, 'validation_failed coupons'],
    ['another version', { version: 2 }, 'validation_failed version'],
    [
      'an entry without a key',
      { products: [{ name: 'Pro' }] },
      'validation_failed products.0.lookupKey must be given',
    ],
    [
      'a key twice',
      { products: [pro(), pro()] },
      'validation_failed products.1.lookupKey is the same as products.0.lookupKey',
    ],
    [
      'the key of a price twice',
      { products: [pro({ prices: [price] }), { lookupKey: 'b', name: 'B', prices: [price] }] },
      'validation_failed products.1.prices.0.lookupKey is the same as products.0.prices.0.lookupKey',
    ],
    ['a bad key', { products: [pro({ lookupKey: 'a b' })] }, 'validation_failed products.0.lookupKey'],
    [
      'a key in the form of an id',
      one({ lookupKey: `price_${'0'.repeat(26)}` }),
      'validation_failed products.0.prices.0.lookupKey',
    ],
    ['a bad amount', one({ details: usd(-1) }), 'validation_failed products.0.prices.0.details.amount'],
    [
      'too many decimals',
      one({ details: usd(1.005) }),
      'amount_precision products.0.prices.0.details.amount',
    ],
    [
      'no currency',
      one({ details: { amount: 1, currency: 'xxx' } }),
      'currency_unsupported products.0.prices.0.details.currency',
    ],
    [
      'an unknown meter',
      one({ meter: 'Calls' }),
      'validation_failed products.0.prices.0.meter is not the name',
    ],
    [
      'an unknown group',
      { products: [pro({ group: 'Plans' })] },
      'validation_failed products.0.group is not the name',
    ],
    [
      'an unknown feature',
      { products: [pro({ entitlements: [{ feature: 'sso', value: true }] })] },
      'feature_not_found products.0.entitlements.0.feature',
    ],
    [
      'a wrong value of a feature',
      {
        features: whole.features,
        meters: whole.meters,
        products: [pro({ entitlements: [{ feature: 'sso', value: 'yes' }] })],
      },
      'validation_failed products.0.entitlements.0.value',
    ],
    [
      'an archived feature',
      {
        features: whole.features,
        meters: whole.meters,
        products: [pro({ entitlements: [{ feature: 'old', value: true }] })],
      },
      'validation_failed products.0.entitlements.0.feature is the key of an archived',
    ],
    [
      'an unknown product',
      { coupons: [{ ...whole.coupons[1], products: ['pro'] }] },
      'validation_failed coupons.0.products.0 is not the lookup key',
    ],
    [
      'a coupon of the past',
      { coupons: [{ ...whole.coupons[1], redeemBy: '2001-01-01' }] },
      'validation_failed coupons.0.redeemBy',
    ],
    [
      'a bad tax rate',
      { tax: { rates: [{ country: 'Q1', percent: 5 }] } },
      'validation_failed tax.rates.0.country',
    ],
    [
      'an address within the network',
      { webhooks: [{ url: 'ftp://shop.example' }] },
      'validation_failed webhooks.0.url',
    ],
    [
      'an unknown event',
      { webhooks: [{ url: 'https://shop.example/', events: ['Nothing'] }] },
      'validation_failed webhooks.0.events.0',
    ],
    [
      'a secret of a webhook',
      { webhooks: [{ url: 'https://shop.example/', secret: 'whsec_1' }] },
      'validation_failed webhooks.0.secret is not a known field',
    ],
    [
      'an unknown placeholder',
      { mails: [{ kind: 'receipt', language: 'en', subject: '{nothing}' }] },
      'validation_failed mails.0.subject',
    ],
    [
      'an unknown coupon of the portal',
      { portal: { retentionCoupon: 'x' } },
      'validation_failed portal.retentionCoupon',
    ],
    [
      'an unknown id',
      { products: [{ id: `prod_${'0'.repeat(26)}`, name: 'Pro' }] },
      'validation_failed products.0.id is not the id',
    ],
    [
      '__proto__',
      JSON.parse('{"products":[{"lookupKey":"pro","name":"Pro","__proto__":{"active":false}}]}'),
      'validation_failed products.0',
    ],
    [
      '501 products',
      { products: Array.from({ length: 501 }, (_, n) => ({ lookupKey: `p${n}`, name: 'P' })) },
      'validation_failed products must be at most 500',
    ],
  ])('%s', async (_, file, expected) => {
    const answer = await plan(file);
    expect(answer).toContain(expected);
    const hash = '0'.repeat(32);
    expect(await applyPlan(file, hash)).toContain(expected.split(' ').slice(0, 2).join(' ').trim());
    const { traces } = await client.graphql('{ traces { nodes { activityType } } }');
    expect(
      traces.nodes
        .map((each: any) => each.activityType)
        .filter((type: string) => !/Tenant|ApiKey/.test(type)),
    ).toEqual([]);
  });

  it('ids of another tenant', async () => {
    const other = await app.tenant({ alias: `foreign-${count}`, test: true });
    await apply({ products: [pro({ prices: [monthly(20)] })], coupons: whole.coupons.slice(1) }, other);
    const { products, coupons } = await other.graphql(
      '{ products { nodes { id prices { id } } } coupons { nodes { id } } }',
    );
    const [{ id, prices }] = products.nodes;
    expect(await plan({ products: [{ id, name: 'Pro' }] })).toContain('products.0.id');
    expect(await plan({ products: [pro({ prices: [{ id: prices[0].id, details: usd(1) }] })] })).toContain(
      'products.0.prices.0.id',
    );
    expect(await plan({ coupons: [{ ...whole.coupons[1], id: coupons.nodes[0].id }] })).toContain(
      'coupons.0.id',
    );
    expect(await plan({ coupons: [{ ...whole.coupons[1], products: [id] }] })).toContain(
      'coupons.0.products.0',
    );
    expect(await plan({ portal: { products: [id] } })).toContain('portal.products.0');
  });
});

describe('a plan', () => {
  const file = { products: [pro({ prices: [monthly(20)] })] };

  it('is applied once, also if fifty ask for it at once', async () => {
    const { hash } = await plan(file);
    const answers = await Promise.all(Array.from({ length: 50 }, () => applyPlan(file, hash)));
    expect(answers.filter((answer) => typeof answer !== 'string')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'catalog_changed')).toHaveLength(49);
    const { products } = await client.graphql('{ products { nodes { lookupKey } } }');
    expect(products.nodes).toHaveLength(1);
  });

  it('of another file, of another tenant or of before a change is refused', async () => {
    await apply(file);
    const changed = { products: [pro({ prices: [monthly(25)] })] };
    const { hash } = await plan(changed);
    expect(await applyPlan({ products: [pro({ prices: [monthly(2500)] })] }, hash)).toBe('catalog_changed');
    expect(await applyPlan(changed, 'x')).toBe('catalog_changed');
    const other = await app.tenant({ alias: `second-${count}`, test: true });
    await apply(file, other);
    expect(await applyPlan(changed, hash, other)).toBe('catalog_changed');
    await client.graphql(
      'mutation { archivePrice(id: "pro_monthly") { id } updateProduct(id: "pro", input: { name: "P" }) { id } }',
    );
    expect(await applyPlan(changed, hash)).toBe('catalog_changed');
  });

  it('whose last step fails changes nothing', async () => {
    await client.graphql(
      'mutation { createCoupon(input: { name: "A", percentOff: "5", duration: once, lookupKey: "a" }) { id } }',
    );
    // The key is that of a coupon, and the id of nothing; the group has two subscribers who cannot be in one group.
    const two = {
      groups: [{ name: 'G' }],
      products: [
        pro({ prices: [monthly(20)] }),
        { lookupKey: 'b', name: 'B', prices: [monthly(5, 'b_monthly')] },
      ],
    };
    await apply(two);
    const { createCustomer } = await client.graphql(
      'mutation { createCustomer(input: { email: "a@b.example", firstName: "A", lastName: "B", associatedId: "x" }) { id } }',
    );
    for (const [productId, priceId] of [
      ['pro', 'pro_monthly'],
      ['b', 'b_monthly'],
    ]) {
      const { createSubscriptionIntent } = await client.graphql(
        'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
        { input: { customerId: createCustomer.id, productId, priceId, receiptUrl: 'https://shop.example/' } },
      );
      await client.graphql(
        'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { subscription { id } } }',
        { id: createSubscriptionIntent.id },
      );
    }
    const before = await pull();
    const grouped = {
      ...two,
      products: two.products.map((each) => ({ ...each, name: 'Renamed', group: 'G' })),
    };
    const answer = await apply(grouped);
    expect(answer).toMatch(/^group_conflict products\.1/);
    expect(await pull()).toEqual(before);
  });
});

it.each<[string[], string, boolean]>([
  [['read'], 'products', false],
  [['read', 'manage_catalog'], 'products', true],
  [['read', 'manage_catalog'], 'rates', true],
  [['read', 'manage_catalog'], 'tax', false],
  [['read', 'manage_catalog'], 'portal', false],
  [['read', 'manage_catalog'], 'mails', false],
  [['read', 'manage_catalog'], 'webhooks', false],
  [['read', 'manage_catalog', 'manage_settings'], 'portal', true],
  [['read', 'manage_catalog', 'manage_webhooks'], 'webhooks', true],
  [['read', 'manage_settings', 'manage_webhooks'], 'products', false],
])('a key with %j may apply %s: %s', async (rights, section, isAllowed) => {
  const file = {
    products: { products: [pro()] },
    rates: { tax: { rates: [{ country: 'DE', percent: 19 }] } },
    tax: { tax: { taxCurrency: 'eur' } },
    portal: { portal: { pause: true } },
    mails: { mails: whole.mails },
    webhooks: { webhooks: whole.webhooks },
  }[section];
  const key = await app.key(`tenant-${count}`, rights as never);
  const { hash } = await plan(file, key);
  const answer = await applyPlan(file, hash, key);
  if (isAllowed) expect(answer).toMatchObject({ hash });
  else expect(answer).toMatch(/^permission_missing/);
});
