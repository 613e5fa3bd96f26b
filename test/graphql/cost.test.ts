/** What an operation may ask for: by the sizes of its pages, and by the words of its document. */
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let narrow: TestApp;
let client: Client;
let guest: Client;
beforeAll(async () => {
  [app, narrow] = await Promise.all([startApp(), startApp({ graphqlCost: '500', introspection: 'off' })]);
  client = await app.tenant({ alias: 'acme' });
  guest = await narrow.tenant({ alias: 'acme' });
});
afterAll(() => Promise.all([app.close(), narrow.close()]));

const nested = (first: string) =>
  `customers(${first}) { nodes { id activeSubscriptions { id product { id } customer { id } } } }`;

describe('by default', () => {
  it('a page of 100 with two nested levels passes', async () => {
    const { data, errors } = (await client.post(`{ ${nested('first: 100')} }`)).body;
    expect(errors).toBeUndefined();
    expect(data.customers.nodes).toEqual([]);
    const { products } = await client.graphql(
      `{ products(first: 100) { nodes { id prices { id details { amount } product { id } } group { id products { id } } } } }`,
    );
    expect(products.nodes).toEqual([]);
  });

  it('a page of 100 with two nested pages of 10 passes', async () => {
    const rows =
      '{ nodes { id status createdAt PRICE { amount decimal currency } } pageInfo { hasNextPage endCursor } }';
    const pages = [
      `invoices(first: 10) ${rows.replace('PRICE', 'total')}`,
      `subscriptions(first: 10) ${rows.replace('PRICE', 'agreedPrice')}`,
    ];
    const { status, body } = await client.post(
      `{ customers(first: 100) { nodes { id email ${pages.join(' ')} } } }`,
    );
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body.data.customers.nodes).toEqual([]);
  });

  it('a pricing page of 20 products with prices and quotes passes, also with a publishable key', async () => {
    const price = { details: { amount: 10, currency: 'usd' }, model: 'per_unit' };
    const create = `mutation ($prices: [CreatePriceInput!]!) {
      createProduct(input: { name: "Pro", description: "", features: ["a"], prices: $prices }) { id }
    }`;
    const shop = await app.tenant({ alias: 'shop' });
    await shop.graphql(create, { prices: [price, { ...price, recurring: { frequency: 'Yearly' } }] });
    const key = await createKey(app.service, { tenant: 'shop', kind: 'publishable', scope: 'read' });
    const money = '{ amount decimal currency }';
    const pricingPage = `{ products(first: 20) { nodes { id name description features highlighted sortOrder group { id name }
      prices(currency: "usd") { id model trialDays recurring { period frequency } details ${money} setupFee ${money}
        tiers { upTo unitAmount flatAmount }
        quote(quantity: 5) { total ${money} average ${money} charges { quantity unitAmount amount } } } } } }`;
    for (const by of [shop, app.client(key.apiKey)]) {
      const { products } = await by.graphql(pricingPage);
      expect(products.nodes[0].prices.map(({ quote }: any) => quote.total.decimal)).toEqual([
        '50.00',
        '50.00',
      ]);
    }
  });

  it('a query far above the limit is refused before it reads', async () => {
    const deep = `products(first: 100) { nodes { group { products { group { products { group { products { id } } } } } } } }`;
    const answer = await client.post(`{ ${deep} }`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringMatching(/^The operation costs \d+, and at most 20000 is allowed\.$/),
      extensions: { reason: 'cost_exceeded', code: 'COST_EXCEEDED', status: 400 },
    });
    const own = await client.post(`{ ${deep} }`, undefined, { accept: 'application/graphql-response+json' });
    expect(own.status).toBe(400);
  });
});

/** 1 for the connection, and for each customer 1, and 10 subscriptions of 3 objects. */
const computeCost = (size: number) => 1 + size * (1 + 10 * 3);

const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}: id`).join(' ');

describe('with a cost of 500', () => {
  const rows: [what: string, query: string, cost: number, variables?: object][] = [
    ['no size, which is ten', `{ customers { nodes { id } } }`, 11],
    ['ten of three levels', `{ ${nested('first: 10')} }`, computeCost(10)],
    ['twenty of three levels', `{ ${nested('first: 20')} }`, computeCost(20)],
    ['the same from the back', `{ ${nested('last: 20')} }`, computeCost(20)],
    ['a variable', `query ($n: Int) { ${nested('first: $n')} }`, computeCost(20), { n: 20 }],
    ['a small variable', `query ($n: Int) { ${nested('first: $n')} }`, computeCost(2), { n: 2 }],
    ['a variable of its default', `query ($n: Int = 20) { ${nested('first: $n')} }`, computeCost(20)],
    ['a variable left out', `query ($n: Int) { ${nested('first: $n')} }`, computeCost(10)],
    [
      'aliases',
      `{ a: ${nested('first: 8')} b: ${nested('first: 8')} c: ${nested('first: 8')} }`,
      3 * computeCost(8),
    ],
    ['fragments', `{ ...a } fragment a on Query { ${nested('first: 20')} }`, computeCost(20)],
    [
      'fragments within fragments',
      `{ ... { ...a } } fragment a on Query { ... { ${nested('first: 20')} } }`,
      computeCost(20),
    ],
    ['edges', '{ customers(first: 100) { edges { node { id } cursor } pageInfo { hasNextPage } } }', 202],
    [
      'edges and nodes',
      '{ customers(first: 100) { edges { node { id associatedId } } nodes { activeSubscriptions { id } } } }',
      1301,
    ],
    [
      'many ids',
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Customer { activeSubscriptions { id } } } }`,
      660,
      { ids: Array(60).fill('cus_0') },
    ],
    ['40 values of an object', `{ customers { nodes { ${values(40)} } } }`, 1 + 10 * 2],
    ['41 values of an object', `{ customers { nodes { ${values(41)} } } }`, 1 + 10 * 3],
    ['a value that is asked for twice', `{ customers { nodes { ${values(20)} ${values(20)} } } }`, 11],
    ['a search', `{ products(name: "a") { nodes { id } } }`, 2000 + 11],
    ['no search', `query ($name: String) { products(name: $name) { nodes { id } } }`, 11],
    [
      'a search by a variable',
      `query ($name: String) { products(name: $name) { nodes { id } } }`,
      2011,
      { name: 'a' },
    ],
    ['a search by a default', `query ($name: String = "a") { groups(name: $name) { nodes { id } } }`, 2011],
    ['a forecast', `{ forecast(subscriptionId: "sub_0", until: "2027-01-01") { date } }`, 2010],
    ['a forecast of the tenant', `{ tenant { forecast(until: "2027-01-01") { date } } }`, 10011],
    ['changes', `mutation { a: deleteGroup(id: "grp_0") { id } b: deleteGroup(id: "grp_0") { id } }`, 22],
    [
      'few ids',
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Customer { activeSubscriptions { id } } } }`,
      22,
      { ids: ['a', 'b'] },
    ],
  ];
  it.each(rows)('%s', async (_, query, cost, variables) => {
    for (let turn = 0; turn < 4; turn++) {
      const { errors } = (await guest.post(query, variables as never)).body;
      if (cost <= 500) expect(errors?.[0].extensions.reason).not.toBe('cost_exceeded');
      else expect(errors[0].message).toBe(`The operation costs ${cost}, and at most 500 is allowed.`);
    }
  });

  it('a mutation above the limit changes nothing', async () => {
    const answer = await guest.post(
      `mutation { createGroup(input: { name: "costly" }) { products { group { products { group { products { id } } } } } }}`,
    );
    expect(answer.body.errors[0].message).toMatch(/at most 500/);
    const { groups } = await guest.graphql('{ groups { nodes { name } } }');
    expect(groups.nodes).toEqual([]);
  });
});

describe('the header x-graphql-cost', () => {
  const withCost = { 'x-graphql-cost': '1' };
  const query = `query ($n: Int) { ${nested('first: $n')} tenant { alias } }`;

  it('adds requested cost, actual cost and limit to the response', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const { body } = await client.post(query, { n: 20 }, withCost);
      expect(body.extensions).toEqual({
        cost: { requested: computeCost(20) + 1, actual: 2, limit: 20000, left: expect.any(Number) },
      });
    }
    const made = await app.tenant({ alias: 'counted' });
    for (const name of ['A', 'B', 'C']) {
      await made.graphql('mutation ($name: String!) { createGroup(input: { name: $name }) { id } }', {
        name,
      });
    }
    const { body } = await made.post('{ groups(first: 50) { nodes { id products { id } } } }', {}, withCost);
    expect(body.extensions.cost).toMatchObject({ requested: 1 + 50 * 11, actual: 4, limit: 20000 });
    const all = { accept: 'application/graphql-response+json', ...withCost };
    expect((await made.post('{ groups { nodes { id } } }', {}, all)).body.extensions.cost.actual).toBe(4);
  });

  it('adds the cost to refusals, and only this header does', async () => {
    const refused = await guest.post(query, { n: 20 }, withCost);
    expect(refused.body.errors).toHaveLength(1);
    expect(refused.body.extensions).toEqual({
      cost: { requested: 622, actual: 0, limit: 500, left: expect.any(Number) },
    });
    // A search counts for its work, which a refused one has not done.
    const search = await guest.post('{ products(name: "x") { nodes { id } } }', {}, withCost);
    expect(search.body.errors).toHaveLength(1);
    expect(search.body.extensions.cost).toMatchObject({ actual: 0, limit: 500 });
    for (const header of ['', '0', 'yes']) {
      const { body } = await client.post(query, { n: 2 }, { 'x-graphql-cost': header });
      expect(body.extensions).toBeUndefined();
    }
  });
});

describe('the size of a document', () => {
  const repeated = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => word(index)).join(' ');
  it.each([
    ['200 aliases', `{ tenant { ${repeated(200, (index) => `a${index}: name`)} } }`, undefined],
    ['201 aliases', `{ tenant { ${repeated(201, (index) => `a${index}: name`)} } }`, /more than 200 aliases/],
    ['200 directives', `{ tenant { ${repeated(200, () => 'name @skip(if: false)')} } }`, undefined],
    [
      '201 directives',
      `{ tenant { ${repeated(201, () => 'name @skip(if: false)')} } }`,
      /more than 200 directives/,
    ],
    ['4,001 words', `{ tenant { ${repeated(4001, () => 'name')} } }`, /more tha[nt] 4000 tokens/],
  ])('%s', async (_, query, message) => {
    const { errors } = (await client.post(query)).body;
    if (message) expect(errors[0]).toMatchObject({ message: expect.stringMatching(message) });
    else expect(errors).toBeUndefined();
  });

  it('a subscription over plain HTTP is refused', async () => {
    const { errors } = (await client.post('subscription { traceRecorded { id } }')).body;
    expect(errors[0].message).toMatch(/WebSocket at \/graphql.*\/graphql\/stream/);
  });
});

describe('the schema', () => {
  it('is introspectable if enabled, and errors suggest no names', async () => {
    const { data } = (await client.post(getIntrospectionQuery())).body;
    expect(data.__schema.subscriptionType).toMatchObject({ name: 'Subscription' });
    const { text } = await client.post('{ custmers { nodes { id } } }');
    expect(text).toContain('Cannot query field');
    expect(text).not.toContain('Did you mean');
  });

  it('is read by the usual tools at half of the cost limit', async () => {
    for (const options of [
      {},
      { specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true },
    ]) {
      const withCost = { 'x-graphql-cost': '1' };
      const first = await client.post(getIntrospectionQuery(options), undefined, withCost);
      expect(first.body.errors).toBeUndefined();
      expect(first.body.extensions.cost.requested).toBeLessThan(10_000);
      expect(first.body.extensions.cost.actual).toBeLessThan(10_000);
      const again = await client.post(getIntrospectionQuery(options), undefined, withCost);
      expect(again.body.data).toEqual(first.body.data);
    }
  });

  it.each([
    ['all types', '__schema { types { name fields { name args { name type { name } } } } }'],
    ['a type', '__type(name: "Mutation") { fields { name args { name type { name fields { name } } } } }'],
  ])('does not multiply through aliases: %s', async (_, field) => {
    expect((await client.post(`{ ${field} }`)).body.errors).toBeUndefined();
    const aliases = Array.from({ length: 99 }, (__, index) => `a${index}: ${field}`).join(' ');
    const { errors } = (await client.post(`{ ${aliases} }`)).body;
    expect(errors[0].message).toMatch(/^The operation costs \d+, and at most 20000 is allowed\.$/);
  });

  it('is not introspectable if disabled', async () => {
    for (const query of [getIntrospectionQuery(), '{ __type(name: "Customer") { name } }']) {
      const { body } = await guest.post(query);
      expect(body.data).toBeUndefined();
      expect(body.errors[0].extensions.reason).toBe('validation_failed');
    }
    expect((await guest.post('{ __typename }')).body.data).toEqual({ __typename: 'Query' });
  });
});
