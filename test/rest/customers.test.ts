import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

test('try', async () => {
  const a = await client.rest('POST', '/customers', { tenantAlias: 'acme', email: 'a@b.co', firstName: 'A', lastName: 'B', associatedId: 'x1', metadata: JSON.parse('{"b":"1","a":"2","__proto__":"x"}') });
  console.log(a.status, a.text);
  const b = await client.rest('POST', '/customers', { tenantAlias: 'acme', email: 'ab.co', firstName: 5, associatedId: 'x1', foo: 1 });
  console.log(b.status, b.text);
  const c = await client.rest('POST', '/customers', { tenantAlias: 'acme', email: 'ab.co', firstName: 5, associatedId: 'x1' });
  console.log(c.status, c.text);
  const d = await client.rest('GET', '/customers', { limit: '5.0' });
  console.log(d.status, d.text);
  const e = await client.rest('GET', '/customers', { limit: '101' });
  console.log(e.status, e.text);
  console.log(await client.graphql('{ customers { edges { cursor node { id metadata } } pageInfo { hasNextPage endCursor } } }'));
  console.log((await client.post('{ customers(first: 0) { edges { cursor } } }')).text);
  console.log((await client.post('{ customer(id:"x") { foo } }')).text);
  console.log((await client.post('{ customer(id:"x") { id } }')).text);
  console.log((await client.post('mutation ($i: CreateCustomerInput!) { createCustomer(input: $i) { id } }', {i: {email:"a", firstName: 1}})).text);
  expect(a.status).toBe(201);
});
