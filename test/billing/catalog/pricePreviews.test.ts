import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
let shop: Client;
let pricingPage: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'previews', test: true });
  shop = await app.tenant({ alias: 'shop', test: true });
  const key = await createKey(app.service, { tenant: 'shop', kind: 'publishable', scope: 'read' });
  pricingPage = app.client(key.apiKey);
});
afterAll(() => app.close());

const document = `query ($price: CreatePriceInput!, $quantities: [Int!]!) {
  previewPrice(price: $price, quantities: $quantities) {
    quantity total { decimal currency } average { decimal }
  }
}`;
const usd = (decimal: string) => ({ details: { decimal, currency: 'USD' } });
const tiers = [
  { upTo: '5', unitAmount: '7' },
  { upTo: '10', unitAmount: '6.5' },
  { unitAmount: '6', flatAmount: '0.5' },
];

const quoted: [name: string, price: object, quotes: [number, total: string, average: string][]][] = [
  [
    'a flat price',
    usd('9.90'),
    [
      [1, '9.90', '9.90'],
      [3, '9.90', '3.30'],
    ],
  ],
  [
    'per unit, finer than a cent, rounded once',
    { ...usd('0.0025'), model: 'per_unit' },
    [
      [1, '0.00', '0.00'],
      [2, '0.01', '0.005'],
      [1000, '2.50', '0.0025'],
    ],
  ],
  [
    'packages, the last partly used',
    { ...usd('10'), model: 'package', packageSize: 3 },
    [
      [1, '10.00', '10.00'],
      [3, '10.00', '3.333333'],
      [4, '20.00', '5.00'],
    ],
  ],
  [
    'graduated tiers',
    { ...usd('0'), model: 'graduated', tiers },
    [
      [5, '35.00', '7.00'],
      [6, '41.50', '6.916667'],
      [11, '74.00', '6.727273'],
    ],
  ],
  [
    'volume tiers',
    { ...usd('0'), model: 'volume', tiers },
    [
      [5, '35.00', '7.00'],
      [6, '39.00', '6.50'],
      [11, '66.50', '6.045455'],
    ],
  ],
  ['no decimals', { details: { decimal: '5', currency: 'JPY' }, model: 'per_unit' }, [[3, '15', '5']]],
];

it.each(quoted)('quotes %s and creates nothing', async (_, price, quotes) => {
  const { previewPrice } = await client.graphql(document, {
    price,
    quantities: quotes.map(([count]) => count),
  });
  const expected = quotes.map(([quantity, total, average]) => ({
    quantity,
    total: expect.objectContaining({ decimal: total }),
    average: { decimal: average },
  }));
  expect(previewPrice).toEqual(expected);
  expect((await client.graphql('{ products { totalCount } }')).products.totalCount).toBe(0);
});

const refused: [name: string, price: object, quantities: number[], reason: string, path: string][] = [
  ['no quantity', usd('1'), [], 'validation_failed', 'quantities'],
  ['a quantity of 0', usd('1'), [1, 0], 'validation_failed', 'quantities.1'],
  ['a quantity above the largest', usd('1'), [1_000_000_001], 'validation_failed', 'quantities.0'],
  ['201 quantities', usd('1'), Array.from({ length: 201 }, () => 1), 'validation_failed', 'quantities'],
  [
    'an unknown currency',
    { details: { decimal: '1', currency: 'XXQ' } },
    [1],
    'currency_unsupported',
    'prices.0.details.currency',
  ],
  ['too many decimals', usd('1.001'), [1], 'amount_precision', 'prices.0.details.decimal'],
  [
    'tiers without an end',
    { ...usd('0'), model: 'volume', tiers: [{ upTo: '5', unitAmount: '1' }] },
    [1],
    'validation_failed',
    'prices.0.tiers.0.upTo',
  ],
];

it.each(refused)('refuses %s', async (_, price, quantities, reason, path) => {
  const { body } = await client.post(document, { price, quantities });
  expect(body.errors[0].extensions).toMatchObject({ reason, issues: [expect.objectContaining({ path })] });
});

const create = `mutation ($price: CreatePriceInput!) {
  createProduct(input: { name: "Pro", description: "", prices: [$price] }) { id prices { id } }
}`;
const quote = (quantity: number | string) =>
  `quote(quantity: ${quantity}) { quantity total { decimal currency } average { decimal } charges { quantity unitAmount flatAmount amount } }`;

it.each(quoted)('quotes %s to a pricing page once it exists', async (_, price, quotes) => {
  const { createProduct: product } = await shop.graphql(create, { price });
  const fields = quotes.map(([quantity], index) => `q${index}: ${quote(quantity)}`);
  const { product: shown } = await pricingPage.graphql(
    `query ($id: ID!) { product(id: $id) { prices { ${fields.join(' ')} } } }`,
    { id: product.id },
  );
  for (const [index, [quantity, total, average]] of quotes.entries()) {
    const { charges, ...figures } = shown.prices[0][`q${index}`];
    expect(figures).toEqual({
      quantity,
      total: expect.objectContaining({ decimal: total }),
      average: { decimal: average },
    });
    expect(charges.length).toBeGreaterThan(0);
    const sum = charges.reduce((all: number, { amount }: any) => all + Number(amount), 0);
    expect(Math.abs(sum - Number(total))).toBeLessThanOrEqual(0.005);
  }
});

it('shows what a quote is made of, with the decimals of the currency', async () => {
  const charges = async (price: object, quantity: number) => {
    const { createProduct: product } = await shop.graphql(create, { price });
    const ask = `query ($id: ID!) { price(id: $id) { ${quote(quantity)} } }`;
    return (await shop.graphql(ask, { id: product.prices[0].id })).price.quote.charges;
  };
  const one = { flatAmount: '0.00' };
  expect(await charges(usd('9.9'), 5)).toEqual([
    { ...one, quantity: '1', unitAmount: '9.90', amount: '9.90' },
  ]);
  expect(await charges({ ...usd('10'), model: 'package', packageSize: 3 }, 4)).toEqual([
    { ...one, quantity: '2', unitAmount: '10.00', amount: '20.00' },
  ]);
  expect(await charges({ ...usd('0'), model: 'graduated', tiers }, 11)).toEqual([
    { ...one, quantity: '5', unitAmount: '7.00', amount: '35.00' },
    { ...one, quantity: '5', unitAmount: '6.50', amount: '32.50' },
    { flatAmount: '0.50', quantity: '1', unitAmount: '6.00', amount: '6.50' },
  ]);
});

it.each(['0', '-1', '1000000001'])('refuses a quote of %s', async (quantity) => {
  const { createProduct: product } = await shop.graphql(create, { price: usd('1') });
  const { body } = await shop.post(`{ price(id: "${product.prices[0].id}") { ${quote(quantity)} } }`);
  expect(body.errors[0].extensions).toMatchObject({
    reason: 'validation_failed',
    issues: [{ path: 'quantity' }],
  });
});

it.each(['1.5', '2147483648', '"1"', 'null', '[1]'])(
  'refuses a document that asks for %s',
  async (quantity) => {
    const { body } = await shop.post(`{ price(id: "x") { ${quote(quantity)} } }`);
    expect(body.errors[0].extensions.reason).toBe('validation_failed');
  },
);
