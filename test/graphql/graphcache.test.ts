/** A normalized cache that knows the schema, as urql's users run it: every answer passes through it and comes back. */
import { Client as Urql, fetchExchange, subscriptionExchange, type AnyVariables } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let acme: Client;
let url: string;
beforeAll(async () => {
  app = await startApp();
  acme = await app.tenant({ alias: 'acme' });
  url = await listen(app);
});
afterAll(() => app.close());

/** A client whose cache has read the server's own introspection; `complaints` has what the cache finds wrong. */
async function openGraphcache(client: Client) {
  const { apiKey } = client;
  const introspection: IntrospectionQuery = await client.graphql(getIntrospectionQuery());
  const complaints: string[] = [];
  const sockets = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'api-key': apiKey },
  });
  const cache = cacheExchange({
    schema: introspection,
    keys: Object.fromEntries(keyless.map((name) => [name, () => null])),
    logger: (_, message) => complaints.push(message),
  });
  const live = subscriptionExchange({
    forwardSubscription: ({ query, variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: sockets.subscribe(
          { query: query!, variables: variables as Record<string, unknown> },
          sink as never,
        ),
      }),
    }),
  });
  const urql = new Urql({
    url: `${url}/graphql`,
    exchanges: [cache, fetchExchange, live],
    fetchOptions: { headers: { 'api-key': apiKey } },
    preferGetMethod: false,
  });
  const read = async (
    query: string,
    variables: AnyVariables = {},
    from: 'network-only' | 'cache-only' = 'network-only',
  ) => {
    const { data, error } = await urql.query(query, variables, { requestPolicy: from });
    if (error) throw error;
    return data;
  };
  return { urql, read, complaints, close: () => sockets.dispose() };
}

/** Objects without an id, which belong to the object that holds them. */
const keyless = ['Money', 'PageInfo', 'SubscriptionContractConnection', 'SubscriptionContractEdge'];

const listed = '{ subscriptions { edges { node { __typename id status agreedPrice { amount } } } } }';
const cancelled = `mutation ($id: ID!) { cancelSubscription(id: $id) { id status cancelledAt } }`;

it('a subscription is read, normalized and updated in a schema-aware cache', async () => {
  const shop = createShop(acme, 'acme');
  const { id } = await shop.subscribe(await shop.customer(), (await shop.product()).price);
  const { urql, read, complaints, close } = await openGraphcache(acme);

  const node = { __typename: 'SubscriptionContract', id, status: 'active', agreedPrice: { amount: 50 } };
  const fetched = await read(listed);
  expect(fetched.subscriptions.edges).toMatchObject([{ node }]);
  expect((await read(listed, {}, 'cache-only')).subscriptions.edges).toMatchObject([{ node }]);

  const { data } = await urql.mutation(cancelled, { id });
  expect(data.cancelSubscription).toMatchObject({ id, status: 'cancelled', cancelledAt: expect.any(String) });
  // The list in the cache holds the object that the mutation has changed.
  const [edge] = (await read(listed, {}, 'cache-only')).subscriptions.edges;
  expect(edge.node).toMatchObject({ id, status: 'cancelled' });
  expect(complaints).toEqual([]);
  await close();
});

it('a live event is received through the cache', async () => {
  const { urql, complaints, close } = await openGraphcache(acme);
  const followed = 'subscription ($after: ID) { traceRecorded(after: $after) { id activityType } }';
  const { traces } = await acme.graphql('{ traces(order: ASC, first: 1) { nodes { id } } }');
  const event = await new Promise<any>((resolve) => {
    const following = urql.subscription(followed, { after: traces.nodes[0].id }).subscribe((result) => {
      resolve(result);
      following.unsubscribe();
    });
  });
  expect(event.error).toBeUndefined();
  expect(event.data.traceRecorded).toMatchObject({
    activityType: expect.any(String),
    id: expect.stringMatching(/^evt_/),
  });
  expect(complaints).toEqual([]);
  await close();
});

it('the root types have the names that clients expect, and no other type has them', () => {
  expect(schema.getQueryType()!.name).toBe('Query');
  expect(schema.getMutationType()!.name).toBe('Mutation');
  expect(schema.getSubscriptionType()!.name).toBe('Subscription');
});
