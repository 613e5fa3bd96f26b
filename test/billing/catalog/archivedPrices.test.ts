/** A retired price stays with its subscriptions, and is offered to nobody else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

const archive = 'mutation ($id: ID!) { archivePrice(id: $id) { id active archivedAt } }';
const unarchive = 'mutation ($id: ID!) { unarchivePrice(id: $id) { id active archivedAt } }';
const confirm =
  'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }';
const perUnit = { model: 'per_unit' };

let app: TestApp;
let books: Books;
let client: Client;
let browser: Client;
let groupId: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  books = await openBooks(app, '2026-06-01');
  client = books.client;
  groupId = (await books.shop.group()).id;
  const key = await createKey(app.service, { tenant: books.alias, kind: 'publishable', scope: 'read' });
  browser = app.client(key.apiKey);
});
afterAll(() => app.close());

const retire = (price: any) => client.graphql(archive, { id: price.id });
const retired = async (amount: number, more: object = {}) => {
  const price = await books.plan(amount, { groupId, ...more });
  await retire(price);
  return price;
};
const fetchActions = async (id: string) => {
  const { traces } = await client.graphql(
    '{ traces(activityType: PriceEvent, first: 100, order: ASC) { nodes { payload } } }',
  );
  return traces.nodes.flatMap(({ payload }: any) => (payload.resourceId === id ? payload.action : []));
};

describe('an archived price', () => {
  it('is archived and unarchived once, each with its event', async () => {
    const { id } = await books.plan(10);
    const first = (await client.graphql(archive, { id })).archivePrice;
    expect(first).toEqual({ id, active: false, archivedAt: '2026-06-01T00:00:00.000Z' });
    expect((await client.graphql(archive, { id })).archivePrice).toEqual(first);
    for (let n = 0; n < 2; n++)
      expect((await client.graphql(unarchive, { id })).unarchivePrice).toEqual({
        id,
        active: true,
        archivedAt: null,
      });
    expect(await fetchActions(id)).toEqual(['created', 'archived', 'unarchived']);
  });

  it.each<
    [string, (price: any) => Promise<[document: string, variables: Record<string, unknown>, path: string]>]
  >([
    [
      'an order',
      async ({ productId, id: priceId }) => [
        'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
        {
          input: {
            customerId: (await books.shop.customer()).id,
            productId,
            priceId,
            receiptUrl: 'https://a.example/',
          },
        },
        'priceId',
      ],
    ],
    [
      'a preview of an order',
      async ({ productId, id: priceId }) => [
        'query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { effectiveAt } }',
        { input: { productId, priceId } },
        'priceId',
      ],
    ],
    [
      'a change of plan',
      async ({ id: priceId }) => [
        'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
        {
          id: await books.subscribe(await books.shop.customer(), await books.plan(20, { groupId })),
          input: { priceId },
        },
        'priceId',
      ],
    ],
    [
      'an add-on',
      async ({ id: priceId }) => [
        'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
        {
          id: await books.subscribe(await books.shop.customer(), await books.plan(20)),
          input: { addOns: [{ priceId }] },
        },
        'addOns.0.priceId',
      ],
    ],
  ])('refuses %s', async (_, build) => {
    const [document, variables, path] = await build(await retired(30));
    const { body } = await client.post(document, variables);
    expect(body.errors[0].extensions).toMatchObject({ reason: 'price_archived', issues: [{ path }] });
  });

  it('stays with its subscription, which renews, changes its quantity, and comes back from a scheduled change', async () => {
    const price = await books.plan(10, { groupId, price: perUnit });
    const cheaper = await books.plan(5, { groupId });
    const id = await books.subscribe(await books.shop.customer(), price, undefined, { quantity: 2 });
    await retire(price);
    const change = `mutation ($id: ID!, $input: ChangeSubscriptionInput!) {
      changeSubscription(id: $id, input: $input) { id quantity agreedPrice { decimal } }
    }`;
    const more = await client.graphql(change, { id, input: { quantity: 3 } });
    expect(more.changeSubscription).toMatchObject({ quantity: 3, agreedPrice: { decimal: '30.00' } });
    await client.graphql(change, { id, input: { priceId: cheaper.id, billing: 'period_end' } });
    const back = await client.graphql(change, { id, input: { priceId: price.id, quantity: 3 } });
    expect(back.changeSubscription).toMatchObject({ agreedPrice: { decimal: '30.00' } });
    await books.advance('2026-07-02T00:00:00Z');
    const renewed = await books.subscription(id);
    expect(renewed).toMatchObject({ status: 'active' });
    const left = await client.post(change, { id, input: { priceId: cheaper.id, billing: 'charge_now' } });
    expect(left.body.errors).toBeUndefined();
    const returned = await client.post(change, { id, input: { priceId: price.id } });
    expect(returned.body.errors[0].extensions.reason).toBe('price_archived');
  });

  it('can be paid by an intent from before, and ordered again once it is unarchived', async () => {
    const price = await books.plan(10);
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), price);
    await retire(price);
    expect((await client.graphql(confirm, { id })).confirmIntent.status).toBe('succeeded');
    await client.graphql(unarchive, { id: price.id });
    expect(await books.subscribe(await books.shop.customer(), price)).toEqual(expect.any(String));
  });

  it('is listed by `active`, and not to browsers', async () => {
    const { productId, id } = await retired(10);
    const other = (
      await client.graphql(
        `mutation ($of: ID!) { createPrices(input: { productId: $of, prices: [{ details: { amount: 9, currency: "eur" } }] }) { id } }`,
        { of: productId },
      )
    ).createPrices[0].id;
    const list = async (by: Client, args = '') =>
      (
        await by.graphql(`query ($id: ID!) { product(id: $id) { prices${args} { id } } }`, { id: productId })
      ).product.prices.map((price: any) => price.id);
    expect(await list(client)).toEqual([id, other]);
    expect(await list(client, '(active: null)')).toEqual([id, other]);
    expect(await list(client, '(active: true)')).toEqual([other]);
    expect(await list(client, '(active: false)')).toEqual([id]);
    expect(await list(client, '(active: true, currency: "USD")')).toEqual([]);
    for (const args of ['', '(active: false)', '(active: true)', '(currency: "EUR")'])
      expect(await list(browser, args)).toEqual([other]);
    const many = `query ($id: ID!) { product(id: $id) { all: prices { id } off: prices(active: false) { id active } } }`;
    const { product } = await client.graphql(many, { id: productId });
    expect([product.all.length, product.off]).toEqual([2, [{ id, active: false }]]);
  });

  it('belongs to its tenant, and cannot be archived with a read-only key or by a browser', async () => {
    const { id } = await books.plan(10);
    const stranger = await app.tenant({ alias: 'stranger' });
    for (const [by, reason] of [
      [stranger, 'price_not_found'],
      [await app.key(books.alias, 'read'), 'insufficient_scope'],
      [browser, 'closed_to_browsers'],
    ] as const) {
      for (const document of [archive, unarchive]) {
        const { body } = await by.post(document, { id });
        expect(body.errors[0].extensions.reason).toBe(reason);
      }
    }
    expect(await fetchActions(id)).toEqual(['created']);
  });
});
