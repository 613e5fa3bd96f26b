/** Payload by query: an endpoint is sent what its GraphQL document asks of the event, and nothing else. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop } from '../../support/shop.ts';
import {
  customers,
  createEndpoint,
  openReceiver,
  rename,
  status,
  verify,
  type Receiver,
} from './receiver.ts';

let app: TestApp;
let receiver: Receiver;
let client: Client;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  app = await startApp({ webhookAllowPrivate: 'on', rateLimitPerSecond: '1000000' });
});
afterAll(() => app.close());
beforeEach(async () => {
  receiver = await openReceiver();
  alias = `acme-${++tenants}`;
  client = await app.tenant({ alias, test: true, clock: '2026-01-31T00:00:00.000Z' });
});
afterEach(() => receiver.close());

const createDocument = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id } }
}`;
const deliver = () => app.service.dispatcher.deliverDue(app.service, alias);

describe('a payload', () => {
  it('is the result of the query, also through related records', async () => {
    const query = `query Paid {
      type
      subscription { subscriptionId agreedPrice { amount currency } customer { email } product { name } }
      invoice { total { amount } lines { description } }
      changes
    }`;
    const events = ['SubscriptionEvent.created', 'InvoiceEvent'];
    const { secret } = await createEndpoint(client, { url: receiver.url, events, query });
    const shop = createShop(client, alias);
    const { price } = await shop.product({ name: 'Pro', amount: 12.5 });
    const subscription = await shop.subscribe(await shop.customer({ email: 'ada@example.org' }), price);
    await deliver();
    const agreed = {
      subscriptionId: subscription.id,
      agreedPrice: { amount: 12.5, currency: 'afn' },
      customer: { email: 'ada@example.org' },
      product: { name: 'Pro' },
    };
    for (const message of receiver.received) {
      const { type, sequence, timestamp, data, ...rest } = verify(secret, message) as any;
      expect(rest).toEqual({});
      expect(data.type).toBe(type);
      expect(timestamp).toBe('2026-01-31T00:00:00.000Z');
      expect(sequence).toBeGreaterThan(0);
      expect(Object.keys(data)).toEqual(['type', 'subscription', 'invoice', 'changes']);
      if (type === 'SubscriptionEvent.created') expect(data.subscription).toMatchObject(agreed);
      if (type.startsWith('InvoiceEvent')) expect(data.invoice.total).toEqual({ amount: 12.5 });
    }
    const types = receiver.received.map(({ body }) => body.type);
    expect(types).toContain('SubscriptionEvent.created');
    expect(types.some((type) => type.startsWith('InvoiceEvent'))).toBe(true);
  });

  it('has the record as of the event, also if it was deleted', async () => {
    await createEndpoint(client, {
      url: receiver.url,
      query: '{ action customer { customerId firstName } }',
    });
    const [ada] = await customers(client, 'ada');
    await rename(client, ada.id, 'Grace');
    await client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: ada.id });
    await deliver();
    expect(receiver.received.map(({ body }) => body.data)).toEqual([
      { action: 'created', customer: { customerId: ada.id, firstName: 'ada' } },
      { action: 'updated', customer: { customerId: ada.id, firstName: 'Grace' } },
      { action: 'deleted', customer: { customerId: ada.id, firstName: 'Grace' } },
    ]);
  });

  it('has exact amounts, and intervals', async () => {
    const query = '{ price { recurring { frequency period } details { amount currency } } }';
    await createEndpoint(client, { url: receiver.url, events: ['PriceEvent'], query });
    await createShop(client, alias).product({
      amount: 9_876_543_210.123,
      currency: 'kwd',
      recurring: { frequency: 'Weekly', period: 2 },
    });
    await deliver();
    expect(receiver.received[0]!.body.data.price).toEqual({
      recurring: { frequency: 'Weekly', period: 2 },
      details: { amount: 9_876_543_210.123, currency: 'kwd' },
    });
  });

  it('has the shape of events for which its query was stored', async () => {
    const query = '{ customer { __typename id ...Name } } fragment Name on Customer { firstName }';
    const refused = await client.post(createDocument, { input: { url: receiver.url, query } });
    expect(refused.body.errors[0].extensions.issues[0].message).toMatch(/Cannot query field "id"/);
    const { id } = await createEndpoint(client, {
      url: receiver.url,
      events: ['CustomerEvent'],
      query: '{ type }',
    });
    await app.backdoor.execute(
      `update webhook_endpoints set query = '${query}', query_shape = null where id = '${id}'`,
    );
    const fetchOutdated = async () =>
      (await client.graphql('query ($id: ID!) { webhookEndpoint(id: $id) { queryOutdated } }', { id }))
        .webhookEndpoint.queryOutdated;
    expect(await fetchOutdated()).toBe(true);
    const [ada] = await customers(client, 'ada');
    await deliver();
    await client.graphql(
      'mutation ($id: ID!, $query: String!) { updateWebhookEndpoint(id: $id, input: { query: $query }) { id } }',
      {
        id,
        query: query.replace(' id ', ' customerId ').replace('on Customer', 'on CustomerSnapshot'),
      },
    );
    expect(await fetchOutdated()).toBe(false);
    await rename(client, ada.id, 'Grace');
    await deliver();
    expect(receiver.received.map(({ body }) => body.data.customer)).toEqual([
      { __typename: 'Customer', id: ada.id, firstName: 'ada' },
      { __typename: 'CustomerSnapshot', customerId: ada.id, firstName: 'Grace' },
    ]);
  });

  it('stays the same for every attempt, also if the query of the endpoint changes', async () => {
    const { id } = await createEndpoint(client, {
      url: receiver.url,
      query: '{ action customer { firstName } }',
    });
    await customers(client, 'ada');
    receiver.answer(status(500));
    await deliver();
    await client.graphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { query: null }) { query } }',
      { id },
    );
    receiver.answer(status(200));
    const to = '2026-01-31T00:01:00Z';
    await client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
    const tries = receiver.received.filter(({ body }) => body.type === 'CustomerEvent.created');
    expect(tries).toHaveLength(2);
    expect(tries[1]!.text).toBe(tries[0]!.text);
  });

  it('can be tried by the root field `event`', async () => {
    const query = '{ type action resourceId object changes customer { firstName } trace { eventId } }';
    await createEndpoint(client, { url: receiver.url, query });
    await customers(client, 'ada');
    await deliver();
    const { data } = receiver.received[0]!.body;
    const { event } = await client.graphql(`query ($id: ID!) { event(id: $id) ${query} }`, {
      id: data.trace.eventId,
    });
    expect(data).toEqual(event);
  });

  it('shows no records of another tenant, also if a record refers to them', async () => {
    const victim = await app.tenant({ alias: `victim-${tenants}`, test: true });
    const [secretive] = await customers(victim, 'victim');
    const query = '{ subscription { customer { firstName } } customer { firstName } }';
    await createEndpoint(client, { url: receiver.url, events: ['SubscriptionEvent'], query });
    const shop = createShop(client, alias);
    const { price } = await shop.product();
    const { id } = await shop.subscribe(await shop.customer(), price);
    await app.backdoor.execute(`update subscriptions set customer_id = '${secretive.id}' where id = '${id}'`);
    await client.graphql('mutation ($id: ID!) { pauseSubscription(id: $id) { id } }', { id });
    await deliver();
    expect(receiver.received.length).toBeGreaterThan(1);
    for (const { text } of receiver.received) expect(text).not.toContain('victim');
  });
});

describe('a query', () => {
  const deep = (levels: number) =>
    `{ customer ${'{ activeSubscriptions { customer '.repeat(levels)}{ id }${' } }'.repeat(levels)} }`;

  it.each<[string, string, RegExp]>([
    ['is no document', '{ customer {', /Syntax Error/],
    ['is empty', '', /Syntax Error/],
    ['asks for what there is not', '{ nothing }', /Cannot query field/],
    ['asks for the schema', '{ __schema { types { name } } }', /introspection/i],
    ['is a mutation', 'mutation { createGroup(input: { name: "A" }) { id } }', /one query/],
    ['is two', 'query A { type } query B { type }', /one query/],
    ['is none', 'fragment F on Event { type }', /never used/],
    ['has variables', 'query ($a: ID!) { type }', /never used|variables/],
    ['asks for the root of the service', '{ customers { nodes { id } } }', /Cannot query field/],
    ['is too deep', deep(9), /deep|objects/],
    [
      'is too long',
      `{ ${Array.from({ length: 3000 }, (_, i) => `a${i}: type`).join(' ')} }`,
      /must be at most|tokens|fields/i,
    ],
    ['costs too much', deep(6), /costs|deep/],
  ])('that %s is refused when it is saved', async (_, query, message) => {
    const { body } = await client.post(createDocument, { input: { url: receiver.url, query } });
    const { reason, issues } = body.errors[0].extensions;
    expect(reason).toBe('validation_failed');
    expect(issues).toHaveLength(1);
    expect(issues[0].path).toBe('query');
    expect(issues[0].message).toMatch(message);
    expect(issues[0].message).not.toMatch(/Did you mean/);
    const { webhookEndpoints } = await client.graphql('{ webhookEndpoints { nodes { id } } }');
    expect(webhookEndpoints.nodes).toEqual([]);
  });
});
