/** Lists of products by their place, then by their name: pages, filters, changes, and what browsers get. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';

const create = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';
const update =
  'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { id } }';
const clock = stoppedClock('2026-03-01T00:00:00Z');

/** In the order in which they are created. */
const made: [name: string, more: { sortOrder?: number; active?: boolean; expiresAt?: string }][] = [
  ['beta', {}],
  ['Zero', { sortOrder: 0 }],
  ['a|b', {}],
  ['Alpha', {}],
  ['Last', { sortOrder: 1_000_000 }],
  ['tenth', { sortOrder: 10 }],
  ['Éclair', {}],
  ['ninth', { sortOrder: 9 }],
  ['名前 🚀', {}],
  ['off', { sortOrder: 1, active: false }],
  ['over', { sortOrder: 2, expiresAt: '2026-02-01' }],
  ['Same', { sortOrder: 5 }],
  ['same', { sortOrder: 5 }],
];
const onSale = [
  'Zero',
  'Same',
  'same',
  'ninth',
  'tenth',
  'Last',
  'Alpha',
  'a|b',
  'beta',
  'Éclair',
  '名前 🚀',
];
const all = ['Zero', 'off', 'over', ...onSale.slice(1)];

let app: TestApp;
let client: Client;
let publishable: Client;
let groupId: string;
const ids: Record<string, string> = {};
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  publishable = app.client(
    (await createKey(app.service, { tenant: 'acme', kind: 'publishable', scope: 'read' })).apiKey,
  );
  const { createGroup } = await client.graphql('mutation { createGroup(input: { name: "Plans" }) { id } }');
  groupId = createGroup.id;
  for (const [name, more] of made) {
    const input = { name, description: '', groupId: name.length > 4 ? groupId : null, prices: [], ...more };
    ids[name] = (await client.graphql(create, { input })).createProduct.id;
  }
});
afterAll(() => app.close());

/** Reads a list page by page, forward or backward. */
async function readNames(by: Client, args: string, { size = 100, backward = false } = {}): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = backward ? `last: ${size}` : `first: ${size}`;
    const from = cursor === undefined ? '' : `${backward ? 'before' : 'after'}: ${JSON.stringify(cursor)}`;
    const { products } = await by.graphql(
      `{ products(${page} ${from} ${args}) {
        nodes { name } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    );
    const found = products.nodes.map(({ name }: { name: string }) => name);
    if (backward) names.unshift(...found);
    else names.push(...found);
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = products.pageInfo;
    if (!(backward ? hasPreviousPage : hasNextPage)) return names;
    cursor = backward ? startCursor : endCursor;
  }
}

describe('products', () => {
  it.each<[string, string, () => string[]]>([
    ['by place', 'orderBy: sort_order', () => all],
    ['by place, the last first', 'orderBy: sort_order, order: DESC', () => all.toReversed()],
    [
      'by place, of those that are active',
      'orderBy: sort_order, active: true',
      () => all.filter((name) => name !== 'off'),
    ],
    [
      'by place, of a group',
      'orderBy: sort_order, groupId: GROUP',
      () => all.filter((name) => name.length > 4),
    ],
    [
      'by place, by a part of the name',
      'orderBy: sort_order, name: "A"',
      () => ['Same', 'same', 'Last', 'Alpha', 'a|b', 'beta', 'Éclair'],
    ],
    ['by creation', 'orderBy: created_at', () => made.map(([name]) => name).toReversed()],
    ['as before', 'orderBy: null', () => made.map(([name]) => name).toReversed()],
  ])('%s, in pages of any size', async (_, args, expected) => {
    const filled = args.replace('GROUP', JSON.stringify(groupId));
    for (const page of [{}, { size: 2 }, { size: 3, backward: true }]) {
      expect(await readNames(client, filled, page)).toEqual(expected());
    }
  });

  it('follow changes of the place and of the name, and of nothing else', async () => {
    await client.graphql(update, { id: ids['beta'], input: { sortOrder: 3 } });
    await client.graphql(update, { id: ids['Zero'], input: { name: 'aaa', sortOrder: null } });
    await client.graphql(update, { id: ids['Last'], input: { description: 'new', features: ['a'] } });
    const placed = ['Same', 'same', 'ninth', 'tenth', 'Last'];
    expect(await readNames(client, 'orderBy: sort_order', { size: 4 })).toEqual([
      'off',
      'over',
      'beta',
      ...placed,
      'aaa',
      'Alpha',
      'a|b',
      'Éclair',
      '名前 🚀',
    ]);
    await client.graphql(update, { id: ids['beta'], input: { sortOrder: null } });
    await client.graphql(update, { id: ids['Zero'], input: { name: 'Zero', sortOrder: 0 } });
    expect(await readNames(client, 'orderBy: sort_order')).toEqual(all);
    const { traces } = await client.graphql('{ traces(first: 1) { nodes { payload } } }');
    expect(traces.nodes[0].payload.changes).toEqual({ name: ['aaa', 'Zero'], sortOrder: [null, 0] });
  });
});

describe('browsers', () => {
  it('get what is on sale by place, and choose no other order', async () => {
    for (const page of [{}, { size: 2 }, { size: 3, backward: true }]) {
      expect(await readNames(publishable, '', page)).toEqual(onSale);
    }
    expect(await readNames(publishable, 'order: DESC')).toEqual(onSale.toReversed());
    const { body } = await publishable.post('{ products(orderBy: created_at) { nodes { id } } }');
    expect(body.errors[0].extensions.reason).toBe('closed_to_browsers');
    const own = await publishable.graphql('{ products(first: 1) { pageInfo { endCursor } } }');
    const cursor = own.products.pageInfo.endCursor;
    for (const args of ['', 'orderBy: sort_order', 'orderBy: sort_order, active: true']) {
      const { body: refused } = await client.post(
        `{ products(after: "${cursor}" ${args}) { nodes { id } } }`,
      );
      expect(refused.errors[0].extensions.reason).toBe('cursor_invalid');
    }
  });
});
