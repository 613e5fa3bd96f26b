/** Products that are created with their group, at once or not at all. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

const create = `mutation ($input: CreateProductInput!) {
  createProduct(input: $input) { group { id name prorateUpgrades } prices { details { decimal currency } } } }`;
const prices = [{ details: { decimal: '29.90', currency: 'eur' } }];
const count = async () => {
  const { groups, products } = await client.graphql(
    '{ groups(first: 1) { totalCount } products(first: 1) { totalCount } }',
  );
  return [groups.totalCount, products.totalCount];
};

it('creates the product, its price and its group, each with a trace', async () => {
  const input = { name: 'Pro', description: '', prices, newGroup: { name: 'Plans', prorateUpgrades: true } };
  const { createProduct } = await client.graphql(create, { input });
  expect(createProduct).toEqual({
    group: { id: expect.stringMatching(/^grp_/), name: 'Plans', prorateUpgrades: true },
    prices: [{ details: { decimal: '29.90', currency: 'eur' } }],
  });
  const { traces } = await client.graphql('{ traces(order: ASC) { nodes { activityType traceId } } }');
  expect(traces.nodes.slice(-3).map(({ activityType }: any) => activityType)).toEqual([
    'GroupEvent',
    'ProductEvent',
    'PriceEvent',
  ]);
  expect(new Set(traces.nodes.slice(-3).map(({ traceId }: any) => traceId)).size).toBe(1);
});

it.each<[name: string, input: object, path: string]>([
  ['a group beside another', { groupId: 'grp_none', newGroup: { name: 'Plans' } }, 'newGroup'],
  ['a group without a name', { newGroup: { name: '' } }, 'newGroup.name'],
  ['a name too long', { newGroup: { name: 'x'.repeat(201) } }, 'newGroup.name'],
  [
    'metadata too large',
    { newGroup: { name: 'Plans', metadata: { k: 'x'.repeat(17_000) } } },
    'newGroup.metadata',
  ],
  [
    'an amount that is none',
    { newGroup: { name: 'Plans' }, prices: [{ details: { decimal: 'x', currency: 'eur' } }] },
    'input.prices.0.details.decimal',
  ],
])('refuses %s and creates nothing', async (_, input, path) => {
  const before = await count();
  const { body } = await client.post(create, { input: { name: 'Pro', description: '', prices, ...input } });
  expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed' });
  expect(body.errors[0].extensions.issues.map((issue: any) => issue.path)).toContain(path);
  expect(await count()).toEqual(before);
});

it('creates one group for each of 50 requests at the same time, and one for repeats of a request', async () => {
  const [groups, products] = (await count()) as [number, number];
  const input = { name: 'Pro', description: '', prices, newGroup: { name: 'Plans' } };
  await Promise.all(Array.from({ length: 50 }, () => client.graphql(create, { input })));
  for (let turn = 0; turn < 2; turn++)
    await client.graphql(create, { input }, { 'idempotency-key': 'product-with-group' });
  expect(await count()).toEqual([groups + 51, products + 51]);
});
