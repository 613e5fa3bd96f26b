/** Products that move between groups: no customer ever has two subscriptions of one group. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

interface World {
  books: Books;
  customer: any;
  left: any;
  right: any;
  /** The prices of two products of the left group, the dearer second, and of one of the right. */
  small: any;
  large: any;
  other: any;
}

async function begun(): Promise<World> {
  const books = await openBooks(app, '2026-06-01');
  const [left, right] = [await books.shop.group({ name: 'Left' }), await books.shop.group({ name: 'Right' })];
  return {
    books,
    left,
    right,
    customer: await books.shop.customer(),
    small: await books.plan(100, { name: 'Small', groupId: left.id }),
    large: await books.plan(300, { name: 'Large', groupId: left.id }),
    other: await books.plan(200, { name: 'Other', groupId: right.id }),
  };
}

const move = ({ books }: World, price: any, group: any): any => ({
  rest: [
    'PATCH',
    `/products/${price.productId}`,
    { tenantAlias: books.alias, groupId: group === null ? null : group.id },
  ],
});
const refused = { status: 409, reason: 'group_conflict', paths: ['groupId'] };

/** The products that a customer subscribes to, and the groups that those are in: no group twice. */
async function heldBy({ books, customer }: World): Promise<string[]> {
  const document = `query ($id: ID!) { activeSubscriptions(customerId: $id) { product { name group { id } } } }`;
  const { activeSubscriptions } = await books.client.graphql(document, { id: customer.id });
  const groups = activeSubscriptions.map(({ product }: any) => product.group?.id).filter(Boolean);
  expect(new Set(groups).size).toBe(groups.length);
  return activeSubscriptions.map(({ product }: any) => product.name).toSorted();
}

describe('a product that moves to another group', () => {
  it('moves its subscriptions: subscribing within the new group is a plan change', async () => {
    const world = await begun();
    const { books, customer, small, right } = world;
    const id = await books.subscribe(customer, small);
    await books.perform({
      ...move(world, small, right),
      traces: ['ProductEvent updated', 'SubscriptionEvent group_changed < ProductEvent updated'],
    });
    await books.advance('2026-06-16');
    expect(await books.subscribe(customer, world.other)).toBe(id);
    expect(await heldBy(world)).toEqual(['Other']);
    // In the group that it came from there is nothing any more.
    expect(await books.subscribe(customer, world.large)).not.toBe(id);
    expect(await heldBy(world)).toEqual(['Large', 'Other']);
  });

  it('is refused if a customer would have two subscriptions in the group, until one is cancelled', async () => {
    const world = await begun();
    const { books, customer, small, other, right } = world;
    const mine = [await books.subscribe(customer, small), await books.subscribe(customer, other)];
    const body = await books.perform({ ...move(world, small, right), ...refused });
    for (const named of [customer.id, ...mine]) expect(body.cause.issues[0].message).toContain(named);
    expect(await heldBy(world)).toEqual(['Other', 'Small']);
    const { product } = await books.client.graphql('query ($id: ID!) { product(id: $id) { groupId } }', {
      id: small.productId,
    });
    expect(product.groupId).toBe(world.left.id);
    await books.run('cancelSubscription(id: $id)', mine[1]!);
    await books.perform({
      ...move(world, small, right),
      traces: ['ProductEvent updated', 'SubscriptionEvent group_changed < ProductEvent updated'],
    });
  });

  it('cannot return to a group in which the customer has subscribed since', async () => {
    const world = await begun();
    const { books, customer, small, large, left } = world;
    await books.subscribe(customer, small);
    await books.client.rest(...(move(world, small, null).rest as ['PATCH', string, object]));
    await books.subscribe(customer, large);
    expect(await heldBy(world)).toEqual(['Large', 'Small']);
    await books.perform({ ...move(world, small, left), ...refused });
  });

  it('is refused while a plan change from or to it is scheduled, except between its own prices', async () => {
    const world = await begun();
    const { books, customer, small, large, right } = world;
    const id = await books.subscribe(customer, large);
    await books.subscribe(customer, small);
    for (const price of [small, large]) {
      const body = await books.perform({ ...move(world, price, right), ...refused });
      expect(body.cause.issues[0].message).toContain(id);
    }
    await books.client.graphql('mutation ($id: ID!) { cancelScheduledChange(id: $id) { id } }', { id });
    const prices = [{ details: { amount: 250, currency: 'afn' } }];
    const path = `/products/${large.productId}/prices`;
    const { body: added } = await books.client.rest('POST', path, { tenantAlias: books.alias, prices });
    await books.subscribe(customer, added[0]);
    expect((await books.client.rest(...(move(world, large, right).rest as ['PATCH', string]))).status).toBe(
      200,
    );
    await books.advance('2026-07-01');
    expect((await books.subscription(id)).agreedPrice.amount).toBe(250);
    expect(await books.subscribe(customer, world.other)).toBe(id);
    expect(await heldBy(world)).toEqual(['Large']);
  });

  it.each(['sandbox_requires_action', 'manual'])(
    'is refused while the customer pays for another of the group by %s',
    async (method) => {
      const world = await begun();
      const { books, customer, small, other, right, left } = world;
      const { intentId } = await books.shop.intent(customer, other);
      await books.client.graphql(confirmDocument, { id: intentId, method });
      await books.subscribe(customer, small);
      const body = await books.perform({ ...move(world, small, right), ...refused });
      expect(body.cause.issues[0].message).toContain(intentId);
      await books.perform({ ...move(world, other, left), ...refused });
      await books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id: intentId });
      expect((await books.client.rest(...(move(world, small, right).rest as ['PATCH', string]))).status).toBe(
        200,
      );
    },
  );

  it('moves an intent with a pending payment, which starts in the new group', async () => {
    const world = await begun();
    const { books, customer, small, other, right } = world;
    const { intentId } = await books.shop.intent(customer, small);
    await books.client.graphql(confirmDocument, { id: intentId, method: 'sandbox_requires_action' });
    await books.perform({
      ...move(world, small, right),
      traces: ['ProductEvent updated', 'IntentEvent group_changed < ProductEvent updated'],
    });
    const rival = await books.shop.intent(customer, other);
    const pay = { id: rival.intentId, method: 'sandbox_ok' };
    await books.perform({ graphql: [confirmDocument, pay], reason: 'intent_not_payable' });
    const resume = 'mutation ($id: ID!) { resumeIntent(id: $id) { status subscriptionId } }';
    const { resumeIntent } = await books.client.graphql(resume, { id: intentId });
    expect(resumeIntent.status).toBe('succeeded');
    const { confirmIntent } = await books.client.graphql(confirmDocument, pay);
    expect(confirmIntent.subscriptionId).toBe(resumeIntent.subscriptionId);
    expect(await heldBy(world)).toHaveLength(1);
  });

  it('decides at the payment whether an intent is a plan change in the new group', async () => {
    const world = await begun();
    const { books, customer, small, other, right } = world;
    const id = await books.subscribe(customer, small);
    const { intentId } = await books.shop.intent(customer, other);
    await books.client.rest(...(move(world, small, right).rest as ['PATCH', string]));
    const { confirmIntent } = await books.client.graphql(confirmDocument, {
      id: intentId,
      method: 'sandbox_ok',
    });
    expect(confirmIntent.subscriptionId).toBe(id);
    expect(await heldBy(world)).toEqual(['Other']);
  });

  it('is deleted with its new group, and not with the old one', async () => {
    const world = await begun();
    const { books, customer, small, left, right } = world;
    const id = await books.subscribe(customer, small);
    await books.client.rest(...(move(world, small, right).rest as ['PATCH', string]));
    const remove = 'mutation ($id: ID!) { deleteGroup(id: $id) { id } }';
    await books.client.graphql(remove, { id: left.id });
    expect((await books.subscription(id)).status).toBe('active');
    await books.client.graphql(remove, { id: right.id });
    expect((await books.subscription(id)).status).toBe('cancelled');
  });

  it('never leaves two subscriptions in a group after concurrent moves and payments', async () => {
    const world = await begun();
    const { books, customer, small, other, left, right } = world;
    const intents = [await books.shop.intent(customer, small), await books.shop.intent(customer, other)];
    const moves = Array.from({ length: 46 }, (_, index) => (index % 2 ? left : right));
    const answers = await Promise.all([
      ...moves.map((group) => books.client.rest(...(move(world, small, group).rest as ['PATCH', string]))),
      ...intents.map(({ intentId }) =>
        books.client.post(confirmDocument, { id: intentId, method: 'sandbox_ok' }),
      ),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await heldBy(world);
  });

  it('that an earlier release moved without its subscriptions still finds them', async () => {
    const world = await begun();
    const { books, customer, small, large, other, right } = world;
    const id = await books.subscribe(customer, small);
    await app.backdoor.execute(
      `UPDATE products SET group_id = '${right.id}' WHERE tenant_alias = '${books.alias}' AND id = '${small.productId}'`,
    );
    const document = `query ($id: ID!, $price: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $price }) { effectiveAt nextInvoice { date } } }`;
    const { previewSubscriptionChange } = await books.client.graphql(document, { id, price: other.id });
    expect(previewSubscriptionChange.effectiveAt < previewSubscriptionChange.nextInvoice.date).toBe(true);
    expect(await books.subscribe(customer, large)).not.toBe(id);
    expect(await books.subscribe(customer, other)).toBe(id);
    expect(await heldBy(world)).toEqual(['Large', 'Other']);
  });

  it('of another tenant is not found, nor is the group of another tenant', async () => {
    const [world, others] = [await begun(), await begun()];
    const gone = { status: 404, reason: 'product_not_found' } as const;
    const foreign = { ...others, books: { ...others.books, alias: world.books.alias } };
    await world.books.perform({ ...move(foreign, others.small, world.right), ...gone });
    await world.books.perform({
      ...move(world, world.small, others.right),
      status: 404,
      reason: 'group_not_found',
    });
  });
});
