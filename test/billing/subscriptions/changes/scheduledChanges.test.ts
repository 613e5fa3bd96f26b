/** Changes of plan that wait for the end of the period: shown, taken back, and changes of price within one product. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, short, type Books } from '../../../support/books.ts';
import { inject } from '../../../support/world.ts';
import { findDue } from '../../../support/pages.ts';
import { payPath } from '../../../support/payLinks.ts';

const scheduledDocument = `query ($id: ID!) { subscription(id: $id) { scheduledChange {
  intentId productId priceId productName effectiveAt agreedPrice { amount currency } product { name deleted } price { id }
} } }`;
const previewDocument = `query ($id: ID!, $price: ID!) {
  previewSubscriptionChange(id: $id, input: { priceId: $price }) { effectiveAt nextInvoice { date } total { amount } lines { kind } }
}`;
const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId } }';
const cancelDocument = `mutation ($id: ID!) { cancelScheduledChange(id: $id) { id scheduledChange { intentId } } }`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

interface Plans {
  books: Books;
  customer: any;
  id: string;
  groupId: string;
  current: any;
  cheaper: any;
}

/** A subscription at 300 a month from 1 June; the clock stands at 16 June. */
async function begun(): Promise<Plans> {
  const books = await openBooks(app, '2026-06-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const current = await books.plan(300, { name: 'Better', groupId });
  const cheaper = await books.plan(100, { name: 'Basic', groupId });
  const id = await books.subscribe(customer, current);
  await books.advance('2026-06-16');
  return { books, customer, groupId, current, cheaper, id };
}

const scheduled = async ({ books, id }: Plans) =>
  (await books.client.graphql(scheduledDocument, { id })).subscription.scheduledChange;

/** A further price of a product. */
async function addPrice({ books }: Plans, productId: string, amount: number, recurring: object) {
  const prices = [{ details: { amount, currency: 'afn' }, recurring }];
  const { body } = await books.client.rest('POST', `/products/${productId}/prices`, {
    tenantAlias: books.alias,
    prices,
  });
  return body[0];
}

describe('a scheduled plan change', () => {
  it('is shown until it takes effect', async () => {
    const plans = await begun();
    const { books, customer, id, cheaper } = plans;
    expect(await scheduled(plans)).toBeNull();
    const { intentId } = await books.shop.intent(customer, cheaper);
    await books.shop.confirm(intentId);
    expect(await scheduled(plans)).toEqual({
      intentId,
      productId: cheaper.productId,
      priceId: cheaper.id,
      productName: 'Basic',
      effectiveAt: '2026-07-01T00:00:00.000Z',
      agreedPrice: { amount: 100, currency: 'afn' },
      product: { name: 'Basic', deleted: false },
      price: { id: cheaper.id },
    });
    await books.advance('2026-07-01');
    expect(await scheduled(plans)).toBeNull();
    expect((await books.subscription(id)).productName).toBe('Basic');
  });

  it('shows the agreed terms and takes effect, also if the product is deleted', async () => {
    const plans = await begun();
    const { books, customer, id, cheaper } = plans;
    await books.subscribe(customer, cheaper);
    await books.client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', {
      id: cheaper.productId,
    });
    expect(await scheduled(plans)).toMatchObject({
      productName: 'Basic',
      product: { name: 'Basic', deleted: true },
    });
    await books.advance('2026-07-01');
    expect((await books.lines(id))[1]).toBe('cycle 100 2026-07-01/2026-08-01');
  });

  it('is undone by a mutation, without a charge', async () => {
    const plans = await begun();
    const { books, customer, id, cheaper } = plans;
    await books.subscribe(customer, cheaper);
    await books.perform({
      graphql: [cancelDocument, { id }],
      holds: { id, scheduledChange: null },
      traces: ['SubscriptionEvent scheduled_change_undone'],
    });
    expect(await books.forecast(id, '2026-08-01')).toEqual(['2026-07-01 300', '2026-08-01 300']);
    await books.advance('2026-07-01');
    expect(await books.bills(id)).toEqual(['2026-06-01 paid 300', '2026-07-01 paid 300']);
  });

  it('is undone by subscribing to the current price, without a charge', async () => {
    const plans = await begun();
    const { books, customer, id, current, cheaper } = plans;
    await books.subscribe(customer, cheaper);
    const preview = await books.client.graphql(previewDocument, { id, price: current.id });
    expect(preview.previewSubscriptionChange).toEqual({
      effectiveAt: '2026-06-16T00:00:00.000Z',
      nextInvoice: { date: '2026-07-01T00:00:00.000Z' },
      total: { amount: 0 },
      lines: [],
    });
    const { intentId, status } = await books.shop.intent(customer, current);
    expect(status).toBe('requires_payment_method');
    const page = await inject(app, { url: await payPath(app, intentId) });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Keep plan')]);
    expect(findDue(page.text)).toMatch(/ 0\.00$/);
    // Nothing is taken back until the payer has agreed.
    expect(await scheduled(plans)).not.toBeNull();
    await books.perform({
      graphql: [confirmDocument, { id: intentId, method: 'sandbox_ok' }],
      holds: { status: 'succeeded', subscriptionId: id },
      traces: [
        'IntentEvent payment_started',
        'IntentEvent succeeded',
        'SubscriptionEvent scheduled_change_undone < IntentEvent succeeded',
      ],
    });
    expect(await scheduled(plans)).toBeNull();
    expect(await books.tries(id)).toEqual(['2026-06-01 charge succeeded 300']);
    await books.advance('2026-07-01');
    expect((await books.lines(id)).slice(1)).toEqual(['cycle 300 2026-07-01/2026-08-01']);
    const order = books.shop.intentInput(customer, current);
    await books.perform({
      rest: ['POST', '/subscriptions/intent', order],
      status: 409,
      reason: 'subscription_exists',
      paths: ['productId'],
    });
  });

  it('is undone once, also while the payer confirms at the bank', async () => {
    const plans = await begun();
    const { books, customer, id, current, cheaper } = plans;
    await books.subscribe(customer, cheaper);
    const { intentId } = await books.shop.intent(customer, current);
    await books.client.graphql(cancelDocument, { id });
    const { body } = await books.client.post(confirmDocument, { id: intentId, method: 'sandbox_ok' });
    expect(body.errors[0].extensions.reason).toBe('subscription_exists');
    await books.advance('2026-07-01');
    expect((await books.lines(id)).slice(1)).toEqual(['cycle 300 2026-07-01/2026-08-01']);
  });

  it('yields to a cancellation, and takes effect if that is undone', async () => {
    for (const [mutation, bills] of [
      [undefined, 1],
      ['uncancelSubscription(id: $id)', 2],
    ] as const) {
      const plans = await begun();
      const { books, customer, id, cheaper } = plans;
      await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
      await books.subscribe(customer, cheaper);
      expect(await books.subscription(id)).toMatchObject({ cancelAtPeriodEnd: true });
      expect(await scheduled(plans)).toMatchObject({ productName: 'Basic' });
      if (mutation) await books.run(mutation, id);
      await books.advance('2026-07-15');
      expect(await books.bills(id)).toHaveLength(bills);
      const { status, agreedPrice } = await books.subscription(id);
      expect([status, agreedPrice.amount]).toEqual(mutation ? ['active', 100] : ['cancelled', 300]);
    }
  });

  it('cannot be undone if there is none, or for a subscription of another tenant', async () => {
    const plans = await begun();
    const { books, id, customer, cheaper } = plans;
    const cancel = (subscription: string, reason: any): any => ({
      graphql: [cancelDocument, { id: subscription }],
      reason,
    });
    await books.perform({ ...cancel(id, 'no_scheduled_change'), paths: ['id'] });
    await books.perform(cancel('sub_unknown', 'subscription_not_found'));
    await books.subscribe(customer, cheaper);
    const others = await begun();
    await others.books.perform(cancel(id, 'subscription_not_found'));
    expect(await scheduled(plans)).not.toBeNull();
    await books.run('cancelSubscription(id: $id)', id);
    await books.perform({ ...cancel(id, 'subscription_not_active'), paths: ['id'] });
  });

  it('is undone by one of fifty concurrent requests', async () => {
    const { books, customer, id, cheaper } = await begun();
    await books.subscribe(customer, cheaper);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => books.client.post(cancelDocument, { id })),
    );
    const reasons = answers.map(({ body }) => body.errors?.[0].extensions.reason ?? 'done');
    expect(reasons.filter((each) => each === 'done')).toHaveLength(1);
    expect(new Set(reasons)).toEqual(new Set(['done', 'no_scheduled_change']));
  });
});

describe('another price of the same product', () => {
  const year = { frequency: 'Yearly' };

  it.each([
    [
      'in a group that prorates',
      true,
      ['proration_credit -150 2026-06-16/2026-07-01', 'cycle 1000 2026-06-16/2027-06-16'],
    ],
    ['in a group that does not', false, ['cycle 1000 2026-06-16/2027-06-16']],
    [
      'outside any group',
      null,
      ['proration_credit -150 2026-06-16/2026-07-01', 'cycle 1000 2026-06-16/2027-06-16'],
    ],
  ])('for a year instead of a month takes effect at once: %s', async (_, prorateUpgrades, lines) => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const groupId = prorateUpgrades === null ? null : (await books.shop.group({ prorateUpgrades })).id;
    const monthly = await books.plan(300, { groupId });
    const id = await books.subscribe(customer, monthly);
    await books.advance('2026-06-16');
    const plans = { books, customer, id, groupId, current: monthly, cheaper: monthly };
    const yearly = await addPrice(plans, monthly.productId, 1000, year);
    const { previewSubscriptionChange } = await books.client.graphql(previewDocument, {
      id,
      price: yearly.id,
    });
    expect(await books.subscribe(customer, yearly)).toBe(id);
    expect((await books.lines(id)).slice(1)).toEqual(lines);
    const [, invoice] = await books.invoices(id);
    expect(previewSubscriptionChange.total.amount).toBe(invoice.total.amount);
    expect(short((await books.subscription(id)).nextBillingDate)).toBe('2027-06-16');
  });

  it('for a month instead of a year takes effect at the end of the year', async () => {
    const plans = await begun();
    const { books, customer, id, current } = plans;
    const yearly = await addPrice(plans, current.productId, 3600, year);
    await books.subscribe(customer, yearly);
    await books.advance('2026-09-01');
    await books.subscribe(customer, current);
    expect(await scheduled(plans)).toMatchObject({
      priceId: current.id,
      effectiveAt: '2027-06-16T00:00:00.000Z',
    });
    await books.advance('2027-07-16');
    expect((await books.lines(id)).slice(3)).toEqual([
      'cycle 300 2027-06-16/2027-07-16',
      'cycle 300 2027-07-16/2027-08-16',
    ]);
  });

  it('is refused in another currency, while paused, and in another tenant', async () => {
    const plans = await begun();
    const { books, customer, current, id } = plans;
    const body = { tenantAlias: books.alias, prices: [{ details: { amount: 900, currency: 'usd' } }] };
    const foreign = (await books.client.rest('POST', `/products/${current.productId}/prices`, body)).body[0];
    const order = (price: any, reason: any): any => ({
      rest: ['POST', '/subscriptions/intent', books.shop.intentInput(customer, price)],
      status: 409,
      reason,
    });
    await books.perform(order(foreign, 'currency_mismatch'));
    const dearer = await addPrice(plans, current.productId, 400, {});
    await books.run('pauseSubscription(id: $id)', id);
    await books.perform(order(dearer, 'subscription_not_active'));
    const others = await begun();
    await others.books.perform({
      graphql: [previewDocument, { id: others.id, price: dearer.id }],
      reason: 'price_not_found',
    });
  });

  it('is changed to once by ten concurrent payments', async () => {
    const plans = await begun();
    const { books, customer, current, id } = plans;
    const yearly = await addPrice(plans, current.productId, 3000, year);
    const intents = await Promise.all(Array.from({ length: 10 }, () => books.shop.intent(customer, yearly)));
    await Promise.all(
      intents.map(({ intentId }) =>
        books.client.post(confirmDocument, { id: intentId, method: 'sandbox_ok' }),
      ),
    );
    expect(await books.bills(id)).toEqual(['2026-06-01 paid 300', '2026-06-16 paid 2850']);
  });
});
