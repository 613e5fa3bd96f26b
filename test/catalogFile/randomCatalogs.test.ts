/** Random catalogues: what is applied is pulled again, its plan is empty, and so is that of the file that was applied. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { sampledRuns } from '../support/sample.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
});
afterAll(() => app.close());

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const name = fc.stringMatching(/^[A-Za-zÄé٣愛][A-Za-z Äé٣愛0-9.'-]{0,20}[A-Za-z]$/);
const cents = fc.integer({ min: 0, max: 10_000_000 });
const currency = fc.constantFrom('usd', 'eur', 'jpy', 'kwd');
const decimals: Record<string, number> = { usd: 2, eur: 2, jpy: 0, kwd: 3 };
const money = fc.tuple(cents, currency).map(([minor, code]) => ({
  amount: Number((minor / 10 ** decimals[code]!).toFixed(decimals[code])),
  currency: code,
}));
const unit = fc.integer({ min: 1, max: 999_999 }).map((digits) => `0.${String(digits).padStart(6, '0')}`);

const model = fc.oneof(
  money.map((details) => ({ details })),
  unit.map((decimal) => ({
    details: { decimal, currency: 'usd' },
    model: 'per_unit',
    minQuantity: 2,
    maxQuantity: 9,
  })),
  fc
    .integer({ min: 2, max: 50 })
    .map((packageSize) => ({ details: { amount: 5, currency: 'eur' }, model: 'package', packageSize })),
  fc
    .tuple(
      fc.constantFrom('graduated', 'volume'),
      fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 4 }),
    )
    .map(([kind, ends]) => ({
      details: { amount: 0, currency: 'usd' },
      model: kind,
      tiers: [...ends.toSorted((a, b) => a - b), null].map((upTo, n) => ({
        upTo,
        unitAmount: `${10 - n}.5`,
        ...(n % 2 && { flatAmount: n }),
      })),
    })),
  fc
    .record({ includedUnits: maybe(fc.integer({ min: 1, max: 100 })), decimal: unit })
    .map(({ decimal, includedUnits }) => ({
      details: { decimal, currency: 'usd' },
      meter: 'Calls',
      ...(includedUnits !== undefined && { includedUnits }),
    })),
);
const interval = fc.record({
  frequency: fc.constantFrom('Daily', 'Weekly', 'Monthly', 'Yearly'),
  period: fc.integer({ min: 1, max: 3 }),
});
const price = fc
  .tuple(model, maybe(interval), maybe(fc.integer({ min: 1, max: 30 })), maybe(name), fc.boolean())
  .map(([terms, recurring, trialDays, nickname, isInclusive]) => ({
    ...terms,
    ...(recurring && { recurring }),
    ...(trialDays && !('meter' in terms) && { trialDays }),
    ...(nickname && { nickname }),
    ...(isInclusive && { taxBehavior: 'inclusive' }),
  }));
const entitlements = fc.subarray([
  { feature: 'sso', value: true },
  { feature: 'seats', value: 5, soft: true },
  { feature: 'tier', value: { a: [1, null] }, priority: 3 },
]);
const product = fc.record(
  {
    name,
    description: name,
    active: fc.boolean(),
    group: fc.constantFrom('Plans', null),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(name, fc.boolean(), fc.integer()), {
      maxKeys: 3,
    }),
    features: fc.array(name, { maxLength: 3 }),
    highlighted: fc.boolean(),
    sortOrder: fc.integer({ min: 0, max: 99 }),
    kind: fc.constantFrom('goods', 'service', null),
    prices: fc.array(price, { maxLength: 4 }),
    entitlements,
  },
  { requiredKeys: ['name'] },
);
const coupon = fc
  .tuple(
    name,
    fc.integer({ min: 1, max: 100 }),
    fc.constantFrom('once', 'forever'),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([title, percentOff, duration, active, isOfFirst]) => ({
    name: title,
    percentOff,
    duration,
    active,
    ...(isOfFirst && { products: ['p0'] }),
  }));

const catalog = fc
  .record({
    products: fc.array(product, { minLength: 1, maxLength: 4 }),
    coupons: fc.array(coupon, { maxLength: 3 }),
    pause: fc.boolean(),
  })
  .map(({ products, coupons, pause }) => ({
    groups: [{ name: 'Plans' }],
    meters: [{ name: 'Calls', event: 'call', aggregation: 'count' }],
    features: [
      { key: 'sso', name: 'SSO', kind: 'boolean' },
      { key: 'seats', name: 'Seats', kind: 'limit' },
      { key: 'tier', name: 'Tier', kind: 'config' },
    ],
    products: products.map((each, n) => ({
      lookupKey: `p${n}`,
      ...each,
      ...(each.prices && { prices: each.prices.map((own, m) => ({ lookupKey: `p${n}_${m}`, ...own })) }),
    })),
    coupons: coupons.map((each, n) => ({ lookupKey: `c${n}`, ...each })),
    portal: { pause },
  }));

const apply = async (file: unknown): Promise<unknown[]> => {
  const { applyCatalog } = await client.graphql(
    'mutation ($input: ApplyCatalogInput!) { applyCatalog(input: $input) { changes { action resource key changes } } }',
    { input: { catalog: file } },
  );
  return applyCatalog.changes;
};

it('random catalogues, one after another in a tenant', async () => {
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(catalog, async (file) => {
      changed += (await apply(file)).length;
      expect(await apply(file)).toEqual([]);
      const { catalog: pulled } = await client.graphql('{ catalog }');
      expect(await apply(pulled)).toEqual([]);
      expect(await apply(file)).toEqual([]);
    }),
    { numRuns: sampledRuns(100, 5), seed: 1 },
  );
  expect(changed).toBeGreaterThan(10);
});
