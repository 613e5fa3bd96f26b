/** Orders that are paid at once with a method that the customer has saved before. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBooks, type Books } from '../../../support/books.ts';
import type { FakeStripe } from '../../../support/fakeStripe.ts';
import { findFaults } from '../../../support/faults.ts';
import { startStripeApp, type StripeApp } from '../../../support/stripeApp.ts';

let running: StripeApp;
let stripe: FakeStripe;
let books: Books;
let rival: Books;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
  books = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
  rival = await openBooks(running.app, '2026-01-31T09:00:00.000Z');
});
afterAll(async () => {
  for (const { alias } of [books, rival]) expect(await findFaults(running.app, alias)).toEqual([]);
  await running.close();
});

const confirmDocument = `mutation ($id: ID!, $paymentMethodId: ID, $paymentMethod: String) {
  confirmIntent(id: $id, input: { paymentMethodId: $paymentMethodId, paymentMethod: $paymentMethod }) {
    id status failureReason subscriptionId
  }
}`;
const methodsDocument = 'query ($id: ID!) { customer(id: $id) { paymentMethods { nodes { id } } } }';

/** A customer who has saved a method with the payment of a subscription, and an order for another. */
async function order(method: string, { of = books }: { of?: Books } = {}) {
  const customer = await of.shop.customer();
  const { intentId } = await of.shop.intent(customer, await of.plan(10));
  const { body } = await of.client.post(confirmDocument, { id: intentId, paymentMethod: method });
  if (body.data.confirmIntent.status === 'requires_action') {
    stripe.finish([...stripe.intents.keys()].at(-1)!, true);
    await of.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id: intentId });
  }
  const price = await of.plan(50);
  const { intentId: id } = await of.shop.intent(customer, price);
  const paymentMethodId = (await of.client.graphql(methodsDocument, customer)).customer.paymentMethods
    .nodes[0].id;
  return { customer, price, id, paymentMethodId, of };
}

type Order = Awaited<ReturnType<typeof order>>;
const pay = ({ id, paymentMethodId, of }: Pick<Order, 'id' | 'paymentMethodId' | 'of'>) =>
  of.client.post(confirmDocument, { id, paymentMethodId });
const movedFor = (id: string) => stripe.moved.filter(({ key }) => key.startsWith(id));
const getReason = ({ body }: { body: any }) => body.errors?.[0].extensions.reason;

describe('a saved method', () => {
  it('pays what the preview shows, at once, and is charged for the renewals', async () => {
    const made = await order('pm_card_visa');
    const input = { customerId: made.customer.id, productId: made.price.productId, priceId: made.price.id };
    const { previewSubscription } = await books.client.graphql(
      'query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { total { amount } } }',
      { input },
    );
    const { body } = await pay(made);
    const { status, subscriptionId } = body.data.confirmIntent;
    expect([status, (await books.subscription(subscriptionId)).status]).toEqual(['succeeded', 'active']);
    expect(movedFor(made.id).map(({ amount }) => amount)).toEqual([previewSubscription.total.amount * 100]);
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { paymentMethod { id } } }',
      { id: subscriptionId },
    );
    expect(subscription.paymentMethod.id).toBe(made.paymentMethodId);
    const where = { tenantAlias: books.alias, resourceId: made.id };
    const traces = await running.app.service.store.committed.select('traces', {
      where,
      orderBy: ['eventId'],
    });
    expect(traces.map(({ payload }) => payload['action'])).toEqual([
      'created',
      'payment_started',
      'succeeded',
    ]);
  });

  it.each([0, 1])('of 50 requests at once is charged once: tenant %d', async (index) => {
    const made = await order('pm_card_visa', { of: [books, rival][index]! });
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(made)));
    expect(answers.filter(({ body }) => body.data?.confirmIntent)).toHaveLength(1);
    expect(new Set(answers.map(getReason))).toEqual(new Set([undefined, 'intent_not_payable']));
    expect(movedFor(made.id)).toHaveLength(1);
  });

  it('is not charged for a trial, and is the method of its subscription', async () => {
    const made = await order('pm_card_visa');
    const input = {
      customerId: made.customer.id,
      productId: made.price.productId,
      priceId: made.price.id,
      trialDays: 14,
      receiptUrl: 'https://shop.example/',
    };
    const { createSubscriptionIntent } = await books.client.graphql(
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      { input },
    );
    const { status, subscriptionId } = (await pay({ ...made, ...createSubscriptionIntent })).body.data
      .confirmIntent;
    expect([status, (await books.subscription(subscriptionId)).status]).toEqual(['succeeded', 'trialing']);
    expect(movedFor(createSubscriptionIntent.id)).toEqual([]);
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'generic_decline'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('%s that declines leaves the order to its payer: %s', async (method, reason) => {
    const made = await order(method);
    const refused = await pay(made);
    expect([getReason(refused), refused.body.errors[0].extensions.issues[0].message]).toEqual([
      'payment_failed',
      reason,
    ]);
    const { intent } = await books.client.graphql(
      'query ($id: ID!) { intent(id: $id) { status failureReason } }',
      { id: made.id },
    );
    expect(intent).toEqual({ status: 'requires_payment_method', failureReason: reason });
    const { body } = await books.client.post(confirmDocument, { id: made.id, paymentMethod: 'pm_card_visa' });
    expect(body.data.confirmIntent.status).toBe('succeeded');
    expect(movedFor(made.id)).toHaveLength(1);
  });

  it.each([['drop', 'drop'], ['lose']] as const)(
    'is charged once if the answer is lost: %s',
    async (...faults) => {
      const made = await order('pm_card_visa');
      stripe.fail('/v1/payment_intents', ...faults);
      expect(getReason(await pay(made))).toBe('unavailable');
      const { resumeIntent } = await books.client.graphql(
        'mutation ($id: ID!) { resumeIntent(id: $id) { status } }',
        { id: made.id },
      );
      expect([resumeIntent.status, movedFor(made.id).length]).toEqual(['succeeded', 1]);
    },
  );
});

describe('what is refused', () => {
  const rows: [string, (made: Order) => Promise<object>, string][] = [
    [
      'the method of another customer',
      async () => ({ paymentMethodId: (await order('pm_card_visa')).paymentMethodId }),
      'payment_method_not_found',
    ],
    [
      'the method of another tenant',
      async () => ({ paymentMethodId: (await order('pm_card_visa', { of: rival })).paymentMethodId }),
      'payment_method_not_found',
    ],
    ['an unknown method', async () => ({ paymentMethodId: 'pm_x' }), 'payment_method_not_found'],
    ['no method', async () => ({ paymentMethodId: null }), 'validation_failed'],
    [
      'both kinds of method',
      async (made) => ({ ...made, paymentMethod: 'pm_card_visa' }),
      'validation_failed',
    ],
    [
      'the order of another tenant',
      async () => ({ id: (await order('pm_card_visa', { of: rival })).id }),
      'intent_not_found',
    ],
  ];
  it.each(rows)('%s', async (_, change, reason) => {
    const made = await order('pm_card_visa');
    const { id, paymentMethodId, paymentMethod } = {
      paymentMethod: undefined,
      ...made,
      ...(await change(made)),
    } as any;
    const moved = stripe.moved.length;
    expect(getReason(await books.client.post(confirmDocument, { id, paymentMethodId, paymentMethod }))).toBe(
      reason,
    );
    expect(stripe.moved).toHaveLength(moved);
  });

  it('a removed method', async () => {
    const made = await order('pm_card_visa');
    await books.client.graphql(
      'mutation ($c: ID!) { addPaymentMethod(input: { customerId: $c, paymentMethod: "sandbox_ok", makeDefault: true }) { id } }',
      { c: made.customer.id },
    );
    await books.client.graphql('mutation ($id: ID!) { removePaymentMethod(id: $id) { id } }', {
      id: made.paymentMethodId,
    });
    expect(getReason(await pay(made))).toBe('payment_method_not_found');
    expect(movedFor(made.id)).toEqual([]);
  });
});
