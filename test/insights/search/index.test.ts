/** The index of the search: parts of texts are found before it has a record, and alike after. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexTenant } from '../../../src/insights/search/indexer.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { createShop } from '../../support/shop.ts';
import { fillTenant, type World } from '../../support/world.ts';

let app: TestApp;
let client: Client;
let other: Client;
let world: World;
const ids: Record<string, string> = {};

const people = {
  owen: { firstName: 'Zoë', lastName: 'Bowen-Smith', email: 'z@travel.example', associatedId: 'shop/00417' },
  media: { companyName: 'Ångström Media Ltd', email: 'a.b@agency.example.com', associatedId: 'm-1' },
  rene: { firstName: 'René', lastName: 'Łukasiewicz', email: 'RL@Example.NET', associatedId: 'm-2' },
  mina: { firstName: 'مینا', lastName: 'کریمی', email: 'mina@x.org', associatedId: 'm-3' },
  emoji: { firstName: 'Ada 🦊🦊🦊', lastName: '"*():^ OR NEAR', email: 'q@x.org', associatedId: "%_\\';--" },
  li: { firstName: '李明', lastName: '陳', email: 'li@x.org', associatedId: '١٢٣٤' },
};

const newCustomer = async (input: object, by = client): Promise<string> => {
  const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  const given = { firstName: 'Aa', lastName: 'Bb', ...input };
  return (await by.graphql(document, { input: given })).createCustomer.id;
};

const find = async (query: string, by = client, options: object = {}): Promise<any[]> =>
  (
    await by.graphql(
      `query ($query: String!, $first: Int, $types: [SearchType!]) {
        search(query: $query, first: $first, types: $types) { id: nodeId type title node { id } } }`,
      { query, ...options },
    )
  ).search;

const openTenant = async (alias: string) =>
  openScheduledTenant(app.service, (await findTenant(app.service, alias))!);

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  [client, other] = [await app.tenant({ alias: 'acme' }), await app.tenant({ alias: 'globex' })];
  world = await fillTenant(client, 'acme');
  for (const [name, input] of Object.entries(people)) ids[name] = await newCustomer(input);
  const { invoice } = await client.graphql('query ($id: ID!) { invoice(id: $id) { documentNumber } }', {
    id: world.invoice,
  });
  ids['number'] = invoice.documentNumber;
});
afterAll(() => app.close());

const parts: [query: string, name: keyof typeof people][] = [
  ['travel.example', 'owen'],
  ['TRAVEL.EX', 'owen'],
  ['owen', 'owen'],
  ['smith zoe', 'owen'],
  ['00417', 'owen'],
  ['media ltd', 'media'],
  ['angstrom', 'media'],
  ['ltd  agency', 'media'],
  ['ene luka', 'rene'],
  ['example.net', 'rene'],
  ['مینا', 'mina'],
  // As an Arabic keyboard writes it, with a mark of direction.
  ['\u200fكريمي', 'mina'],
  ['🦊🦊🦊', 'emoji'],
  ['():^', 'emoji'],
  ['%_\\', 'emoji'],
  ['or near', 'emoji'],
  ['李明', 'li'],
  ['234', 'li'],
];

const hostile = [
  '"""',
  '*():^',
  '%%%',
  '___',
  'NEAR(a b)',
  'text:owen',
  '\u0000\u0000\u0000',
  'a\u0000b',
  '\u200f\u200f\u200f',
  '\ud800\ud800\ud800',
  "' or 1=1 --",
  'owen" OR "zoe',
  '-owen',
  '\\\\\\',
  '🦊🦊🦊🦊',
];

describe.each([
  ['before the index has them', async () => {}],
  ['from the index', async () => indexTenant(await openTenant('acme'))],
  [
    'from an index that was made anew',
    async () => void (await perennial(app.database, ['reindex', '--tenant', 'acme'])),
  ],
])('%s', (_, prepare) => {
  beforeAll(prepare);

  it.each(parts)('%j finds the customer %s', async (query, name) => {
    const hits = await find(query, client, { types: ['customer'] });
    expect(hits.map(({ id }) => id)).toContain(ids[name]);
    expect(hits.every(({ id, node }) => node.id === id)).toBe(true);
    expect(await find(query, other)).toEqual([]);
  });

  it('finds documents, orders, cards and ids by a part', async () => {
    for (const [query, type, id] of [
      [ids['number']!.slice(2), 'invoice', world.invoice],
      [world.customer.slice(-9), 'customer', world.customer],
      [world.subscription.slice(-9).toUpperCase(), 'subscription', world.subscription],
    ] as const)
      expect((await find(query)).map((hit) => [hit.type, hit.id])).toContainEqual([type, id]);
    const { customer } = await client.graphql(
      'query ($id: ID!) { customer(id: $id) { paymentMethods { nodes { id last4 } } } }',
      { id: world.customer },
    );
    const cards = customer.paymentMethods.nodes.filter(({ last4 }: any) => last4 !== null);
    for (const { id, last4 } of cards)
      expect(await find(last4, client, { types: ['payment_method'], first: 50 })).toContainEqual(
        expect.objectContaining({ id, type: 'payment_method' }),
      );
  });

  it.each(hostile)('%j is a text like others', async (query) => {
    const { status, body } = await client.post(
      'query ($query: String!) { search(query: $query) { title } }',
      { query },
    );
    expect(status).toBeLessThan(500);
    expect(body.errors?.[0].extensions.reason ?? 'validation_failed').toBe('validation_failed');
  });
});

it('reduces the lists to what is found, in pages', async () => {
  const list = async (field: string, search: string, args: object = {}, by = client) =>
    (
      await by.graphql(
        `query ($search: String, $first: Int, $after: String) {
          list: ${field}(search: $search, first: $first, after: $after) {
            totalCount pageInfo { endCursor hasNextPage } nodes { id } } }`,
        { search, ...args },
      )
    ).list;
  for (const [field, search, id] of [
    ['customers', 'travel.example', ids['owen']],
    ['invoices', ids['number']!.slice(3), world.invoice],
    ['invoices', world.customer.slice(-9), world.invoice],
    ['subscriptions', world.customer, world.subscription],
    ['creditNotes', world.customer, world.creditNote],
  ] as const) {
    expect((await list(field, search)).nodes).toContainEqual({ id });
    expect(await list(field, search, {}, other)).toMatchObject({ totalCount: 0, nodes: [] });
  }
  for (const field of ['payments', 'disputes', 'intents'])
    expect((await list(field, world.customer)).totalCount).toBe(
      (await list(field, 'no such one')).totalCount +
        (await list(field, world.customer, { first: 100 })).nodes.length,
    );
  const whole = (await list('customers', 'x.org', { first: 100 })).nodes;
  const pages: object[] = [];
  for (let after: string | undefined; ;) {
    const page = await list('customers', 'x.org', { first: 2, after });
    expect(page.totalCount).toBe(whole.length);
    pages.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  expect(pages).toEqual(whole);
  const { pageInfo } = await list('customers', 'x.org', { first: 2 });
  const document = 'query ($after: String) { customers(search: "mina", after: $after) { totalCount } }';
  for (const [query, reason] of [
    [document, 'cursor_invalid'],
    ['{ customers(search: "a") { totalCount } }', 'validation_failed'],
  ] as const)
    expect(
      (await client.post(query, query === document ? { after: pageInfo.endCursor } : {})).body.errors[0]
        .extensions.reason,
    ).toBe(reason);
});

it('finds the exact text first, then beginnings, then parts', async () => {
  const names = ['xx kestrel', 'a-kestrel', 'kestrel wing', 'kestrel'];
  for (const [place, companyName] of names.entries())
    await newCustomer({ companyName, email: `k${place}@x.org`, associatedId: `k-${place}` });
  const expected = ['kestrel', 'kestrel wing', 'xx kestrel', 'a-kestrel'];
  expect((await find('kestrel')).map(({ title }) => title)).toEqual(expected);
  await indexTenant(await openTenant('acme'));
  expect((await find('kestrel')).map(({ title }) => title)).toEqual(expected);
});

it('follows changes, and forgets an erased customer at once', async () => {
  const id = await newCustomer({ companyName: 'Perigee Works', email: 'p@x.org', associatedId: 'p-1' });
  await indexTenant(await openTenant('acme'));
  await client.graphql(
    'mutation ($id: ID!) { updateCustomer(id: $id, input: { companyName: "Apogee" }) { id } }',
    { id },
  );
  for (const isIndexed of [false, true]) {
    if (isIndexed) await indexTenant(await openTenant('acme'));
    expect((await find('pogee')).map((hit) => hit.id)).toEqual([id]);
    expect(await find('erigee')).toEqual([]);
  }
  await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
  expect(await find('pogee')).toEqual([]);
  const left = await app.backdoor.all(
    `select id from search_entries where id = '${id}' or text like '%pogee%'`,
  );
  expect(left).toEqual([]);
  await indexTenant(await openTenant('acme'));
  expect(await find('pogee')).toEqual([]);
});

it('has what the erasure of a customer left of orders, payment methods and codes', async () => {
  const shop = createShop(client, 'acme');
  const customer = await shop.customer();
  const { price } = await shop.product({ name: 'Tern' });
  const { id: subscriptionId } = await shop.subscribe(customer, price, { orderNumber: 'tern-order-1' });
  await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id: subscriptionId });
  const [coupon] = (await client.graphql('{ coupons(first: 1) { nodes { id } } }')).coupons.nodes;
  await client.graphql(
    'mutation ($input: CreatePromotionCodeInput!) { createPromotionCode(input: $input) { id } }',
    { input: { code: 'TERN-FOR-ADA', couponId: coupon.id, customerId: customer.id } },
  );
  await indexTenant(await openTenant('acme'));
  expect((await find('tern-for')).map(({ type }) => type)).toEqual(['promotion_code']);
  await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
  const entries = `select id from search_entries where text like '%tern-for%' or id = '${customer.id}'`;
  expect(await app.backdoor.all(entries)).toEqual([]);
  expect(await find('tern-for')).toEqual([]);
  await indexTenant(await openTenant('acme'));
  expect(await find('tern-for')).toEqual([]);
  expect((await find('tern-order')).map(({ type }) => type)).toEqual(['intent']);
  expect((await perennial(app.database, ['doctor', '--json'])).json.findings).toEqual([]);
});

it('is checked by the doctor', async () => {
  const examine = async () => (await perennial(app.database, ['doctor', '--json'])).json.findings;
  expect(await examine()).toEqual([]);
  await app.backdoor.execute(`delete from search_entries where id = '${ids['owen']}'`);
  expect(await examine()).toEqual([expect.objectContaining({ check: 'search', subject: ids['owen'] })]);
  expect((await perennial(app.database, ['reindex'])).out).toBe('Indexed 2 tenants.\n');
  expect(await examine()).toEqual([]);
});
