import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmIntent } from '../../../src/billing/subscriptions/intents/confirmation.ts';
import type { PaymentProvider } from '../../../src/providers/provider.ts';
import { sandbox } from '../../../src/providers/sandbox.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, openScope } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';

const confirmDocument =
  'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { status subscriptionId } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the number of an invoice', () => {
  it('counts within its tenant, without gaps, whatever is declined or paid at the same time', async () => {
    const tenants = await Promise.all([1, 2, 3].map(() => openBooks(app, '2026-01-31')));
    const filled = tenants.map(async (books) => {
      const price = await books.plan(50);
      const intents = await Promise.all(
        numbered(12).map(async () => books.shop.intent(await books.shop.customer(), price)),
      );
      for (const { intentId: id } of intents.slice(9)) {
        const document = confirmDocument.replace('sandbox_ok', 'sandbox_declined');
        expect((await books.client.post(document, { id })).body.errors).toHaveLength(1);
      }
      const confirmed = await Promise.all(
        intents.map(({ intentId: id }) => books.client.graphql(confirmDocument, { id })),
      );
      await books.run('cancelSubscription(id: $id)', confirmed[0].confirmIntent.subscriptionId);
      await books.advance('2026-03-31');
    });
    await Promise.all(filled);
    for (const books of tenants) {
      const invoices = await books.invoices();
      expect(invoices.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(numbered(12 + 11 + 11));
      expect(invoices.every(({ status }) => status === 'paid')).toBe(true);
    }
  });
});

/** A provider that is asked between two units of work, unlike the sandbox itself. */
const far: PaymentProvider = {
  ...sandbox,
  name: 'far',
  start: async ({ idempotencyKey: reference }) => ({
    status: 'succeeded',
    reference,
    methodReference: 'far',
  }),
};
delete far.isInProcess;

describe('one subscription of a customer', () => {
  // With the sandbox one payment is made after the other: in a group, each later one changes the plan of the subscription.
  it.each([
    ['to a product', false, 'far', ['intent_not_payable', 'intent_not_payable'], 1],
    ['in a group', true, 'far', ['intent_not_payable', 'intent_not_payable'], 1],
    ['to a product', false, 'sandbox', ['subscription_exists', 'subscription_exists'], 1],
    ['in a group', true, 'sandbox', [], 3],
  ])(
    '%s is all there is, also when several intents are paid at once: %s %s',
    async (_, inGroup, by, refused, paid) => {
      app.service.payments.charging = by === 'far' ? [far] : [];
      const books = await openBooks(app, '2026-01-31');
      const customer = await books.shop.customer();
      const { id: groupId } = await books.shop.group();
      const same = await books.plan(50);
      const prices = inGroup
        ? await Promise.all([10, 20, 30].map((amount) => books.plan(amount, { groupId })))
        : [];
      const intents = await Promise.all(
        (inGroup ? prices : [same, same, same]).map((price) => books.shop.intent(customer, price)),
      );
      // Asked in one turn of the event loop: requests may come so far apart that the first is paid before the last is read.
      const tenant = await openScope(app, books);
      const outcomes = await Promise.allSettled(
        intents.map(({ intentId }) => confirmIntent(tenant, intentId, `${by}_ok`)),
      );
      const refusals = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? outcome.reason.reason : [],
      );
      expect(refusals).toEqual(refused);
      const { subscriptions } = await books.client.graphql('{ subscriptions { nodes { id status } } }');
      expect(subscriptions.nodes).toHaveLength(1);
      expect(await books.invoices()).toHaveLength(paid);
      expect(await findFaults(app, books.alias)).toEqual([]);
    },
  );

  it('is held by the database itself', async () => {
    const books = await openBooks(app, '2026-01-31');
    const { id: groupId } = await books.shop.group();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50, { groupId }));
    const tenant = await openScope(app, books);
    const row = (await tenant.read.one('subscriptions', { id }))!;
    const again = (changes: object) =>
      tenant.write((unit) => unit.create('subscriptions', { ...row, id: unit.id('sub'), ...changes }));
    await expect(again({ productId: 'prod_other' })).rejects.toThrow();
    await expect(again({ groupId: null })).rejects.toThrow();
    await again({ cancelledAt: row.createdAt });
    const invoice = (await tenant.read.one('invoices', { subscriptionId: id }))!;
    const number = invoice.number + 1;
    const billedAgain = (changes: object) =>
      tenant.write((unit) => unit.create('invoices', { ...invoice, id: unit.id('inv'), ...changes }));
    await expect(billedAgain({ number })).rejects.toThrow();
    await expect(billedAgain({ cycleStart: '2026-02-28T00:00:00.000Z' })).rejects.toThrow();
  });
});

describe('an amount', () => {
  it('of nothing is invoiced, and nobody is charged', async () => {
    const books = await openBooks(app, '2026-01-31');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(0));
    await books.advance('2026-03-31');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 0', '2026-02-28 paid 0', '2026-03-31 paid 0']);
    expect(await books.tries(id)).toEqual([]);
    expect(await books.subscription(id)).toMatchObject({ status: 'active', billedCount: 3 });
  });

  it('of nothing needs a method all the same, which pays once it becomes something', async () => {
    const books = await openBooks(app, '2026-01-31');
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(0));
    const document = confirmDocument.replace('sandbox_ok', 'sandbox_declined');
    await books.perform({
      graphql: [document, { id }],
      reason: 'payment_failed',
      traces: [
        'IntentEvent payment_started',
        'IntentEvent payment_failed',
        'PaymentEvent failed < IntentEvent payment_failed',
      ],
    });
  });

  it('beyond 2^53 minor units is exact', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const plan = (amount: number) => books.plan(amount, { groupId, currency: 'kwd' });
    const id = await books.subscribe(customer, await plan(70_000_000_000_001));
    await books.advance('2026-06-11');
    await books.subscribe(customer, await plan(99_999_999_999_999));
    await books.advance('2026-07-01');
    await books.invoices(id);
    const totals = await app.service.store.committed.select('invoices', {
      where: { tenantAlias: books.alias },
      orderBy: ['number'],
    });
    expect(totals.map(({ totalMinor }) => totalMinor)).toEqual([
      70_000_000_000_001_000n,
      66_666_666_666_666_000n - 46_666_666_666_667_333n,
      99_999_999_999_999_000n,
    ]);
  });

  it('of a currency without decimals is rounded to whole units', async () => {
    const books = await openBooks(app, '2026-06-02');
    const price = await books.plan(1001, { currency: 'jpy', recurring: { executionDate: '2026-07-01' } });
    const id = await books.subscribe(await books.shop.customer(), price);
    expect(await books.lines(id)).toEqual(['stub 968 2026-06-02/2026-07-01']);
  });
});

describe('the catalogue', () => {
  it('may change, and no subscriber pays another price', async () => {
    const books = await openBooks(app, '2026-01-31');
    const customer = await books.shop.customer();
    const { product, price } = await books.shop.product({ name: 'Old', amount: 50 });
    const id = await books.subscribe(customer, price);
    const change = async (path: string, fields: object) => {
      const answer = await books.client.rest('PATCH', path, { tenantAlias: books.alias, ...fields });
      expect(answer.status, answer.text).toBe(200);
    };
    const before = await books.forecast(id, '2026-06-01');
    await change(`/products/${product.id}/prices/${price.id}`, {
      details: { amount: 99, currency: 'usd' },
      recurring: { frequency: 'Daily', period: 3 },
    });
    await change(`/products/${product.id}`, { name: 'New', active: false });
    await books.client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: product.id });
    expect(await books.forecast(id, '2026-06-01')).toEqual(before);
    await books.advance('2026-03-31');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50', '2026-03-31 paid 50']);
    const [line] = (await books.invoices(id)).at(-1).lines;
    expect(line.description).toBe('Old, every month');
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { productName agreedPrice { amount currency } product { deleted prices { id } } } }',
      { id },
    );
    expect(subscription).toEqual({
      productName: 'Old',
      agreedPrice: { amount: 50, currency: 'afn' },
      product: { deleted: true, prices: [] },
    });
  });

  it('may change before an intent is paid: what was shown is what is paid', async () => {
    const books = await openBooks(app, '2026-01-31');
    const { product, price } = await books.shop.product({ name: 'Old', amount: 50 });
    const { intentId } = await books.shop.intent(await books.shop.customer(), price);
    await books.client.rest('PATCH', `/products/${product.id}/prices/${price.id}`, {
      tenantAlias: books.alias,
      details: { amount: 99, currency: 'usd' },
    });
    const { subscriptionId } = await books.shop.confirm(intentId);
    expect(await books.bills(subscriptionId)).toEqual(['2026-01-31 paid 50']);
  });

  it('may lose a group or a customer: their subscriptions end, their invoices stay', async () => {
    const books = await openBooks(app, '2026-01-31');
    const [one, other] = [await books.shop.customer(), await books.shop.customer()];
    const group = await books.shop.group();
    const price = await books.plan(50, { groupId: group.id });
    const first = await books.subscribe(one, price, 'sandbox_ok_then_declined');
    const second = await books.subscribe(other, price);
    await books.advance('2026-03-01');
    await books.client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: one.id });
    expect(await books.bills(first)).toEqual(['2026-01-31 paid 50', '2026-02-28 void 50']);
    await books.client.graphql('mutation ($id: ID!) { deleteGroup(id: $id) { id } }', { id: group.id });
    await books.advance('2026-12-31');
    for (const id of [first, second]) expect((await books.subscription(id)).status).toBe('cancelled');
    expect(await books.bills(second)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
  });
});
