import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  stranger = await app.tenant({ alias: 'other' });
});
afterAll(() => app.close());

const group = `id tenantAlias name metadata createdAt updatedAt prorateUpgrades`;
const product = `id groupId tenantAlias name active description metadata expiresAt createdAt updatedAt deleted`;
const price = `id productId createdAt updatedAt
  recurring { executionDate period frequency } details { amount currency }`;

const createGroup = `mutation ($input: CreateGroupInput!) { createGroup(input: $input) { ${group} products { id } } }`;
const createProduct = `mutation ($input: CreateProductInput!) {
  createProduct(input: $input) { ${product} group { id } prices { ${price} product { id } } }
}`;
const createPrices = `mutation ($productId: ID!, $prices: [CreatePriceInput!]!) {
  createPrices(input: { productId: $productId, prices: $prices }) { ${price} product { id } }
}`;
const updatePrice = `mutation ($id: ID!, $input: UpdatePriceInput!) {
  updatePrice(id: $id, input: $input) { ${price} }
}`;
const updateProduct = `mutation ($id: ID!, $input: UpdateProductInput!) {
  updateProduct(id: $id, input: $input) { ${product} }
}`;
const updateGroup = `mutation ($id: ID!, $input: UpdateGroupInput!) { updateGroup(id: $id, input: $input) { ${group} } }`;
const deleteProduct = `mutation ($id: ID!) { deleteProduct(id: $id) { ${product} prices { id } } }`;

const buildPrice = (amount: number, currency = 'afn') => ({ details: { amount, currency } });
const newGroup = async (input: object = {}) =>
  (await client.graphql(createGroup, { input: { name: 'Plans', ...input } })).createGroup;
const newProduct = async (input: object = {}) =>
  (await client.graphql(createProduct, { input: { name: 'Gold', description: 'All', ...input } }))
    .createProduct;

/**
 * Runs the work and counts what it read outside of units of work. The key and its tenant, which are read once a second
 * whoever asks, are not counted.
 */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const { committed } = app.service.store;
  const select = committed.select.bind(committed);
  let reads = 0;
  committed.select = (name, selection) => {
    if (name !== 'apiKeys' && name !== 'tenants') reads += 1;
    return select(name, selection);
  };
  await work();
  committed.select = select;
  return reads;
}

describe('the catalogue', () => {
  it('is created and read through every relation', async () => {
    const plans = await newGroup({ metadata: { a: 1 }, prorateUpgrades: true });
    expect(plans).toMatchObject({
      tenantAlias: 'acme',
      metadata: { a: 1 },
      prorateUpgrades: true,
      products: [],
    });
    const gold = await newProduct({ groupId: plans.id, prices: [buildPrice(10.5), buildPrice(3, 'JPY')] });
    expect(gold).toMatchObject({ active: true, deleted: false, group: { id: plans.id } });
    expect(gold.prices).toMatchObject([
      {
        productId: gold.id,
        product: { id: gold.id },
        recurring: { executionDate: null, period: 1, frequency: 'Monthly' },
        details: { amount: 10.5, currency: 'afn' },
      },
      { details: { amount: 3, currency: 'jpy' } },
    ]);
    const [first, second] = gold.prices;
    const answer = await client.graphql(
      `query ($group: ID!, $product: ID!, $price: ID!) {
        group(id: $group) { ${group} products { ${product} group { name } prices { ${price} product { id } } } }
        product(id: $product) { ${product} group { id } prices { ${price} product { id } } }
        price(id: $price) { ${price} product { id } }
        same: price(id: $price, productId: $product) { id }
      }`,
      { group: plans.id, product: gold.id, price: second.id },
    );
    const { products: _, ...plain } = plans;
    expect(answer).toEqual({
      group: { ...plain, products: [{ ...gold, group: { name: 'Plans' } }] },
      product: gold,
      price: second,
      same: { id: second.id },
    });
    expect(first.id).not.toBe(second.id);
  });

  it('is updated', async () => {
    const [plans, gold] = [await newGroup(), await newProduct()];
    const { createPrices: prices } = await client.graphql(createPrices, {
      productId: gold.id,
      prices: [{ ...buildPrice(1), recurring: { frequency: 'Weekly', executionDate: '2026-01-31' } }],
    });
    expect(prices).toMatchObject([
      {
        product: { id: gold.id },
        recurring: { executionDate: '2026-01-31T00:00:00.000Z', period: 1, frequency: 'Weekly' },
      },
    ]);
    const change = async (document: string, variables: object): Promise<any> =>
      Object.values(await client.graphql(document, { ...variables }))[0];
    expect(
      await change(updatePrice, { id: prices[0].id, input: { productId: gold.id, details: { amount: 2 } } }),
    ).toMatchObject({ details: { amount: 2, currency: 'afn' }, recurring: prices[0].recurring });
    expect(await change(updateProduct, { id: gold.id, input: { groupId: plans.id } })).toMatchObject({
      groupId: plans.id,
      name: 'Gold',
    });
    expect(await change(updateGroup, { id: plans.id, input: { name: 'Tariffs' } })).toMatchObject({
      name: 'Tariffs',
      prorateUpgrades: false,
    });
  });

  it('shows a deleted product only in its group', async () => {
    const plans = await newGroup();
    const gold = await newProduct({ groupId: plans.id, prices: [buildPrice(1)], name: 'Withdrawn' });
    const traceId = 'd'.repeat(32);
    const { deleteProduct: deleted } = await client.graphql(
      deleteProduct,
      { id: gold.id },
      { traceparent: `00-${traceId}-00000000000000aa-01` },
    );
    expect(deleted).toMatchObject({ id: gold.id, deleted: true, prices: [] });
    const { group: read } = await client.graphql(
      'query ($id: ID!) { group(id: $id) { products { id deleted prices { id } } } }',
      { id: plans.id },
    );
    expect(read.products).toEqual([{ id: gold.id, deleted: true, prices: [] }]);
    const { products } = await client.graphql('{ products(name: "withdrawn") { nodes { id } } }');
    expect(products.nodes).toEqual([]);
    const traces = await app.service.store.committed.select('traces', {
      where: { tenantAlias: 'acme', traceId },
    });
    expect(traces).toMatchObject([
      { activityType: 'ProductEvent', isRoot: true, payload: { action: 'deleted', resourceId: gold.id } },
    ]);
    const again = await client.post(deleteProduct, { id: gold.id });
    expect(again.body.errors[0].extensions).toMatchObject({ reason: 'product_not_found', status: 404 });
  });

  it('is filtered and paged forward and backward', async () => {
    const plans = await newGroup({ name: 'Listed' });
    for (const name of ['A1', 'a2', 'B1'])
      await newProduct({ name, groupId: plans.id, active: name !== 'a2' });
    const list = async (args: string) =>
      (
        await client.graphql(`{ products(groupId: "${plans.id}", ${args}) {
        nodes { name } edges { cursor } pageInfo { hasNextPage hasPreviousPage } nextCursor
      } }`)
      ).products;
    const names = ({ nodes }: any) => nodes.map(({ name }: any) => name);
    expect(names(await list('order: ASC'))).toEqual(['A1', 'a2', 'B1']);
    expect(names(await list('name: "a"'))).toEqual(['a2', 'A1']);
    expect(names(await list('name: "A", active: true'))).toEqual(['A1']);
    expect(names(await list('name: null, active: null'))).toEqual(['B1', 'a2', 'A1']);
    const page = await list('first: 2');
    expect(page.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
    expect(names(await list(`first: 2, after: "${page.nextCursor}"`))).toEqual(['A1']);
    expect(names(await list(`last: 1, before: "${page.edges[1].cursor}"`))).toEqual(['B1']);
    const { groups } = await client.graphql('{ groups(name: "LIST", first: 1) { nodes { id } nextCursor } }');
    expect(groups).toEqual({ nodes: [{ id: plans.id }], nextCursor: null });
  });
});

describe('nested lists', () => {
  const nested = `{ groups(name: "Bulk") { nodes { id products {
    id group { id } prices { id product { id group { name } } }
  } } } }`;

  it('need one read for each level, whatever their length', async () => {
    const grow = async (groups: number) => {
      for (let count = 0; count < groups; count++) {
        const { id } = await newGroup({ name: `Bulk ${count}` });
        await newProduct({ groupId: id, prices: [buildPrice(1), buildPrice(2)] });
        await newProduct({ groupId: id, prices: [buildPrice(3)] });
      }
    };
    await grow(1);
    const few = await countReads(() => client.graphql(nested));
    await grow(7);
    let answer: any;
    const many = await countReads(async () => (answer = await client.graphql(nested)));
    expect(answer.groups.nodes).toHaveLength(8);
    expect(answer.groups.nodes.flatMap(({ products }: any) => products)).toHaveLength(16);
    expect(many).toBe(few);
    // Products; their groups and prices; the products of those. The groups are found beside the event loop.
    expect(many).toBe(4);
  });
});

describe('refusals', () => {
  const fail = async (who: Client, document: string, variables: object = {}) => {
    const { body } = await who.post(document, { ...variables });
    expect(body.errors, JSON.stringify(body)).toHaveLength(1);
    const { reason, issues = [] } = body.errors[0].extensions;
    return [reason, ...issues.map(({ path }: any) => path)];
  };

  it('name the reason and the fields', async () => {
    const gold = await newProduct({ prices: [buildPrice(1)] });
    const silver = await newProduct();
    const [{ id }] = gold.prices;
    const plain = { name: 'P', description: '' };
    const rows: [document: string, variables: object, ...expected: string[]][] = [
      ['query ($id: ID!) { product(id: $id) { id } }', { id: 'prod_x' }, 'product_not_found'],
      ['query ($id: ID!) { group(id: $id) { id } }', { id: 'grp_x' }, 'group_not_found'],
      ['query ($id: ID!) { price(id: $id) { id } }', { id: 'price_x' }, 'price_not_found'],
      [
        'query ($id: ID!, $of: ID) { price(id: $id, productId: $of) { id } }',
        { id, of: silver.id },
        'price_not_found',
      ],
      [
        'query ($name: String) { groups(name: $name) { nodes { id } } }',
        { name: 'x'.repeat(201) },
        'validation_failed',
        'name',
      ],
      [
        'query ($name: String) { products(name: $name) { nodes { id } } }',
        { name: 'x'.repeat(201) },
        'validation_failed',
        'name',
      ],
      ['{ products(first: 101) { nodes { id } } }', {}, 'validation_failed', 'first'],
      ['{ groups(after: "x") { nodes { id } } }', {}, 'cursor_invalid', 'after'],
      [createProduct, { input: { ...plain, groupId: 'grp_x' } }, 'group_not_found', 'groupId'],
      [
        createProduct,
        { input: { ...plain, prices: [buildPrice(1), buildPrice(1.999)] } },
        'amount_precision',
        'prices.1.details.amount',
      ],
      [
        createProduct,
        { input: { ...plain, metadata: { a: 'x'.repeat(501) } } },
        'validation_failed',
        'metadata.a',
      ],
      [createPrices, { productId: 'prod_x', prices: [buildPrice(1)] }, 'product_not_found'],
      [createPrices, { productId: gold.id, prices: [] }, 'validation_failed', 'prices'],
      [
        createPrices,
        { productId: gold.id, prices: [buildPrice(1, 'zzz')] },
        'currency_unsupported',
        'prices.0.details.currency',
      ],
      [updatePrice, { id, input: { productId: silver.id } }, 'price_not_found'],
      [
        updatePrice,
        { id, input: { productId: gold.id, recurring: { period: 99 } } },
        'validation_failed',
        'recurring.period',
      ],
      [updateProduct, { id: 'prod_x', input: {} }, 'product_not_found'],
      [updateProduct, { id: gold.id, input: { name: null } }, 'validation_failed', 'name'],
      [updateGroup, { id: 'grp_x', input: {} }, 'group_not_found'],
      [deleteProduct, { id: 'prod_x' }, 'product_not_found'],
    ];
    for (const [document, variables, ...expected] of rows) {
      expect(await fail(client, document, variables), `${document} ${JSON.stringify(variables)}`).toEqual(
        expected,
      );
    }
  });

  it('name an amount literal that is beyond any number', async () => {
    const document = `mutation { createPrices(input: { productId: "prod_x", prices: [
      { details: { amount: 1e400, currency: "afn" } }
    ] }) { id } }`;
    expect(await fail(client, document)).toEqual(['validation_failed', 'prices.0.details.amount']);
  });

  it('hide records of another tenant', async () => {
    const plans = await newGroup();
    const gold = await newProduct({ groupId: plans.id, prices: [buildPrice(1)] });
    const [{ id }] = gold.prices;
    const rows: [document: string, variables: object, reason: string][] = [
      ['query ($id: ID!) { product(id: $id) { id } }', { id: gold.id }, 'product_not_found'],
      ['query ($id: ID!) { group(id: $id) { id } }', { id: plans.id }, 'group_not_found'],
      ['query ($id: ID!) { price(id: $id) { id } }', { id }, 'price_not_found'],
      [createPrices, { productId: gold.id, prices: [buildPrice(1)] }, 'product_not_found'],
      [updatePrice, { id, input: { details: { amount: 2 } } }, 'price_not_found'],
      [updateProduct, { id: gold.id, input: { name: 'N' } }, 'product_not_found'],
      [updateGroup, { id: plans.id, input: { name: 'N' } }, 'group_not_found'],
      [deleteProduct, { id: gold.id }, 'product_not_found'],
    ];
    for (const [document, variables, reason] of rows) {
      expect((await fail(stranger, document, variables))[0], document).toBe(reason);
    }
    const seen = await stranger.graphql('{ products { nodes { id } } groups { nodes { id } } }');
    expect(seen).toEqual({ products: { nodes: [] }, groups: { nodes: [] } });
  });
});
