import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'previews', test: true });
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
