import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;

const groups = 3;
const productsPerGroup = 4;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  for (let index = 0; index < groups; index++) {
    const group = await shop.group();
    for (let product = 0; product < productsPerGroup; product++) {
      const { price } = await shop.product({ groupId: group.id, amount: 10 + product });
      if (product === 0) await shop.subscribe(await shop.customer(), price);
    }
  }
});
afterAll(() => app.close());

/** The tables that an operation read, one entry for each query; the look-ups of the key, which is known for a while, aside. */
async function tablesRead(document: string, variables?: Record<string, unknown>) {
  const select = vi.spyOn(app.service.store.committed, 'select');
  try {
    const data = await client.graphql(document, variables);
    const tables = select.mock.calls.map(([table]) => table).filter((table) => !ofKeys.has(table));
    return { data, tables };
  } finally {
    select.mockRestore();
  }
}

const ofKeys = new Set<string>(['apiKeys', 'tenants']);

const rows: [name: string, document: string, tables: string[]][] = [
  ['a list alone', '{ products { nodes { id name } } }', ['products']],
  [
    'a list with its page',
    '{ groups { edges { cursor node { id } } nextCursor pageInfo { hasNextPage } } }',
    ['groups'],
  ],
  [
    'groups with their products and prices',
    '{ groups { nodes { products { id prices { id } } } } }',
    ['groups', 'products', 'prices'],
  ],
  [
    'products with their groups',
    '{ products(first: 100) { nodes { id group { name } } } }',
    ['products', 'groups'],
  ],
  [
    'products with their groups and the products of those',
    '{ products(first: 100) { nodes { group { products { group { id } prices { id } } } } } }',
    ['products', 'groups', 'products', 'prices'],
  ],
  [
    'subscriptions with all that they refer to',
    '{ subscriptions { nodes { customer { id } product { id group { id } } price { id } agreedPrice { amount } } } }',
    ['subscriptions', 'customers', 'products', 'prices', 'groups'],
  ],
  [
    'customers with their subscriptions',
    '{ customers { nodes { activeSubscriptions { status product { name } } } } }',
    ['customers', 'subscriptions', 'products'],
  ],
  [
    'invoices with their lines',
    '{ invoices { nodes { number lines { amount { amount } } } } }',
    ['invoices', 'invoiceLines'],
  ],
  [
    'invoices with their payments and mails',
    '{ invoices { nodes { payments { status } mails { status } } } }',
    ['invoices', 'payments', 'traces', 'mailDeliveries'],
  ],
  ['two lists', '{ a: groups { nodes { id } } b: customers { nodes { id } } }', ['groups', 'customers']],
];

describe('a nested list needs one query for each level', () => {
  it.each(rows)('%s', async (_, document, tables) => {
    const read = await tablesRead(document);
    // Siblings whose parents came in two turns of the event loop are asked for in two parts, however many they are.
    expect(read.tables.length).toBeLessThanOrEqual(2 * tables.length);
    expect([...new Set(read.tables)].toSorted()).toEqual([...new Set(tables)].toSorted());
  });
});

it('records loaded in one batch are assigned to their parents', async () => {
  const { data } = await tablesRead(
    '{ groups { nodes { id products { id groupId prices { product { id } } } } } }',
  );
  expect(data.groups.nodes).toHaveLength(groups);
  for (const group of data.groups.nodes) {
    expect(group.products).toHaveLength(productsPerGroup);
    for (const product of group.products) {
      expect(product.groupId).toBe(group.id);
      expect(product.prices).toEqual([{ product: { id: product.id } }]);
    }
  }
});

it('loaders are not shared between requests', async () => {
  const document = '{ subscriptions { nodes { product { name } } } }';
  await client.graphql(document);
  const { products } = await client.graphql('{ products(first: 100) { nodes { id } } }');
  for (const { id } of products.nodes) {
    await client.rest('PATCH', `/products/${id}`, { tenantAlias: 'acme', name: 'Renamed' });
  }
  const { subscriptions } = await client.graphql(document);
  expect(subscriptions.nodes.map(({ product }: any) => product.name)).toEqual(Array(groups).fill('Renamed'));
});
