/** What pricing pages show of a product: its features, its emphasis and its place. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

const facts = 'id features highlighted sortOrder';
const create = `mutation ($input: CreateProductInput!) { createProduct(input: $input) { ${facts} } }`;
const update = `mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { ${facts} } }`;
const plain = { name: 'Pro', description: '' };
const none = { features: [], highlighted: false, sortOrder: null };
const twenty = Array.from({ length: 20 }, (_, n) => `Feature ${n}`);

it.each<[string, object, object]>([
  ['nothing', {}, none],
  ['nothing, named', { features: [], highlighted: false, sortOrder: null }, none],
  ['null', { features: null, highlighted: null, sortOrder: null }, none],
  [
    'everything',
    { features: ['10 users', '۱۰ کاربر', 'Émojis 🚀'], highlighted: true, sortOrder: 0 },
    { features: ['10 users', '۱۰ کاربر', 'Émojis 🚀'], highlighted: true, sortOrder: 0 },
  ],
  [
    'the most',
    { features: twenty, sortOrder: 1_000_000 },
    { ...none, features: twenty, sortOrder: 1_000_000 },
  ],
  ['the longest', { features: ['x'.repeat(200)] }, { ...none, features: ['x'.repeat(200)] }],
])('a product has %s', async (_, input, shown) => {
  const { createProduct } = await client.graphql(create, { input: { ...plain, ...input } });
  expect(createProduct).toEqual({ id: expect.any(String), ...shown });
  const { createProduct: other } = await client.graphql(create, { input: plain });
  const { updateProduct } = await client.graphql(update, { id: other.id, input });
  expect(updateProduct).toEqual({ id: other.id, ...shown });
  const { products } = await client.graphql(`{ products(first: 2) { nodes { ${facts} } } }`);
  expect(products.nodes).toEqual([updateProduct, createProduct]);
  const emptied = await client.graphql(update, {
    id: other.id,
    input: { features: null, highlighted: null, sortOrder: null },
  });
  expect(emptied.updateProduct).toEqual({ id: other.id, ...none });
});

it.each<[string, object, string]>([
  ['21 features', { features: [...twenty, 'one more'] }, 'features'],
  ['an empty feature', { features: ['a', ''] }, 'features.1'],
  ['a long feature', { features: ['x'.repeat(201)] }, 'features.0'],
  ['a control character', { features: ['a\u0007b'] }, 'features.0'],
  ['a line break', { features: ['a\nb'] }, 'features.0'],
  ['half a surrogate pair', { features: ['\ud800'] }, 'features.0'],
  ['a null character', { features: ['a\u0000'] }, 'features.0'],
  ['a negative place', { sortOrder: -1 }, 'sortOrder'],
  ['a place beyond the last', { sortOrder: 1_000_001 }, 'sortOrder'],
  ['a fraction', { sortOrder: 1.5 }, 'sortOrder'],
  ['text for a number', { sortOrder: '1' }, 'sortOrder'],
  ['a number beyond 32 bits', { sortOrder: 2 ** 31 }, 'sortOrder'],
  ['text for a switch', { highlighted: 'true' }, 'highlighted'],
  ['a list within the list', { features: [['a']] }, 'features'],
  ['null in the list', { features: [null] }, 'features'],
  ['an object', { features: { a: 1 } }, 'features'],
])('refuses %s', async (_, input, path) => {
  const { createProduct } = await client.graphql(create, { input: plain });
  for (const [document, variables] of [
    [create, { input: { ...plain, ...input } }],
    [update, { id: createProduct.id, input }],
  ] as const) {
    const { status, body } = await client.post(document, variables);
    expect(status).toBeLessThan(500);
    const { reason, issues } = body.errors[0].extensions;
    expect(reason).toBe('validation_failed');
    expect(issues.map((issue: any) => issue.path).join(' ')).toContain(path);
  }
});

it('refuses very many features without reading them all', async () => {
  const { body } = await client.post(create, {
    input: { ...plain, features: Array.from({ length: 100_000 }, () => 'a') },
  });
  expect(body.errors[0].extensions.reason).toBe('validation_failed');
});

it('shows them in traces where they are set, and goes into a tenant file', async () => {
  const { createProduct } = await client.graphql(create, {
    input: { ...plain, features: ['a'], highlighted: true, sortOrder: 3 },
  });
  await client.graphql(update, { id: createProduct.id, input: { features: ['b'], highlighted: false } });
  const { traces } = await client.graphql(
    '{ traces(activityType: ProductEvent, first: 2, order: ASC) { nodes { payload } } }',
  );
  expect(traces.nodes[0].payload.object).not.toHaveProperty('features');
  const latest = (
    await client.graphql('{ traces(activityType: ProductEvent, first: 2) { nodes { payload } } }')
  ).traces.nodes;
  expect(latest[1].payload.object).toMatchObject({ features: ['a'], highlighted: true, sortOrder: 3 });
  expect(latest[0].payload.changes).toMatchObject({ features: [['a'], ['b']], highlighted: [true, null] });
});
