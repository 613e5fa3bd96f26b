/** Metadata of intents, subscriptions, invoices and payments: given, carried, replaced, shown to the tenant alone, erased. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createShop, type Shop } from '../support/shop.ts';
import { page, postFromPage } from '../access/browsers/browserApp.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
let price: any;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme', test: true, clock: '2026-01-31T10:00:00.000Z' });
  shop = createShop(client, 'acme');
  ({ price } = await shop.product());
});
afterAll(() => app.close());

const create = `mutation ($input: CreateSubscriptionIntentInput!) {
  createSubscriptionIntent(input: $input) { id metadata }
}`;
const bill = `mutation ($input: CreateInvoiceInput!) {
  createInvoice(input: $input) { id status metadata payments { id kind metadata } }
}`;
const writeUpdate = (kind: string) =>
  `mutation ($id: ID!, $input: Update${kind}Input!) { update${kind}(id: $id, input: $input) { id metadata } }`;
const update = (kind: string, id: string, metadata: unknown) =>
  client.post(writeUpdate(kind), { id, input: { metadata } });
const orderInput = (customer: any, of: any, fields: object) => {
  const { tenantAlias: _, ...input } = shop.intentInput(customer, of, fields) as Record<string, unknown>;
  return input;
};
const order = async (customer: any, fields: object, of = price) =>
  client.post(create, { input: orderInput(customer, of, fields) });
/** A new subscription by an order with metadata. */
async function subscribe(metadata: object | undefined, of = price) {
  const customer = await shop.customer();
  const { createSubscriptionIntent: intent } = (await order(customer, { metadata }, of)).body.data;
  const { subscriptionId } = await shop.confirm(intent.id);
  return { customer, intentId: intent.id as string, id: subscriptionId as string };
}
const readAll = async (id: string) => {
  const { subscription, invoices } = await client.graphql(
    `query ($id: ID!) {
      subscription(id: $id) { metadata }
      invoices(subscriptionId: $id, first: 20, order: ASC) {
        nodes { id billingReason metadata payments { id kind metadata } }
      }
    }`,
    { id },
  );
  return { metadata: subscription.metadata, invoices: invoices.nodes as any[] };
};
const advance = (to: string) =>
  client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
async function readTraces(): Promise<any[]> {
  const nodes: any[] = [];
  for (let after: string | null = null; ;) {
    const { traces }: any = await client.graphql(
      'query ($after: String) { traces(first: 100, order: ASC, after: $after) { nodes { payload } pageInfo { endCursor hasNextPage } } }',
      { after },
    );
    nodes.push(...traces.nodes.map(({ payload }: any) => payload));
    if (!traces.pageInfo.hasNextPage) return nodes;
    after = traces.pageInfo.endCursor;
  }
}
const listReasons = ({ body }: any) => body.errors.map(({ extensions }: any) => extensions.reason);

describe('is carried', () => {
  it('from the intent to the subscription, its invoices and their payments, as it is at the moment', async () => {
    const [spring, autumn] = [{ campaign: 'spring' }, { campaign: 'autumn', seats: '3' }];
    const { customer, intentId, id } = await subscribe(spring);
    const first = await readAll(id);
    expect(first).toMatchObject({
      metadata: spring,
      invoices: [{ metadata: spring, payments: [{ metadata: spring }] }],
    });
    await update('Subscription', id, autumn);
    await advance('2026-03-01T00:00:00Z');
    const { invoices } = await readAll(id);
    expect(invoices).toMatchObject([
      { metadata: spring },
      { billingReason: 'cycle', metadata: autumn, payments: [{ metadata: autumn }] },
    ]);
    await client.graphql('mutation ($id: ID!) { refundInvoice(id: $id) { id } }', { id: invoices[1].id });
    const refunded = (await readAll(id)).invoices[1].payments;
    expect(refunded.find(({ kind }: any) => kind === 'refund').metadata).toEqual(autumn);
    // Neither invoices of before nor the order follow a later change, and the interface's fields stay as they are.
    const shown = await client.rest('GET', `/subscriptions/intent/${intentId}`, { tenantAlias: 'acme' });
    expect([shown.status, shown.text.includes('spring')]).toEqual([200, false]);
    const { body } = await client.rest('GET', `/subscriptions/${id}`, { tenantAlias: 'acme' });
    expect(body.metadata).toEqual(autumn);
    await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });
    await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
    const erased = await readAll(id);
    expect(JSON.stringify([erased, await readTraces()])).not.toMatch(/spring|autumn/);
    expect(erased.invoices.map(({ metadata }) => metadata)).toEqual([{}, {}]);
  });

  it('by an order that changes the plan, at once or with the next period; without any the metadata stays', async () => {
    const { id: groupId } = await shop.group({ prorateUpgrades: true });
    const sell = async (amount: number) => (await shop.product({ groupId, amount })).price;
    const [small, middle, large] = [await sell(5), await sell(20), await sell(80)];
    const { customer, id } = await subscribe({ step: 'one' }, middle);
    const buy = async (of: any, fields: object) => {
      const { body } = await order(customer, fields, of);
      await shop.confirm(body.data.createSubscriptionIntent.id);
      return readAll(id);
    };
    const upgraded = await buy(large, { metadata: { step: 'two' } });
    expect(upgraded.metadata).toEqual({ step: 'two' });
    expect(upgraded.invoices.at(-1)).toMatchObject({
      billingReason: 'plan_change',
      metadata: { step: 'two' },
      payments: [{ metadata: { step: 'two' } }],
    });
    expect((await buy(small, { metadata: { step: 'three' } })).metadata).toEqual({ step: 'two' });
    await advance('2026-04-02T00:00:00Z');
    const renewed = await readAll(id);
    expect([renewed.metadata, renewed.invoices.at(-1).metadata]).toEqual([
      { step: 'three' },
      { step: 'three' },
    ]);
    const again = await buy(middle, {});
    expect([again.metadata, again.invoices.at(-1).metadata]).toEqual([{ step: 'three' }, { step: 'three' }]);
    // A change by the server has no order of its own.
    await client.graphql(
      `mutation ($id: ID!, $price: ID!) {
        changeSubscription(id: $id, input: { priceId: $price, billing: charge_now }) { id }
      }`,
      { id, price: large.id },
    );
    const changed = await readAll(id);
    expect([changed.metadata, changed.invoices.at(-1).metadata]).toEqual([
      { step: 'three' },
      { step: 'three' },
    ]);
  });

  it('from an invoice of charges to its payments', async () => {
    const customer = await shop.customer();
    await subscribe(undefined);
    const input = {
      customerId: customer.id,
      items: [{ amount: { amount: 4, currency: 'afn' }, description: 'Work' }],
      collect: 'send_invoice',
      metadata: { project: 'a' },
    };
    const { createInvoice: invoice } = await client.graphql(bill, { input });
    expect(invoice).toMatchObject({ status: 'open', metadata: { project: 'a' }, payments: [] });
    await update('Invoice', invoice.id, { project: 'b' });
    const { recordPayment: paid } = await client.graphql(
      `mutation ($id: ID!) {
        recordPayment(id: $id, input: { reference: "17" }) { metadata payments { id metadata } }
      }`,
      { id: invoice.id },
    );
    expect(paid).toMatchObject({ metadata: { project: 'b' }, payments: [{ metadata: { project: 'b' } }] });
    await update('Payment', paid.payments[0].id, { ledger: '4711' });
    const { payment } = await client.graphql('query ($id: ID!) { payment(id: $id) { metadata invoiceId } }', {
      id: paid.payments[0].id,
    });
    expect(payment).toEqual({ metadata: { ledger: '4711' }, invoiceId: invoice.id });
  });
});

it('belongs to the request of an order number, in any order of its keys', async () => {
  const customer = await shop.customer();
  const give = (metadata: object) => order(customer, { metadata, orderNumber: 'order-1' });
  const { id } = (await give({ a: '1', b: '2' })).body.data.createSubscriptionIntent;
  expect((await give({ b: '2', a: '1' })).body.data.createSubscriptionIntent.id).toBe(id);
  expect(listReasons(await give({ a: '1', b: '3' }))).toEqual(['order_number_reused']);
});

describe('of a record', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const { id, intentId } = await subscribe(undefined);
    const { invoices } = await readAll(id);
    Object.assign(ids, {
      Intent: intentId,
      Subscription: id,
      Invoice: invoices[0].id,
      Payment: invoices[0].payments[0].id,
    });
  });

  it.each(['Intent', 'Subscription', 'Invoice', 'Payment'])('%s: is replaced whole', async (kind) => {
    const id = ids[kind]!;
    const before = (await readTraces()).length;
    for (const [given, expected] of [
      [null, {}],
      [{}, {}],
      [
        { a: '1', b: '2' },
        { a: '1', b: '2' },
      ],
      [undefined, { a: '1', b: '2' }],
      [{ b: 'é 🦉\t' }, { b: 'é 🦉\t' }],
      [null, {}],
    ]) {
      const { body } = await update(kind, id, given);
      expect(body.data[`update${kind}`]).toEqual({ id, metadata: expected });
    }
    const events = (await readTraces()).slice(before);
    expect(events.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ['updated', id],
      ['updated', id],
      ['updated', id],
    ]);
    expect(events.map(({ changes }) => changes.metadata[1])).toEqual([
      { a: '1', b: '2' },
      { b: 'é 🦉\t' },
      {},
    ]);
  });

  it.each(['Intent', 'Subscription', 'Invoice', 'Payment'])(
    '%s: is one of 50 that come at once, each after the other',
    async (kind) => {
      const id = ids[kind]!;
      const before = (await readTraces()).length;
      const given = Array.from({ length: 50 }, (_, nth) => ({ nth: String(nth) }));
      const answers = await Promise.all(given.map((metadata) => update(kind, id, metadata)));
      expect(answers.map(({ body }) => body.data[`update${kind}`].metadata)).toEqual(given);
      const events = (await readTraces()).slice(before);
      expect(events).toHaveLength(50);
      expect(events.slice(1).map(({ changes }) => changes.metadata[0])).toEqual(
        events.slice(0, -1).map(({ changes }) => changes.metadata[1]),
      );
      const left = await update(kind, id, undefined);
      expect(left.body.data[`update${kind}`].metadata).toEqual(events.at(-1).changes.metadata[1]);
    },
  );

  it.each<[string, unknown]>([
    ['a number', { a: 1 }],
    ['null as a value', { a: null }],
    ['a list', { a: ['b'] }],
    ['an object', { a: { b: 'c' } }],
    ['a list of pairs', [['a', 'b']]],
    ['a text', 'a'],
    ['a long key', { ['k'.repeat(41)]: 'a' }],
    ['a long value', { a: 'v'.repeat(501) }],
    ['too many keys', Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`k${nth}`, 'a']))],
    ['a NUL', { a: 'b\u0000c' }],
    ['a NUL in a key', { 'a\u0000': 'b' }],
    ['half a character', { a: '\ud800' }],
    ['a prototype that is no text', JSON.parse('{ "__proto__": { "polluted": "yes" } }')],
  ])('refuses %s', async (_, metadata) => {
    const customer = await shop.customer();
    const items = [{ amount: { amount: 4, currency: 'afn' }, description: 'Work' }];
    const answers = [
      await order(customer, { metadata }),
      await client.post(bill, { input: { customerId: customer.id, items, metadata } }),
    ];
    for (const [kind, id] of Object.entries(ids)) answers.push(await update(kind, id, metadata));
    for (const { body, status } of answers) {
      expect(status).toBeLessThan(500);
      expect(body.errors[0].extensions.reason, JSON.stringify(body)).toMatch(
        /^(validation_failed|request_malformed)$/,
      );
    }
    expect(({} as any).polluted).toBeUndefined();
  });

  it('keeps a key of any name', async () => {
    const metadata = JSON.parse('{ "__proto__": "a", "constructor": "b", "toString": "c" }');
    for (const [kind, id] of Object.entries(ids)) {
      const { text } = await update(kind, id, metadata);
      expect(text).toContain('"metadata":{"__proto__":"a","constructor":"b","toString":"c"}');
    }
  });
});

it('is neither read nor given by the session of a customer', async () => {
  const { customer, id } = await subscribe({ margin: 'high' });
  await client.graphql(
    'mutation ($page: [String!]) { updateTenant(input: { allowedOrigins: $page }) { alias } }',
    { page: [page] },
  );
  const { createCustomerSession: session } = await client.graphql(
    'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
    { input: { customerId: customer.id, allow: ['subscribe', 'change_subscription', 'pay_invoice'] } },
  );
  const { price: other } = await shop.product();
  const { associatedCustomerId: _, ...input } = orderInput(customer, other, { metadata: { margin: 'low' } });
  for (const [query, variables] of [
    ['{ viewer { customer { metadata } } }', {}],
    ['{ viewer { customer { subscriptions { nodes { metadata } } } } }', {}],
    ['{ viewer { customer { invoices { nodes { metadata } } } } }', {}],
    ['query ($id: ID!) { node(id: $id) { ... on SubscriptionContract { metadata } } }', { id }],
    [writeUpdate('Subscription'), { id, input: { metadata: {} } }],
    [create, { input }],
  ] as const) {
    const { body, text } = await postFromPage(app, session.token, { query, variables });
    expect(body.errors?.length, text).toBeGreaterThan(0);
    expect(text).not.toMatch(/high|low/);
  }
  expect((await readAll(id)).metadata).toEqual({ margin: 'high' });
});
