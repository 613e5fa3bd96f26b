import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop, type Shop } from '../../support/shop.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
let productId: string;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'models', test: true });
  shop = createShop(client, 'models');
  productId = (await shop.product()).product.id;
});
afterAll(() => app.close());

const fields = `id model tiers { upTo unitAmount flatAmount } packageSize minQuantity maxQuantity nickname
  details { amount decimal currency }`;
const createDocument = `mutation ($productId: ID!, $prices: [CreatePriceInput!]!) {
  createPrices(input: { productId: $productId, prices: $prices }) { ${fields} }
}`;
const usd = (amount: object = { amount: 0 }) => ({ details: { currency: 'USD', ...amount } });
const create = async (...prices: object[]): Promise<any[]> =>
  (await client.graphql(createDocument, { productId, prices })).createPrices;

const noModel = { tiers: [], packageSize: null, minQuantity: null, maxQuantity: null, nickname: null };
const seats = [
  { upTo: '5', unitAmount: '7' },
  { upTo: 10, unitAmount: 6.5 },
  { unitAmount: '6', flatAmount: '0.5' },
];
const seatsRead = [
  { upTo: '5', unitAmount: '7.00', flatAmount: '0.00' },
  { upTo: '10', unitAmount: '6.50', flatAmount: '0.00' },
  { upTo: null, unitAmount: '6.00', flatAmount: '0.50' },
];
const zero = { amount: 0, decimal: '0.00', currency: 'usd' };
const firstTier = { amount: 7, decimal: '7.00', currency: 'usd' };

const accepted: [name: string, input: object, read: object][] = [
  [
    'flat, as always',
    usd({ amount: 9.9 }),
    { model: 'flat', details: { amount: 9.9, decimal: '9.90', currency: 'usd' } },
  ],
  [
    'flat, by a decimal',
    usd({ decimal: '9.90' }),
    { model: 'flat', details: { amount: 9.9, decimal: '9.90', currency: 'usd' } },
  ],
  [
    'a decimal of more digits than a double holds',
    usd({ decimal: '1234567890123456.78' }),
    { details: { amount: 1234567890123456.8, decimal: '1234567890123456.78', currency: 'usd' } },
  ],
  [
    'per unit',
    { ...usd({ amount: 9.99 }), model: 'per_unit', nickname: 'seats' },
    { model: 'per_unit', nickname: 'seats', details: { amount: 9.99, decimal: '9.99', currency: 'usd' } },
  ],
  [
    'finer than the currency',
    { ...usd({ decimal: '0.000375' }), model: 'per_unit' },
    { model: 'per_unit', details: { amount: 0.000375, decimal: '0.000375', currency: 'usd' } },
  ],
  [
    'package',
    { ...usd({ amount: 10 }), model: 'package', packageSize: 5 },
    { model: 'package', packageSize: 5, details: { amount: 10, decimal: '10.00', currency: 'usd' } },
  ],
  [
    'graduated',
    { ...usd(), model: 'graduated', tiers: seats, minQuantity: 2, maxQuantity: 50 },
    { model: 'graduated', tiers: seatsRead, minQuantity: 2, maxQuantity: 50, details: firstTier },
  ],
  [
    'volume',
    { ...usd(), model: 'volume', tiers: seats },
    { model: 'volume', tiers: seatsRead, details: firstTier },
  ],
  [
    'volume, with the details that it is read with',
    { ...usd({ decimal: '7.00' }), model: 'volume', tiers: seats },
    { model: 'volume', tiers: seatsRead, details: firstTier },
  ],
  [
    'of the largest amount in a tier',
    {
      ...usd(),
      model: 'volume',
      tiers: [{ upTo: '5.0', unitAmount: '10000000000000000' }, { flatAmount: '1' }],
    },
    {
      tiers: [
        { upTo: '5', unitAmount: '10000000000000000.00', flatAmount: '0.00' },
        { upTo: null, unitAmount: '0.00', flatAmount: '1.00' },
      ],
      details: { amount: 1e16, decimal: '10000000000000000.00', currency: 'usd' },
    },
  ],
  [
    'one tier',
    { ...usd(), model: 'volume', tiers: [{ flatAmount: '100' }] },
    { tiers: [{ upTo: null, unitAmount: '0.00', flatAmount: '100.00' }], details: zero },
  ],
];

describe('a price', () => {
  test.each(accepted)('%s', async (_name, input, read) => {
    const [price] = await create(input);
    expect(price).toMatchObject({ ...noModel, ...read });
    const again = await client.graphql(`query ($id: ID!) { price(id: $id) { ${fields} } }`, { id: price.id });
    expect(again.price).toEqual(price);
  });

  it('is the same over REST, where a flat one has the fields of the interface alone', async () => {
    const prices = [
      usd({ amount: 5 }),
      { ...usd({ decimal: '0.05' }), model: 'per_unit' },
      { ...usd(), model: 'graduated', tiers: seats },
    ];
    const { status, body } = await client.rest('POST', `/products/${productId}/prices`, {
      tenantAlias: 'models',
      prices,
    });
    expect(status).toBe(201);
    const interfaceFields = ['id', 'productId', 'createdAt', 'updatedAt', 'recurring', 'details'];
    expect(Object.keys(body[0])).toEqual(interfaceFields);
    expect(body[0].details).toEqual({ amount: 5, currency: 'usd' });
    expect(body[1]).toMatchObject({ model: 'per_unit', details: { amount: 0.05, currency: 'usd' } });
    expect(body[2]).toMatchObject({ model: 'graduated', tiers: seatsRead });
    for (const price of body) {
      const one = await client.rest('GET', `/products/${productId}/prices/${price.id}`, {
        tenantAlias: 'models',
      });
      expect(one.body).toEqual(price);
    }
  });

  it('shows its model in its trace', async () => {
    await create({ ...usd({ decimal: '0.000375' }), model: 'per_unit', minQuantity: 10 });
    const { traces } = await client.graphql('{ traces(first: 1) { nodes { activityType payload } } }');
    const [{ activityType, payload }] = traces.nodes;
    expect(activityType).toBe('PriceEvent');
    expect(payload.object).toMatchObject({
      details: { amount: 0.000375, currency: 'usd' },
      model: 'per_unit',
      unitAmount: '0.000375',
      minQuantity: 10,
    });
  });

  it('keeps its model when its amount changes', async () => {
    const [unit, tiered] = await create(
      { ...usd({ amount: 2 }), model: 'per_unit' },
      { ...usd(), model: 'volume', tiers: seats },
    );
    const change = `mutation ($id: ID!, $input: UpdatePriceInput!) {
      updatePrice(id: $id, input: $input) { ${fields} }
    }`;
    const { updatePrice } = await client.graphql(change, {
      id: unit.id,
      input: { details: { decimal: '0.0025' } },
    });
    expect(updatePrice).toMatchObject({ model: 'per_unit', details: { decimal: '0.0025', currency: 'usd' } });
    const refused = await client.post(change, { id: tiered.id, input: { details: { amount: 1 } } });
    expect(refused.body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'details' }],
    });
  });
});

const graduated = (tiers: unknown, others: object = {}) => ({
  ...usd(),
  model: 'graduated',
  tiers,
  ...others,
});
const refused: [name: string, input: object, reason: string, ...paths: string[]][] = [
  ['both forms of an amount', usd({ amount: 1, decimal: '1' }), 'validation_failed', 'details.decimal'],
  ['no amount', usd({}), 'validation_failed', 'details'],
  ['a negative decimal', usd({ decimal: '-1' }), 'validation_failed', 'details.decimal'],
  [
    'a flat decimal finer than the currency',
    usd({ decimal: '0.001' }),
    'amount_precision',
    'details.decimal',
  ],
  [
    'a unit amount finer than the currency as a number',
    { ...usd({ amount: 0.001 }), model: 'per_unit' },
    'amount_precision',
    'details.amount',
  ],
  [
    'a decimal over 10^18 minor units',
    usd({ decimal: '999999999999999999' }),
    'validation_failed',
    'details.decimal',
  ],
  ['tiers without any', graduated([]), 'validation_failed', 'tiers'],
  ['tiers left out', graduated(null), 'validation_failed', 'tiers'],
  ['no last tier', graduated([{ upTo: 5, unitAmount: 1 }]), 'validation_failed', 'tiers.0.upTo'],
  [
    'an end in the middle',
    graduated([{ unitAmount: 1 }, { unitAmount: 2 }]),
    'validation_failed',
    'tiers.0.upTo',
  ],
  [
    'tiers that overlap',
    graduated([{ upTo: 5, unitAmount: 1 }, { upTo: 5, unitAmount: 2 }, { unitAmount: 1 }]),
    'validation_failed',
    'tiers.1.upTo',
  ],
  [
    'tiers that descend',
    graduated([{ upTo: 5, unitAmount: 1 }, { upTo: '4', unitAmount: 2 }, { unitAmount: 1 }]),
    'validation_failed',
    'tiers.1.upTo',
  ],
  [
    'a first tier of nothing',
    graduated([{ upTo: 0, unitAmount: 1 }, { unitAmount: 1 }]),
    'validation_failed',
    'tiers.0.upTo',
  ],
  [
    'a tier that ends within a unit',
    graduated([{ upTo: '1.5', unitAmount: 1 }, { unitAmount: 1 }]),
    'validation_failed',
    'tiers.0.upTo',
  ],
  [
    'tiers whose amounts exceed the largest',
    graduated([{ upTo: 5, unitAmount: '10000000000000000.01' }, { flatAmount: '99999999999999999' }]),
    'validation_failed',
    'tiers.0.unitAmount',
    'tiers.1.flatAmount',
  ],
  [
    'a unit amount that exceeds the largest',
    { ...usd({ decimal: '10000000000000000.01' }), model: 'per_unit' },
    'validation_failed',
    'details.decimal',
  ],
  ['a tier without an amount', graduated([{}]), 'validation_failed', 'tiers.0.unitAmount'],
  ['a negative tier', graduated([{ unitAmount: '-1' }]), 'validation_failed', 'tiers.0.unitAmount'],
  [
    'two faults of one tier',
    graduated([{ unitAmount: '-1', flatAmount: '-2' }]),
    'validation_failed',
    'tiers.0.unitAmount',
    'tiers.0.flatAmount',
  ],
  [
    'a tiered price with an amount',
    graduated(seats, usd({ amount: 1 })),
    'validation_failed',
    'details.amount',
  ],
  ['tiers of a flat price', { ...usd({ amount: 1 }), tiers: seats }, 'validation_failed', 'tiers'],
  [
    'a package without its size',
    { ...usd({ amount: 1 }), model: 'package' },
    'validation_failed',
    'packageSize',
  ],
  [
    'a package of nothing',
    { ...usd({ amount: 1 }), model: 'package', packageSize: 0 },
    'validation_failed',
    'packageSize',
  ],
  [
    'the size of a package per unit',
    { ...usd({ amount: 1 }), model: 'per_unit', packageSize: 2 },
    'validation_failed',
    'packageSize',
  ],
  ['bounds of a flat price', { ...usd({ amount: 1 }), maxQuantity: 2 }, 'validation_failed', 'maxQuantity'],
  [
    'bounds that cross',
    { ...usd({ amount: 1 }), model: 'per_unit', minQuantity: 3, maxQuantity: 2 },
    'validation_failed',
    'maxQuantity',
  ],
  [
    'a least quantity of 0',
    { ...usd({ amount: 1 }), model: 'per_unit', minQuantity: 0 },
    'validation_failed',
    'minQuantity',
  ],
  [
    'an unknown currency',
    { ...usd({ amount: 1 }), model: 'per_unit', details: { currency: 'zzz', amount: 1 } },
    'currency_unsupported',
    'details.currency',
  ],
];
/** Values that the types of GraphQL do not let in. */
const mistyped: [name: string, input: object][] = [
  ['an unknown model', { ...usd({ amount: 1 }), model: 'per_seat' }],
  ['a decimal with an exponent', usd({ decimal: '1e3' })],
  ['a decimal of 13 decimals', usd({ decimal: '0.0000000000001' })],
  ['a decimal of 19 digits', usd({ decimal: '1234567890123456789' })],
  ['a decimal in Arabic digits', usd({ decimal: '١٢' })],
  ['a decimal that is none', usd({ decimal: {} })],
  ['a package of a fraction', { ...usd({ amount: 1 }), model: 'package', packageSize: 1.5 }],
  ['a package beyond 2^31', { ...usd({ amount: 1 }), model: 'package', packageSize: 10 ** 12 }],
  ['tiers that are text', graduated('5')],
];

describe('a price is refused, and nothing is kept, for', () => {
  const attempt = async (input: object) => {
    const before = await app.backdoor.dump();
    const overGraphql = await client.post(createDocument, { productId, prices: [usd({ amount: 1 }), input] });
    const path = `/products/${productId}/prices`;
    const overRest = await client.rest('POST', path, {
      tenantAlias: 'models',
      prices: [usd({ amount: 1 }), input],
    });
    expect(await app.backdoor.dump()).toBe(before);
    const graphqlError = overGraphql.body.errors[0].extensions;
    expect(overRest.body.body.reason).toBe(graphqlError.reason);
    return {
      reason: graphqlError.reason,
      paths: graphqlError.issues.map(({ path: at }: any) => at),
      status: overRest.status,
    };
  };

  test.each(refused)('%s', async (_name, input, reason, ...paths) => {
    const wanted = paths.map((path) => `prices.1.${path}`);
    expect(await attempt(input)).toMatchObject({ reason, paths: wanted, status: 400 });
  });

  test.each(mistyped)('%s', async (_name, input) => {
    const { reason, status, paths } = await attempt(input);
    expect([reason, status]).toEqual(['validation_failed', 400]);
    expect(paths[0]).toMatch(/^prices/);
  });

  it('101 tiers', async () => {
    const tiers = Array.from({ length: 101 }, (_, n) => ({ upTo: n === 100 ? null : n + 1, unitAmount: 1 }));
    expect(await attempt(graduated(tiers))).toMatchObject({ reason: 'validation_failed', status: 400 });
  });
});
