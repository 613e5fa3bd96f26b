/** The search over all records, on records of every type, and of two tenants. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { signInOperator } from '../../support/operators.ts';
import { fillTenant, type World } from '../../support/world.ts';

const search = `query ($query: String!, $first: Int, $types: [SearchType!]) {
  search(query: $query, first: $first, types: $types) {
    id: nodeId node { id } type title detail parentId customer { id } } }`;

let app: TestApp;
let client: Client;
let other: Client;
let world: World;
const ids: Record<string, string> = {};

const newCustomer = async (input: object, by = client): Promise<string> => {
  const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  const given = { email: 'a@example.org', firstName: 'A', lastName: 'B', ...input };
  return (await by.graphql(document, { input: given })).createCustomer.id;
};

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  [client, other] = [await app.tenant({ alias: 'acme', test: true }), await app.tenant({ alias: 'globex' })];
  world = await fillTenant(client, 'acme');
  ids['ada'] = await newCustomer({
    associatedId: 'user-77',
    firstName: 'Ada Maria',
    lastName: 'Lovelace',
    email: 'Ada.L@Example.com',
  });
  ids['umlaut'] = await newCustomer({
    associatedId: 'u-1',
    firstName: 'Ünal',
    lastName: 'ÖZ',
    email: 'oz@x.org',
  });
  ids['company'] = await newCustomer({
    associatedId: 'u-2',
    companyName: 'Straße & Söhne',
    email: 'st@x.org',
  });
  await newCustomer({ associatedId: 'user-77', firstName: 'Ada', lastName: 'Lovelace' }, other);
  const { createCoupon } = await client.graphql(
    'mutation { createCoupon(input: { name: "Winter Sale", percentOff: "5", duration: once }) { id } }',
  );
  ids['coupon'] = createCoupon.id;
});
afterAll(() => app.close());

const find = async (query: string, options: object = {}, by = client) =>
  (await by.graphql(search, { query, ...options })).search;

describe('a customer', () => {
  it.each([
    ['ada', 'ada'],
    ['ada', 'ADA MARIA'],
    ['ada', 'love'],
    ['ada', 'Ada Maria Love'],
    ['ada', 'lovelace  ada'],
    ['ada', 'Ada.L@'],
    ['ada', 'ada.l@EXAMPLE'],
    ['ada', 'user-7'],
    ['umlaut', 'ünal'],
    ['umlaut', 'öz ün'],
    ['company', 'straße & s'],
  ])('%s is found by %j', async (name, query) => {
    const hits = await find(query, { types: ['customer'] });
    expect(hits.map(({ id }: any) => id)).toContain(ids[name]);
  });

  it('is found by the new name after a change, and by none once erased', async () => {
    const id = await newCustomer({
      associatedId: 'gone',
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'g@x.org',
    });
    await client.graphql(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { lastName: "Murray", companyName: "Navy" }) { id } }',
      { id },
    );
    const listIds = async (query: string) => (await find(query)).map((hit: any) => hit.id);
    expect(await listIds('hopper')).not.toContain(id);
    for (const query of ['murray', 'navy', 'grace mur']) expect(await listIds(query)).toContain(id);
    await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    for (const query of ['murray', 'navy', 'grace', 'g@x']) expect(await listIds(query)).not.toContain(id);
  });
});

it('finds records of each type by their ids', async () => {
  const records: [string, string][] = [
    ['customer', world.customer],
    ['subscription', world.subscription],
    ['invoice', world.invoice],
    ['credit_note', world.creditNote],
    ['product', world.product],
    ['price', world.sparePrice],
    ['coupon', ids['coupon']!],
    ['event', world.eventId],
  ];
  for (const [type, id] of records) {
    expect((await find(id)).map((hit: any) => [hit.type, hit.id, hit.node.id])).toEqual([[type, id, id]]);
    // An id may be typed in part.
    expect((await find(id.slice(0, -3), { first: 50 })).map((hit: any) => hit.id)).toContain(id);
    expect(await find(id, {}, other)).toEqual([]);
  }
});

it('finds documents by number, coupons and codes by name', async () => {
  const { invoice } = await client.graphql(
    'query ($id: ID!) { invoice(id: $id) { documentNumber customerId } }',
    {
      id: world.invoice,
    },
  );
  const [hit] = await find(invoice.documentNumber.toLowerCase());
  expect(hit).toMatchObject({ id: world.invoice, type: 'invoice', customer: { id: invoice.customerId } });
  expect((await find('winter')).map((each: any) => each.id)).toEqual([ids['coupon']]);
});

it('finds prices by their nickname, and codes that are no longer active', async () => {
  const { createPrices } = await client.graphql(
    `mutation ($productId: ID!) { createPrices(input: { productId: $productId, prices: [
      { details: { amount: 9, currency: "usd" }, nickname: "Éarly Bird", recurring: { frequency: Monthly } }] }) { id } }`,
    { productId: world.product },
  );
  for (const query of ['éarly', 'ÉARLY BIRD'])
    expect(await find(query)).toEqual([
      expect.objectContaining({ id: createPrices[0].id, type: 'price', parentId: world.product }),
    ]);
  const { createPromotionCode: code } = await client.graphql(
    'mutation ($id: ID!) { createPromotionCode(input: { couponId: $id, code: "BFriday" }) { id } }',
    { id: ids['coupon'] },
  );
  await client.graphql(
    'mutation ($id: ID!) { updatePromotionCode(id: $id, input: { active: false }) { active } }',
    { id: code.id },
  );
  for (const query of ['bfri', 'BFRIDAY'])
    expect((await find(query)).map((hit: any) => hit.id)).toEqual([code.id]);
  expect(await find('éarly', {}, other)).toEqual([]);
});

it('shares the results among the types, and keeps to the limit', async () => {
  for (let index = 0; index < 8; index += 1)
    await newCustomer({ associatedId: `many-${index}`, firstName: 'Winter' });
  const hits = await find('winter', { first: 4 });
  expect(hits).toHaveLength(4);
  expect(hits.map(({ type }: any) => type)).toEqual(['customer', 'customer', 'customer', 'coupon']);
});

it('shows a viewer what it shows everybody, and nobody another tenant', async () => {
  const viewer = await signInOperator(app, { role: 'viewer', tenant: 'acme' });
  const { body } = await viewer.post(search, { query: 'user-77' });
  expect(body.data.search.map(({ id }: any) => id)).toEqual([ids['ada']]);
});

it.each(['', 'a', ' a ', 'x'.repeat(201)])('refuses the query %j', async (query) => {
  const { body } = await client.post(search, { query });
  expect(body.errors[0].extensions.reason).toBe('validation_failed');
});

it.each([
  "' or 1=1 --",
  '%%',
  '__',
  '\u{10ffff}\u{10ffff}',
  'ab\ud800',
  '\\\\',
  'cus_%',
  'constructor',
  '__proto__',
])('finds nothing by %j', async (query) => {
  const { body } = await client.post(search, { query });
  expect(body.data?.search ?? []).toEqual([]);
});
