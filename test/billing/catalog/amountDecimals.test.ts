/** Amounts are shown with the decimals of their currency, and with more where a price is finer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

const create = `mutation ($prices: [CreatePriceInput!]!) {
  createProduct(input: { name: "Pro", description: "", prices: $prices }) { prices { id } }
}`;
const priceFields = 'details { amount decimal } tiers { unitAmount flatAmount }';

/** Creates prices of all models, as tiers cost `unit`; answers the first as GraphQL shows them. */
async function show(currency: string, unit: string) {
  const details = { decimal: unit, currency };
  const tiers = [{ unitAmount: unit, flatAmount: '3' }];
  const prices = [
    { model: 'package', packageSize: 10, details },
    { model: 'per_unit', details },
    { model: 'volume', details: { currency }, tiers },
  ];
  const { createProduct } = await client.graphql(create, { prices });
  const ids = createProduct.prices.map(({ id }: { id: string }) => id);
  const query = `query ($id: ID!) { price(id: $id) { ${priceFields} } }`;
  return Promise.all(ids.map(async (id: string) => (await client.graphql(query, { id })).price));
}

it.each([
  ['usd', '10', '10.00', '3.00'],
  ['usd', '49.5', '49.50', '3.00'],
  ['usd', '0.000375', '0.000375', '3.00'],
  ['jpy', '10', '10', '3'],
  ['jpy', '0.5', '0.5', '3'],
  ['kwd', '10', '10.000', '3.000'],
])('a unit of %s that costs %s', async (currency, unit, shown, flatAmount) => {
  const ofUnit = { details: { amount: Number(unit), decimal: shown }, tiers: [] };
  const ofTiers = { unitAmount: shown, flatAmount };
  expect(await show(currency, unit)).toEqual([ofUnit, ofUnit, { ...ofUnit, tiers: [ofTiers] }]);
});

it('a price that an earlier release stored with fewer', async () => {
  const details = { decimal: '10', currency: 'kwd' };
  const prices = [{ model: 'package', packageSize: 10, details }];
  const { id } = (await client.graphql(create, { prices })).createProduct.prices[0];
  const pricing = { model: 'package' as const, unitAmount: '10', packageSize: 10 };
  await app.service.store.transact('acme', (queries) =>
    queries.update('prices', { tenantAlias: 'acme', id }, { pricing }),
  );
  const { price } = await client.graphql(`{ price(id: "${id}") { ${priceFields} } }`);
  expect(price.details.decimal).toBe('10.000');
});
