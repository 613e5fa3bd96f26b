/** Customers by the client's own identifier: read, created and changed by it, once each, in one tenant alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;
let other: Client;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
});
afterAll(() => app.close());

const person = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
const upsertDocument = `mutation ($input: UpsertCustomerInput!) {
  upsertCustomer(input: $input) { id associatedId email firstName lastName companyName metadata locale }
}`;
const upsert = async (input: object, by = client) =>
  (await by.graphql(upsertDocument, { input })).upsertCustomer;
const listTraces = async (id: string, by = client): Promise<any[]> =>
  (
    await by.graphql('{ traces(activityType: CustomerEvent, first: 100, order: ASC) { nodes { payload } } }')
  ).traces.nodes
    .map(({ payload }: any) => payload)
    .filter(({ resourceId }: any) => resourceId === id);

it('creates a customer, then changes what is given, and records both as they are', async () => {
  const created = await upsert({ ...person, associatedId: 'user-1', metadata: { plan: 'a' }, locale: 'de' });
  expect(created).toMatchObject({ ...person, associatedId: 'user-1', metadata: { plan: 'a' }, locale: 'de' });
  expect(await upsert({ ...person, associatedId: 'user-1', metadata: { plan: 'a' } })).toEqual(created);
  const changed = await upsert({
    associatedId: 'user-1',
    lastName: 'King',
    companyName: 'Engines',
    locale: null,
  });
  expect(changed).toEqual({ ...created, lastName: 'King', companyName: 'Engines', locale: null });
  const moved = await upsert({ associatedId: 'user-1', email: 'King@example.com' });
  expect(moved).toEqual({ ...changed, email: 'King@example.com' });
  const traces = await listTraces(created.id);
  expect(traces.map(({ action, changes }) => [action, changes])).toEqual(
    [
      ['created', {}],
      ['updated', { lastName: ['Lovelace', 'King'], companyName: [null, 'Engines'], locale: ['de', null] }],
      ['updated', { email: ['ada@example.com', 'King@example.com'] }],
    ].map(([action, changes]) => [action, JSON.parse(JSON.stringify(changes))]),
  );
  const { customers } = await client.graphql('{ customers(email: "King@example.com") { nodes { id } } }');
  expect(customers.nodes).toEqual([{ id: created.id }]);
});

it('makes one customer of fifty at once', async () => {
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, nth) =>
      upsert({ ...person, associatedId: 'race', metadata: { nth: String(nth) } }),
    ),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  const traces = await listTraces(made[0].id);
  expect(traces).toHaveLength(50);
  expect(traces.filter(({ action }) => action === 'created')).toHaveLength(1);
});

it('keeps the customers of two tenants apart', async () => {
  const mine = await upsert({ ...person, associatedId: 'shared' });
  const theirs = await upsert({ ...person, associatedId: 'shared', firstName: 'Grace' }, other);
  expect(theirs.id).not.toBe(mine.id);
  const document = '{ customer(associatedId: "shared") { id firstName } }';
  expect((await client.graphql(document)).customer).toEqual({ id: mine.id, firstName: 'Ada' });
  expect((await other.graphql(document)).customer).toEqual({ id: theirs.id, firstName: 'Grace' });
});

it('returns one result to a request that is repeated with its key', async () => {
  const input = { ...person, associatedId: 'repeated' };
  const headers = { 'idempotency-key': 'upsert-1' };
  const first = await client.post(upsertDocument, { input }, headers);
  await upsert({ associatedId: 'repeated', firstName: 'Grace' });
  const second = await client.post(upsertDocument, { input }, headers);
  expect(second.text).toBe(first.text);
});

const long = 'a'.repeat(256);
it.each<[string, object, string[]]>([
  [
    'a new customer without names',
    { associatedId: 'new', email: 'a@example.com' },
    ['firstName', 'lastName'],
  ],
  ['a new customer alone', { associatedId: 'new' }, ['email', 'firstName', 'lastName']],
  ['null for a name', { associatedId: 'user-1', firstName: null }, ['firstName']],
  ['null for an address', { associatedId: 'user-1', email: null }, ['email']],
  ['an empty identifier', { ...person, associatedId: '' }, ['associatedId']],
  ['a long identifier', { ...person, associatedId: long }, ['associatedId']],
  ['a long address', { ...person, associatedId: 'new', email: `a@${long}.com` }, ['input.email']],
  ['metadata that is not text', { ...person, associatedId: 'new', metadata: { a: 1 } }, ['metadata.a']],
])('refuses %s and creates nothing', async (_, input, paths) => {
  const { body, text } = await client.post(upsertDocument, { input });
  expect(body.errors[0].extensions, text).toMatchObject({ reason: 'validation_failed' });
  expect(body.errors[0].extensions.issues.map(({ path }: any) => path)).toEqual(paths);
  expect((await client.post('{ customer(associatedId: "new") { id } }')).body.data.customer).toBeNull();
});

it.each<[string, object, string, string]>([
  ['neither', {}, 'validation_failed', 'id'],
  ['null', { id: null, associatedId: null }, 'validation_failed', 'id'],
  ['both', { id: 'cus_1', associatedId: 'user-1' }, 'validation_failed', 'associatedId'],
  ['an unknown identifier', { associatedId: 'USER-1' }, 'customer_not_found', ''],
  ['an empty one', { associatedId: '' }, 'customer_not_found', ''],
])('refuses to find a customer by %s', async (_, variables, reason, path) => {
  const document =
    'query ($id: ID, $associatedId: String) { customer(id: $id, associatedId: $associatedId) { id } }';
  const { body } = await client.post(document, variables as Record<string, unknown>);
  const { extensions } = body.errors[0];
  expect([extensions.reason, extensions.issues?.[0]?.path ?? '']).toEqual([reason, path]);
});
