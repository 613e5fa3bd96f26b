/** Customers found by the client's own identifier: exactly that one, of that tenant alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let clients: Client[];
const ids = ['user-1', 'USER-1', 'user-10', 'user_1', 'user%', 'ß', 'ı'];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  clients = [await app.tenant({ alias: 'acme' }), await app.tenant({ alias: 'other' })];
  for (const [index, client] of clients.entries()) {
    for (const associatedId of ids) {
      const person = { email: 'ada@example.com', firstName: `of ${index}`, lastName: 'L', associatedId };
      await client.graphql(
        'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
        { input: person },
      );
    }
  }
});
afterAll(() => app.close());

const document = `query ($id: String, $email: String) {
  customers(associatedId: $id, email: $email) { nodes { associatedId firstName } nextCursor }
}`;

it.each(ids)('finds only %s', async (id) => {
  for (const [index, client] of clients.entries()) {
    const { customers } = await client.graphql(document, { id });
    expect(customers).toEqual({
      nodes: [{ associatedId: id, firstName: `of ${index}` }],
      nextCursor: null,
    });
  }
});

it.each<[string, Record<string, unknown>, number]>([
  ['an unknown identifier', { id: 'user-2' }, 0],
  ['a part of one', { id: 'user' }, 0],
  ['one with a space after it', { id: 'user-1 ' }, 0],
  ['one, and an address that is its customer’s', { id: 'user-1', email: 'ada@example.com' }, 1],
  ['one, and an address of another', { id: 'user-1', email: 'bob@example.com' }, 0],
  ['none', { id: null }, ids.length],
])('returns %s', async (_, variables, count) => {
  const { customers } = await clients[0]!.graphql(document, variables);
  expect(customers.nodes).toHaveLength(count);
});
