/** Lists are measured before anything of them is read, on every path, and no answer lists more than 50 problems. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { mostEvents } from '../../src/outgoing/webhooks/eventFilters.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { fillTenant, inject, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;
beforeAll(async () => {
  app = await startApp({ introspection: 'off' });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
});
afterAll(() => app.close());
afterEach(() => vi.restoreAllMocks());

const writeList = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;
const price = '{"details":{"amount":1,"currency":"afn"}}';
const addPrices =
  'mutation ($id: ID!, $prices: [CreatePriceInput!]!) { createPrices(input: { productId: $id, prices: $prices }) { id } }';
const addProduct = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';
const findNodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
const addEndpoint =
  'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
const changeTenant = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }';

const post = (query: string, variables: string): Promise<Answer> =>
  inject(app, {
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': client.apiKey, 'content-type': 'application/json' },
    payload: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  });

/** No unit of work begins and nothing is read while a request is refused. */
async function untouched(attempt: () => Promise<Answer>): Promise<Answer> {
  const { store } = app.service;
  const looks = [vi.spyOn(store.committed, 'select'), vi.spyOn(store, 'transact')];
  const answer = await attempt();
  const used = looks.flatMap(({ mock }) => mock.calls.map(([table]) => table));
  expect(used.filter((table) => table !== 'apiKeys' && table !== 'tenants')).toEqual([]);
  return answer;
}

const tooMany = 'must have at most 100 items';
const tooManyEvents = `must have at most ${mostEvents} items`;
const rows: [what: string, query: string, variables: () => string, path: string][] = [
  [
    '340,000 numbers for prices',
    addPrices,
    () => `{"id":"${world.product}","prices":${writeList(340_000, '1')}}`,
    'prices',
  ],
  [
    '300,000 objects for prices',
    addPrices,
    () => `{"id":"${world.product}","prices":${writeList(300_000, '{}')}}`,
    'prices',
  ],
  ['101 prices', addPrices, () => `{"id":"${world.product}","prices":${writeList(101, price)}}`, 'prices'],
  [
    '300,000 prices within an input',
    addProduct,
    () => `{"input":{"prices":${writeList(300_000, '{}')}}}`,
    'input.prices',
  ],
  ['101 ids', findNodes, () => `{"ids":${writeList(101, '"cus_0"')}}`, 'ids'],
  ['300,000 ids that are none', findNodes, () => `{"ids":${writeList(300_000, '{}')}}`, 'ids'],
  [
    '200,000 events',
    addEndpoint,
    () => `{"input":{"url":"a","events":${writeList(200_000, '1')}}}`,
    'input.events',
  ],
  [
    '500,000 days',
    changeTenant,
    () => `{"input":{"retryDays":${writeList(500_000, '1')}}}`,
    'input.retryDays',
  ],
];

describe.each(rows)('%s', (_, query, variables, path) => {
  it('are refused before they are read, in new and compiled documents', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const answer = await untouched(() => post(query, variables()));
      expect(answer.status).toBe(400);
      expect(answer.body.data).toBeUndefined();
      expect(answer.body.errors).toHaveLength(1);
      expect(answer.body.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path, message: path === 'input.events' ? tooManyEvents : tooMany }],
      });
    }
  });
});

describe('a text in the variables has at most 65,536 characters', () => {
  const most = 'x'.repeat(65_536);
  const message = 'must be at most 65536 characters';
  it.each([
    ['by itself', 'query ($text: ID!) { customer(id: $text) { id } }', (text: string) => text, 'text'],
    ['in a list', 'query ($text: [ID!]!) { nodes(ids: $text) { id } }', (text: string) => [text], 'text.0'],
    [
      'in an object',
      'mutation ($text: CreateGroupInput!) { createGroup(input: $text) { id } }',
      (text: string) => ({ name: text }),
      'text.name',
    ],
  ])('%s', async (_, query, wrap, path) => {
    const send = (text: string) => post(query, JSON.stringify({ text: wrap(text) }));
    for (let turn = 0; turn < 4; turn++) {
      const answer = await untouched(() => send(`${most}x`));
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].extensions.issues).toEqual([
        { path, message, code: 'too_long', limit: 65_536 },
      ]);
    }
    const { errors = [] } = (await send(most)).body;
    expect(JSON.stringify(errors)).not.toContain(message);
  });
});

it('a document has at most 5,000 lines, with any line ending', async () => {
  const ask = (lineEnd: string, lines: number) =>
    post(`${lineEnd.repeat(lines - 1)}{ tenant { alias } }`, '{}');
  for (const lineEnd of ['\n', '\r']) {
    expect((await ask(lineEnd, 5000)).body.data).toEqual({ tenant: { alias: 'acme' } });
    const { status, body } = await untouched(() => ask(lineEnd, 5001));
    expect(status).toBe(400);
    expect(body.errors[0].extensions.issues).toEqual([
      { path: 'query', message: 'must have at most 5000 lines' },
    ]);
  }
});

it('lists of a REST body have the same limit', async () => {
  for (const [route, prices] of [
    ['/products', writeList(340_000, '1')],
    [`/products/${world.product}/prices`, writeList(340_000, '1')],
    [`/products/${world.product}/prices`, writeList(300_000, '{}')],
    [`/products/${world.product}/prices`, writeList(101, price)],
  ] as const) {
    for (let turn = 0; turn < 3; turn++) {
      const answer = await untouched(() =>
        client.rest('POST', route, `{"tenantAlias":"acme","prices":${prices}}`),
      );
      expect(answer.status).toBe(400);
      expect(answer.body.cause.issues).toEqual([{ path: 'prices', message: tooMany }]);
    }
  }
});

it('list literals have the same limit, also as defaults', async () => {
  const ids = (count: number) => `[${Array(count).fill('"cus_0"').join()}]`;
  const written = (count: number) => [
    `{ nodes(ids: ${ids(count)}) { id } }`,
    `query ($ids: [ID!]! = ${ids(count)}) { nodes(ids: $ids) { id } }`,
  ];
  for (const query of written(100)) expect((await client.post(query)).body.data.nodes).toHaveLength(100);
  for (const query of written(101)) {
    const { errors, data } = (await untouched(() => client.post(query))).body;
    expect(data).toBeUndefined();
    expect(errors[0].message).toBe('A list must have at most 100 items.');
  }
  const prices = `[${Array(300).fill('1').join()}]`;
  const { errors } = (
    await client.post(`mutation { createPrices(input: { productId: "a", prices: ${prices} }) { id } }`)
  ).body;
  expect(errors.length).toBeLessThanOrEqual(50);
  // What is written for metadata is no list of ours.
  const metadata = `{ a: [${Array(200).fill('1').join()}] }`;
  const made = await client.post(
    `mutation { createGroup(input: { name: "A", metadata: ${metadata} }) { id } }`,
  );
  expect(made.body.errors).toBeUndefined();
});

it('all lists of a request have at most 1,000 items together', async () => {
  const names = Array.from({ length: 11 }, (_, index) => `v${index}`);
  const query = `query (${names.map((name) => `$${name}: [ID!]!`).join()}) {
    ${names.map((name) => `${name}: nodes(ids: $${name}) { id }`).join(' ')} }`;
  const of = (count: number) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, Array(count).fill('x')])));
  expect((await post(query, of(90))).body.errors).toBeUndefined();
  const { errors } = (await untouched(() => post(query, of(100)))).body;
  expect(errors[0].extensions.issues).toEqual([
    { path: 'v0', message: 'lists must have at most 1000 items together' },
  ]);
});

it('live subscriptions have the same limits', async () => {
  const url = await listen(app);
  const query = 'subscription ($filter: TraceFilter) { traceRecorded(filter: $filter) { id } }';
  for (const [filter, issue] of [
    [{ activityTyp: 'CustomerEvent' }, 'Field "activityTyp" is not defined by type "TraceFilter".'],
    [{ activityType: 'CustomerEven' }, 'Value "CustomerEven" does not exist in "ActivityType" enum.'],
  ] as const) {
    const answer = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: { 'api-key': client.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { filter } }),
    });
    const text = await answer.text();
    expect(text).toContain(JSON.stringify(issue).slice(1, -1));
    expect(text).not.toContain('Did you mean');
  }
});

describe('at most 50 problems are listed', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();
  const bad = writeList(100_000, '"\\u0000"');
  const attempts: [what: string, attempt: () => Promise<Answer>][] = [
    ['unknown fields of an input', () => post(addProduct, `{"input":{${keys(50_000)}}}`)],
    [
      'wrong prices',
      () => post(addPrices, `{"id":"${world.product}","prices":${writeList(100, '{"details":1}')}}`),
    ],
    [
      'wrong prices of an input',
      () => post(addProduct, `{"input":{"prices":${writeList(100, '{"a":1,"b":2}')}}}`),
    ],
    ['unknown fields of a body', () => client.rest('POST', '/groups', `{${keys(50_000)}}`)],
    [
      'wrong prices of a body',
      () =>
        client.rest(
          'POST',
          '/products',
          `{"tenantAlias":"acme","name":1,"prices":${writeList(100, '{"details":1}')}}`,
        ),
    ],
    [
      'bad currencies',
      () =>
        client.rest(
          'POST',
          '/products',
          `{"tenantAlias":"acme","name":"A","description":"","prices":${writeList(100, '{"details":{"amount":1.2345,"currency":"xxx"}}')}}`,
        ),
    ],
    ['text that cannot be kept', () => post('{ tenant { alias } }', `{"a":${bad}}`)],
    ['text of a body that cannot be kept', () => client.rest('POST', '/groups', `{"a":${bad}}`)],
    [
      'unknown fields of a document',
      () => client.post(`{ ${Array.from({ length: 90 }, (_, index) => `x${index}`).join(' ')} }`),
    ],
    [
      'variables of the wrong type',
      () =>
        post(
          `query (${Array.from({ length: 90 }, (_, index) => `$v${index}: Int`).join()}) { ${Array.from({ length: 90 }, (_, index) => `c${index}: groups(first: $v${index}) { nextCursor }`).join(' ')} }`,
          `{${Array.from({ length: 90 }, (_, index) => `"v${index}":"a"`).join()}}`,
        ),
    ],
  ];
  it.each(attempts)('%s', async (_, attempt) => {
    for (let turn = 0; turn < 4; turn++) {
      const answer = await attempt();
      const { cause, errors = [] } = answer.body;
      const listed = cause?.issues ?? errors.flatMap(({ extensions }: any) => extensions.issues);
      expect(listed.length).toBeGreaterThan(10);
      expect(listed.length).toBeLessThanOrEqual(50);
      expect(answer.text.length).toBeLessThan(60_000);
      expect(answer.text).not.toContain('Did you mean');
    }
  });

  it('long paths are truncated', async () => {
    const answer = await post(
      '{ tenant { alias } }',
      `{"${'a'.repeat(500_000)}":${writeList(60, '"\\u0000"')}}`,
    );
    expect(answer.body.errors[0].extensions.issues).toHaveLength(50);
    expect(answer.text.length).toBeLessThan(20_000);
  });
});

describe('no name is suggested', () => {
  const near: [what: string, attempt: () => Promise<Answer>][] = [
    ['a field', () => client.post('{ custmers { nodes { id } } }')],
    ['an argument', () => client.post('{ customers(frist: 1) { nodes { id } } }')],
    ['a type', () => client.post('{ node(id: "a") { ... on Custmer { id } } }')],
    ['a type of a variable', () => client.post('query ($a: CreateGroupInputt) { tenant { alias } }')],
    ['a field of an input', () => client.post('mutation { createGroup(input: { nam: "A" }) { id } }')],
    ['a value of an enum', () => client.post('{ customers(order: ASCC) { nodes { id } } }')],
    [
      'a field of a variable',
      () =>
        post(
          'mutation ($a: CreateGroupInput!) { createGroup(input: $a) { id } }',
          '{"a":{"name":"A","metadat":{}}}',
        ),
    ],
    [
      'a value of an enum in a variable',
      () => post('query ($a: Order) { customers(order: $a) { nextCursor } }', '{"a":"ASCC"}'),
    ],
    [
      'a value of an enum in an input',
      () =>
        post(
          addPrices,
          `{"id":"a","prices":[{"details":{"amount":1,"currency":"afn"},"recurring":{"frequency":"Monthy"}}]}`,
        ),
    ],
    ['a field of a body', () => client.rest('POST', '/groups', { tenantAlias: 'acme', nam: 'A' })],
    [
      'a field within a body',
      () =>
        client.rest('POST', '/products', {
          tenantAlias: 'acme',
          name: 'A',
          description: '',
          prices: [{ detals: {} }],
        }),
    ],
    [
      'a value within a body',
      () =>
        client.rest('POST', '/products', {
          tenantAlias: 'acme',
          name: 'A',
          description: '',
          prices: [{ details: { amount: 1, currency: 'afn' }, recurring: { frequency: 'Monthy' } }],
        }),
    ],
    ['a value of a query', () => client.rest('GET', '/groups', { tenantAlias: 'acme', order: 'ascc' })],
    [
      'the query of a webhook',
      () => post(addEndpoint, `{"input":{"url":"https://a.example","query":"{ evntId }"}}`),
    ],
  ];
  it.each(near)('for %s', async (_, attempt) => {
    for (let turn = 0; turn < 4; turn++) {
      const { text, body } = await attempt();
      expect(text).toMatch(/validation_failed/);
      expect(JSON.stringify(body.cause ?? body.errors)).not.toMatch(
        /did you mean|"customers|CreateGroupInput"|metadata|details|Monthly"|eventId|ASC"|"asc"/i,
      );
    }
  });
});
