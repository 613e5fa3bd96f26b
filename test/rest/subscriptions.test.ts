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
  const t = { tenantAlias: 'acme' };
  const c = (await client.rest('POST', '/customers', { ...t, email: 'a@b.co', firstName: 'A', lastName: 'B', associatedId: 'x1' })).body;
  const g = (await client.rest('POST', '/groups', { ...t, name: 'Plans' })).body;
  const p = (await client.rest('POST', '/products', { ...t, name: 'Pro', description: '', groupId: g.id, prices: [{ details: { amount: 50, currency: 'afn' } }] })).body;
  console.log(p);
  const i = await client.rest('POST', '/subscriptions/intent', { ...t, customerId: c.id, associatedCustomerId: 'x1', productId: p.product.id, priceId: p.prices[0].id, receiptUrl: 'https://x.y/z', orderNumber: '1', reason: 'because' });
  console.log(i.status, i.text);
  console.log((await client.post('mutation ($id: ID!) { confirmIntent(id: $id, paymentMethod: "sandbox_declined") { id status } }', { id: i.body.intentId })).text);
  console.log((await client.post('mutation ($id: ID!) { confirmIntent(id: $id, paymentMethod: "sandbox_ok") { id status subscription { id status product { name } price { details { amount } } agreedPrice { amount } nextBillingDate } } }', { id: i.body.intentId })).text);
  console.log((await client.rest('GET', '/subscriptions', { ...t, customer: c.id })).text);
  console.log((await client.rest('GET', '/subscriptions/active', { ...t, customer: c.id })).text);
  console.log(JSON.stringify((await client.graphql('{ invoices { nodes { number status total { amount currency } lines { kind amount { amount } explanation periodStart periodEnd } } } }')), null, 1));
  const tr = await client.graphql('{ traces(first: 100, order: ASC) { nodes { eventId parentId isRoot activityType payload } } }');
  console.log(tr.traces.nodes.map((n: any) => [n.eventId.slice(-6), n.parentId?.slice(-6), n.activityType, n.payload.action].join(' ')).join('\n'));
  console.log((await client.rest('DELETE', '/customers/' + c.id, { ...t, associatedId: 'x1' })).text);
  console.log((await client.rest('DELETE', '/groups/' + g.id, { ...t })).text);
  console.log((await client.post(`{ n: node(id: "${p.product.id}") { id } s: node(id: "${tr.traces.nodes[0].eventId}") { __typename id } }`)).text);
  expect(1).toBe(1);
});
