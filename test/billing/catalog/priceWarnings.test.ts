/** Amounts that look like cents are accepted with a warning in the result. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';

const clock = stoppedClock('2026-03-01T00:00:00Z');
let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp({}, { clock });
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

const shown = 'id warnings { code message }';
const createProduct = `mutation ($prices: [CreatePriceInput!]!) {
  createProduct(input: { name: "Pro", description: "", prices: $prices }) { id prices { ${shown} } }
}`;
const createPrices = `mutation ($id: ID!, $prices: [CreatePriceInput!]!) {
  createPrices(input: { productId: $id, prices: $prices }) { ${shown} }
}`;

const price = (decimal: string, more: object = {}, currency = 'usd') => ({
  details: { decimal, currency },
  ...more,
});
const every = (frequency: string, period = 1) => ({ recurring: { frequency, period } });
const perUnit = { model: 'per_unit' };
const volume = (...unitAmounts: string[]) => ({
  model: 'volume',
  tiers: unitAmounts.map((unitAmount, n) => ({
    unitAmount,
    upTo: n < unitAmounts.length - 1 ? String(n + 1) : null,
  })),
});

/** The prices of the product, those that are added later, and which of each have a warning. */
const rows: [name: string, first: object[], later: object[], warned: (boolean | undefined)[]][] = [
  ['a lone price, of any amount', [price('2000')], [], [false]],
  ['100 times as much', [price('20')], [price('2000')], [false, true]],
  ['just less', [price('20')], [price('1999.99')], [false, false]],
  ['two at once, of which one is in cents', [price('2000'), price('20')], [], [true, false]],
  ['all in cents', [price('20')], [price('2000'), price('20000', every('Yearly'))], [false, true, true]],
  ['a year, with two months free', [price('20')], [price('20000', every('Yearly'))], [false, true]],
  ['a year for what it costs', [price('20')], [price('240', every('Yearly'))], [false, false]],
  [
    'three years after a day',
    [price('1', every('Daily'))],
    [price('1000', every('Yearly', 3))],
    [false, false],
  ],
  [
    '12 months are a year',
    [price('20', every('Monthly', 12))],
    [price('1999', every('Yearly'))],
    [false, false],
  ],
  ['some of the others', [price('20'), price('500')], [price('2000')], [false, false, false]],
  ['another currency', [price('20')], [price('3000', {}, 'jpy')], [false, false]],
  ['another model', [price('0.1', perUnit)], [price('49')], [false, false]],
  ['a free price', [price('0')], [price('2000')], [false, false]],
  ['units', [price('0.05', perUnit)], [price('5', perUnit)], [false, true]],
  ['tiers', [price('0', volume('7', '6'))], [price('0', volume('700', '600'))], [false, true]],
  ['the correct one after one in cents', [price('2000')], [price('20')], [true, false]],
];

it.each(rows)('%s', async (_, first, later, warned) => {
  const { createProduct: product } = await client.graphql(createProduct, { prices: first });
  clock.advance(1000);
  const added =
    later.length === 0
      ? []
      : (await client.graphql(createPrices, { id: product.id, prices: later })).createPrices;
  const { product: read } = await client.graphql(
    `query ($id: ID!) { product(id: $id) { prices { ${shown} } } }`,
    {
      id: product.id,
    },
  );
  const codes = read.prices.map(({ warnings }: any) => warnings.map(({ code }: any) => code));
  expect(codes).toEqual(warned.map((isWarned) => (isWarned ? ['amount_unusual'] : [])));
  const results = added.map(({ id }: any) => read.prices.find((each: any) => each.id === id));
  expect(added).toEqual(results);
});

it('says what was probably meant', async () => {
  const { createProduct: product } = await client.graphql(createProduct, {
    prices: [price('2000'), price('20')],
  });
  expect(product.prices[0].warnings).toEqual([
    {
      code: 'amount_unusual',
      message:
        "2000.00 USD is about 100 times what the product's other prices charge, or more. Amounts are in major units: " +
        'if 20.00 USD is meant, write it so.',
    },
  ]);
});

it('shows them for many prices at once', async () => {
  const hundred = Array.from({ length: 100 }, (_, n) => price(String(n + 1)));
  const { createProduct: product } = await client.graphql(createProduct, { prices: hundred });
  for (let more = 0; more < 2; more++)
    await client.graphql(createPrices, { id: product.id, prices: hundred });
  const { product: read } = await client.graphql(
    `query ($id: ID!) { product(id: $id) { prices { ${shown} } } }`,
    {
      id: product.id,
    },
  );
  expect(read.prices.flatMap(({ warnings }: any) => warnings)).toEqual([]);
  expect(read.prices).toHaveLength(300);
});
