/** Connections within customers and groups, what an invoice refers to, and the number of items of any list. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { minutesAfter, multiply } from '../support/bulk.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
let other: Client;
/** One with three subscriptions, one of them cancelled; one with a single subscription; one with none. */
let [ada, bob, carl]: any[] = [];
let group: any;
/** The ids of the products of the group, oldest first; the first is deleted. */
const products: string[] = [];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
  const shop = createShop(client, 'acme');
  [ada, bob, carl] = [await shop.customer(), await shop.customer(), await shop.customer()];
  group = await shop.group();
  const prices = [];
  for (let index = 0; index < 3; index++) prices.push((await shop.product({ amount: 10 + index })).price);
  for (const price of prices) await shop.subscribe(ada, price);
  await shop.subscribe(bob, prices[0]);
  const { subscriptions } = await client.graphql('{ subscriptions(first: 1, order: ASC) { nodes { id } } }');
  await client.graphql(
    `mutation { cancelSubscription(id: "${subscriptions.nodes[0].id}", input: { atPeriodEnd: false }) { id } }`,
  );
  for (let index = 0; index < 3; index++)
    products.push((await shop.product({ groupId: group.id })).product.id);
  await client.graphql(`mutation { deleteProduct(id: "${products[0]}") { id } }`);
  const foreign = createShop(other, 'other');
  await foreign.subscribe(await foreign.customer(), (await foreign.product()).price);
});
afterAll(() => app.close());

const ofCustomer = async (id: string, selection: string) =>
  (await client.graphql(`query ($id: ID!) { customer(id: $id) { ${selection} } }`, { id })).customer;
const listIds = ({ nodes }: any): string[] => nodes.map(({ id }: any) => id);

describe('the invoices and subscriptions of a customer', () => {
  it.each(['invoices', 'subscriptions'])('are those of the list of %s by customer', async (list) => {
    for (const { id } of [ada, bob, carl]) {
      const wanted = await client.graphql(`{ ${list}(customerId: "${id}") { nodes { id } totalCount } }`);
      expect((await ofCustomer(id, `${list} { nodes { id } totalCount }`))[list]).toEqual(wanted[list]);
    }
    expect((await ofCustomer(ada.id, `${list} { totalCount }`))[list].totalCount).toBe(3);
  });

  it.each([
    ['subscriptions', 'active', 2],
    ['subscriptions', 'cancelled', 1],
    ['subscriptions', 'paused', 0],
    ['invoices', 'paid', 3],
    ['invoices', 'open', 0],
  ])('%s of the status %s are %d', async (list, status, count) => {
    const found = (await ofCustomer(ada.id, `${list}(status: ${status}) { nodes { status } totalCount }`))[
      list
    ];
    expect(found).toEqual({ nodes: Array.from({ length: count }, () => ({ status })), totalCount: count });
  });

  it('have pages in both directions', async () => {
    const { subscriptions: all } = await ofCustomer(ada.id, 'subscriptions { edges { cursor node { id } } }');
    const [newest, middle, oldest] = all.edges;
    const page = async (args: string) =>
      listIds((await ofCustomer(ada.id, `subscriptions(${args}) { nodes { id } }`)).subscriptions);
    expect(await page(`first: 1, after: "${newest.cursor}"`)).toEqual([middle.node.id]);
    expect(await page(`last: 5, before: "${oldest.cursor}"`)).toEqual([newest.node.id, middle.node.id]);
    expect(await page('first: 1, order: ASC')).toEqual([oldest.node.id]);
  });

  it('belong to their parents in a list of customers', async () => {
    const { customers } = await client.graphql(
      `{ customers(order: ASC) { nodes { id
          invoices(first: 2) { totalCount nodes { customerId customer { id } subscription { id customerId } } }
        } } }`,
    );
    expect(customers.nodes.map((each: any) => each.invoices.totalCount)).toEqual([3, 1, 0]);
    for (const { id, invoices } of customers.nodes) {
      for (const invoice of invoices.nodes) {
        expect(invoice).toEqual({
          customerId: id,
          customer: { id },
          subscription: { id: expect.stringMatching(/^sub_/), customerId: id },
        });
      }
    }
  });
});

describe('the products of a group', () => {
  it('have pages, deleted ones included, as the list has them', async () => {
    const document = `query ($id: ID!, $after: String) { group(id: $id) {
      products { id } productsConnection(first: 2, after: $after, order: ASC) { totalCount nextCursor nodes { id deleted } }
    } }`;
    const { group: first } = await client.graphql(document, { id: group.id });
    expect(first.productsConnection.totalCount).toBe(3);
    expect(first.productsConnection.nodes[0]).toEqual({ id: products[0], deleted: true });
    const after = first.productsConnection.nextCursor;
    const { group: second } = await client.graphql(document, { id: group.id, after });
    const ids = [...first.productsConnection.nodes, ...second.productsConnection.nodes].map(({ id }) => id);
    expect(ids).toEqual(products);
    expect(listIds({ nodes: first.products })).toEqual(products);
  });
});

describe('the timeline of a customer', () => {
  const fields = 'nodes { eventId activityType payload createdAt }';

  /** The traces of the tenant that name the customer as their object or the owner of their object, newest first. */
  async function findExpected({ id }: any): Promise<any[]> {
    const { traces } = await client.graphql(`{ traces(first: 100) { nextCursor ${fields} } }`);
    expect(traces.nextCursor).toBeNull();
    return traces.nodes
      .filter(({ payload }: any) => payload.resourceId === id || payload.object.customerId === id)
      .toSorted((a: any, b: any) => (a.eventId < b.eventId ? 1 : -1));
  }

  it('has every trace of the customer and their records, newest first, and no others', async () => {
    for (const customer of [ada, bob, carl]) {
      const expected = await findExpected(customer);
      const { timeline } = await ofCustomer(customer.id, `timeline(first: 100) { totalCount ${fields} }`);
      expect(timeline.nodes).toEqual(expected);
      expect(timeline.totalCount).toBe(expected.length);
    }
    const types = (await findExpected(ada)).map(({ activityType }): string => activityType);
    const ofRecords = [
      'CustomerEvent',
      'IntentEvent',
      'InvoiceEvent',
      'PaymentEvent',
      'PaymentMethodEvent',
      'SubscriptionEvent',
    ];
    expect(new Set(types)).toEqual(new Set(ofRecords));
  });

  it.each([
    'CustomerEvent',
    'IntentEvent',
    'SubscriptionEvent',
    'InvoiceEvent',
    'PaymentEvent',
    'GroupEvent',
  ])('has the traces of %s', async (type) => {
    const expected = (await findExpected(ada)).filter(({ activityType }) => activityType === type);
    const selection = `timeline(activityType: ${type}, first: 100) { totalCount ${fields} }`;
    const { timeline } = await ofCustomer(ada.id, selection);
    expect(timeline).toEqual({ totalCount: expected.length, nodes: expected });
    expect(expected.length > 0).toBe(type !== 'GroupEvent');
  });

  it.each(['ASC', 'DESC'])('has pages that add up to it, forward and backward, %s', async (order) => {
    const newestFirst = (await findExpected(ada)).map(({ eventId }) => eventId);
    const whole = order === 'ASC' ? newestFirst.toReversed() : newestFirst;
    const walk = async (size: string, bound: string, next: string) => {
      const pages: string[][] = [];
      for (let cursor: string | null = null; ;) {
        const args: string = `order: ${order}, ${size}: 4 ${cursor ? `${bound}: "${cursor}"` : ''}`;
        const { timeline } = await ofCustomer(
          ada.id,
          `timeline(${args}) { totalCount nodes { eventId } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`,
        );
        expect(timeline.totalCount).toBe(whole.length);
        pages.push(timeline.nodes.map(({ eventId }: any) => eventId));
        if (!timeline.pageInfo[next]) return pages;
        cursor = bound === 'after' ? timeline.pageInfo.endCursor : timeline.pageInfo.startCursor;
      }
    };
    expect((await walk('first', 'after', 'hasNextPage')).flat()).toEqual(whole);
    expect((await walk('last', 'before', 'hasPreviousPage')).toReversed().flat()).toEqual(whole);
  });
});

describe('the number of items', () => {
  const lists = [
    'customers',
    'groups',
    'products',
    'invoices',
    'subscriptions',
    'traces',
    'deliveries',
    'webhookEndpoints',
    'mailDeliveries',
    'mailTemplates',
  ];
  beforeAll(async () => {
    const endpoint = 'createWebhookEndpoint(input: { url: "https://hooks.invalid/all" }) { endpoint { id } }';
    const mail = 'sendTestMail(input: { to: "ada@example.com" }) { id }';
    const template = (language: string) =>
      `updateMailTemplate(input: { kind: receipt, language: ${language}, subject: "Thanks" }) { id }`;
    await client.graphql(
      `mutation { a: ${endpoint} b: ${endpoint} c: ${mail} d: ${mail} e: ${template('en')} f: ${template('de')} }`,
    );
    const shop = createShop(client, 'acme');
    await shop.group();
    await shop.customer();
  });

  it.each(lists)('of %s is the same on every page, with a count and without', async (list) => {
    const all = (await client.graphql(`{ ${list}(first: 100) { totalCount nodes { __typename } } }`))[list];
    const first = (await client.graphql(`{ ${list}(first: 1) { totalCount nextCursor } }`))[list];
    expect(all.totalCount).toBe(all.nodes.length);
    expect(first.totalCount).toBe(all.totalCount);
    // Without a second page this would prove nothing.
    expect(all.totalCount).toBeGreaterThan(1);
    const next = await client.graphql(`{ ${list}(first: 100, after: "${first.nextCursor}") { totalCount } }`);
    expect(next[list].totalCount).toBe(all.totalCount);
  });

  it.each([
    ['products(name: "pro", first: 1)', 5],
    ['products(name: "pro", active: true, first: 1)', 5],
    ['products(active: false, first: 1)', 0],
    ['products(groupId: "GROUP", first: 1)', 2],
    ['subscriptions(status: active, first: 1)', 3],
    ['subscriptions(status: cancelled, first: 1)', 1],
    ['subscriptionHistory(customerId: "ADA", first: 1)', 3],
    ['traces(activityType: GroupEvent, first: 1)', 2],
    ['customers(email: "nobody@example.com")', 0],
  ])('of %s is %d', async (list, count) => {
    const field = list.replace('GROUP', group.id).replace('ADA', ada.id);
    expect((await client.graphql(`{ list: ${field} { totalCount } }`)).list.totalCount).toBe(count);
  });

  it('is counted only if selected, and not if the page has all', async () => {
    const run = vi.spyOn(app.service.store.scanner, 'run');
    try {
      await client.graphql('{ customers(first: 1) { nodes { id } } }');
      await client.graphql('{ customers(first: 100) { totalCount } }');
      expect(run).not.toHaveBeenCalled();
      await client.graphql('{ customers(first: 1) { totalCount } }');
      expect(run).toHaveBeenCalledOnce();
    } finally {
      run.mockRestore();
    }
  });

  it('of 21,000 is exact, with and without a filter', async () => {
    const crowd = await app.tenant({ alias: 'crowd' });
    await createShop(crowd, 'crowd').product({ name: 'Template' });
    await multiply(app, 'crowd', 'products', 20_999, {
      id: "'prod_' || i",
      createdAt: minutesAfter('2026-01-31T00:00:00.000Z'),
      nameLower: `case when i % 2 = 0 then 'even' else 'odd' end`,
    });
    const { all, even } = await crowd.graphql(
      '{ all: products(first: 1) { totalCount } even: products(name: "even", first: 1) { totalCount } }',
    );
    expect([all.totalCount, even.totalCount]).toEqual([21_000, 10_499]);
  });
});

describe('bad arguments', () => {
  const nested = ['invoices', 'subscriptions', 'timeline'];
  const cases = nested.flatMap((list) => [
    [list, 'first: 0', 'validation_failed', 'first'],
    [list, 'first: -1', 'validation_failed', 'first'],
    [list, 'first: 101', 'validation_failed', 'first'],
    [list, 'first: 1, last: 1', 'validation_failed', 'last'],
    [list, 'after: ""', 'cursor_invalid', 'after'],
    [list, `after: "${'é'.repeat(30)}"`, 'cursor_invalid', 'after'],
    [list, 'before: "Y3Vyc29y"', 'cursor_invalid', 'before'],
  ]);
  it.each(cases)('%s(%s) is refused: %s', async (list, args, reason, path) => {
    const { body } = await client.post(`{ customer(id: "${ada.id}") { ${list}(${args}) { nodes { id } } } }`);
    expect(body.errors[0].extensions).toMatchObject({ reason, issues: [{ path }] });
    expect(body.errors).toHaveLength(1);
  });

  it('a cursor is valid for its list and its tenant only', async () => {
    const { timeline } = await ofCustomer(ada.id, 'timeline(first: 1) { nextCursor }');
    const elsewhere = await client.post(
      `{ customer(id: "${ada.id}") { invoices(after: "${timeline.nextCursor}") { nodes { id } } } }`,
    );
    expect(elsewhere.body.errors[0].extensions.reason).toBe('cursor_invalid');
    const { customers } = await other.graphql('{ customers { nodes { id } } }');
    const document = `{ customer(id: "${customers.nodes[0].id}") { timeline(after: "${timeline.nextCursor}") { nodes { id } } } }`;
    expect((await other.post(document)).body.errors[0].extensions.reason).toBe('cursor_invalid');
  });
});

describe('the cost', () => {
  const measureCost = async (query: string) => {
    const { body } = await client.post(query, {}, { 'x-graphql-cost': '1' });
    return { cost: body.extensions.cost.requested, errors: body.errors };
  };

  it.each([
    [
      '{ customers(first: 100) { nodes { invoices(first: 100) { nodes { id } } subscriptions(first: 100) { nodes { id } } } } }',
      30_301,
    ],
    ['{ customers(first: 100) { nodes { timeline(first: 100) { nodes { id } } } } }', 20_201],
    ['{ customers(first: 100) { nodes { invoices { totalCount } } } }', 55_201],
  ])('of %s is above the limit', async (query, cost) => {
    expect(await measureCost(query)).toMatchObject({
      cost,
      errors: [{ extensions: { reason: 'cost_exceeded' } }],
    });
  });

  it.each([
    [
      '{ customers(first: 100) { nodes { invoices { nodes { id } } subscriptions { nodes { id } } } } }',
      12_301,
    ],
    ['{ customers(first: 50) { nodes { invoices { totalCount nodes { id number } } } } }', 28_101],
    ['{ customers(first: 100) { nodes { invoices(first: 100) { nodes { id } } } } }', 15_201],
    ['{ customers(first: 100) { nodes { subscriptions(first: 100) { nodes { id } } } } }', 15_201],
    ['{ groups(first: 100) { nodes { productsConnection(first: 100) { nodes { id } } } } }', 15_201],
    ['{ customers { totalCount } }', 501],
  ])('of %s is as declared', async (query, cost) => {
    expect((await measureCost(query)).cost).toBe(cost);
  });
});
