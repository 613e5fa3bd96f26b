import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, short, type Books } from '../../../support/books.ts';

const previewDocument = `query ($id: ID!, $price: ID!) {
  previewSubscriptionChange(id: $id, input: { priceId: $price }) {
    effectiveAt nextInvoice { date } total { amount } lines { kind }
  }
}`;
const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status } }';
const advanceDocument = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias } }';

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
  basic: any;
  best: any;
}

/** A subscription at 300 a month from 1 June, in a group that has plans for 100 and 600 as well. */
async function begun(method?: string): Promise<Plans> {
  const books = await openBooks(app, '2026-06-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const basic = await books.plan(100, { name: 'Basic', groupId });
  const better = await books.plan(300, { name: 'Better', groupId });
  const best = await books.plan(600, { name: 'Best', groupId });
  return { books, customer, groupId, basic, best, id: await books.subscribe(customer, better, method) };
}

describe('a downgrade', () => {
  it('takes effect at the end of the period, without credit', async () => {
    const { books, customer, id, basic } = await begun();
    await books.advance('2026-06-16');
    const { previewSubscriptionChange } = await books.client.graphql(previewDocument, {
      id,
      price: basic.id,
    });
    const july = '2026-07-01T00:00:00.000Z';
    expect(previewSubscriptionChange).toEqual({
      effectiveAt: july,
      nextInvoice: { date: july },
      total: { amount: 0 },
      lines: [],
    });
    expect(await books.subscribe(customer, basic)).toBe(id);
    expect(await books.lines(id)).toEqual(['cycle 300 2026-06-01/2026-07-01']);
    expect(await books.subscription(id)).toMatchObject({ productName: 'Better', nextBillingDate: july });
    expect(await books.forecast(id, '2026-08-01')).toEqual(['2026-07-01 100', '2026-08-01 100']);
    await books.advance('2026-08-01');
    expect(await books.subscription(id)).toMatchObject({ productName: 'Basic', billedCount: 3 });
    expect((await books.lines(id)).slice(1)).toEqual([
      'cycle 100 2026-07-01/2026-08-01',
      'cycle 100 2026-08-01/2026-09-01',
    ]);
  });

  it('to another interval starts its cycles at the end of the period', async () => {
    const { books, customer, id, groupId } = await begun();
    await books.advance('2026-06-16');
    await books.subscribe(
      customer,
      await books.plan(7, { groupId, recurring: { frequency: 'Weekly', executionDate: '2026-06-03' } }),
    );
    await books.advance('2026-07-08');
    expect((await books.lines(id)).slice(1)).toEqual([
      'cycle 7 2026-07-01/2026-07-08',
      'cycle 7 2026-07-08/2026-07-15',
    ]);
  });

  it.each([
    ['another downgrade', 50, ['cycle 50 2026-07-01/2026-08-01']],
    [
      'an upgrade',
      600,
      [
        'proration_credit -150 2026-06-16/2026-07-01',
        'proration_charge 300 2026-06-16/2026-07-01',
        'cycle 600 2026-07-01/2026-08-01',
      ],
    ],
  ])('is replaced by %s', async (_, amount, lines) => {
    const { books, customer, id, basic, groupId } = await begun();
    await books.subscribe(customer, basic);
    await books.advance('2026-06-16');
    await books.subscribe(customer, await books.plan(amount, { groupId }));
    await books.advance('2026-07-01');
    expect((await books.lines(id)).slice(1)).toEqual(lines);
    expect((await books.subscription(id)).agreedPrice.amount).toBe(amount);
  });

  it('is dropped if the subscription is cancelled, at once or at the end of the period', async () => {
    for (const mutation of [
      'cancelSubscription(id: $id)',
      'cancelSubscription(id: $id, input: { atPeriodEnd: true })',
    ]) {
      const { books, customer, id, basic } = await begun();
      await books.subscribe(customer, basic);
      await books.run(mutation, id);
      expect(await books.forecast(id, '2026-12-31')).toEqual([]);
      await books.advance('2026-12-31');
      expect(await books.lines(id)).toHaveLength(1);
      expect((await books.subscription(id)).status).toBe('cancelled');
    }
  });

  it('takes effect if the cancellation is undone', async () => {
    const { books, customer, id, basic } = await begun();
    await books.subscribe(customer, basic);
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    await books.run('uncancelSubscription(id: $id)', id);
    await books.advance('2026-07-01');
    expect((await books.lines(id))[1]).toBe('cycle 100 2026-07-01/2026-08-01');
  });

  it('takes effect also if the first charge at the new price is declined', async () => {
    const { books, customer, id, basic } = await begun();
    await books.subscribe(customer, basic, 'sandbox_ok_then_declined');
    await books.advance('2026-07-01');
    expect(await books.subscription(id)).toMatchObject({ status: 'past_due', productName: 'Basic' });
    expect(await books.bills(id)).toEqual(['2026-06-01 paid 300', '2026-07-01 open 100']);
  });

  it('records traces when it is scheduled and when it takes effect', async () => {
    const { books, customer, basic } = await begun();
    const { intentId: id } = await books.shop.intent(customer, basic);
    await books.perform({
      graphql: [confirmDocument, { id, method: 'sandbox_ok' }],
      traces: [
        'IntentEvent payment_started',
        'IntentEvent succeeded',
        'SubscriptionEvent downgrade_scheduled < IntentEvent succeeded',
      ],
    });
    await books.perform({
      graphql: [advanceDocument, { to: '2026-07-01' }],
      traces: [
        'ClockEvent advanced',
        'SubscriptionEvent downgraded',
        'InvoiceEvent created < SubscriptionEvent downgraded',
        'PaymentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
        'SubscriptionEvent billed < PaymentEvent succeeded',
      ],
    });
  });
});

describe('a plan change is refused', () => {
  it.each<[string, string, (plans: Plans) => Promise<unknown>]>([
    ['where it is past due', 'intent_not_payable', ({ books }) => books.advance('2026-07-02')],
    [
      'while it is paused',
      'subscription_not_active',
      ({ books, id }) => books.run('pauseSubscription(id: $id)', id),
    ],
  ])('%s, by preview, intent and payment alike', async (_, late, hinder) => {
    const plans = await begun('sandbox_ok_then_declined');
    const { books, customer, id, best } = plans;
    const { intentId } = await books.shop.intent(customer, best);
    await hinder(plans);
    const reason = 'subscription_not_active' as const;
    await books.perform({ graphql: [previewDocument, { id, price: best.id }], reason });
    const order = books.shop.intentInput(customer, best);
    await books.perform({ rest: ['POST', '/subscriptions/intent', order], status: 409, reason });
    const { body } = await books.client.post(confirmDocument, { id: intentId, method: 'sandbox_ok' });
    expect(body.errors[0].extensions.reason).toBe(late);
    expect(await books.client.graphql('{ subscriptions { nodes { productName } } }')).toEqual({
      subscriptions: { nodes: [{ productName: 'Better' }] },
    });
  });

  it('before it has begun', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group();
    const [first, second] = [await books.plan(10, { groupId }), await books.plan(20, { groupId })];
    const id = await books.subscribe(customer, first, undefined, { startDate: '2026-06-10' });
    const refusal = { reason: 'subscription_not_active' } as const;
    await books.perform({ graphql: [previewDocument, { id, price: second.id }], ...refusal });
    const order = books.shop.intentInput(customer, second);
    await books.perform({ rest: ['POST', '/subscriptions/intent', order], status: 409, ...refusal });
  });

  it('to another currency, to the same price, to a product of another group', async () => {
    const { books, customer, id, groupId } = await begun();
    const foreign = await books.plan(5, { groupId, currency: 'usd' });
    const rest = (price: any, fields = {}): any => ({
      rest: ['POST', '/subscriptions/intent', books.shop.intentInput(customer, price, fields)],
    });
    const preview = (price: any): any => ({ graphql: [previewDocument, { id, price: price.id }] });
    await books.perform({ ...rest(foreign), status: 409, reason: 'currency_mismatch' });
    await books.perform({ ...preview(foreign), reason: 'currency_mismatch' });
    const { priceId, productId } = (
      await books.client.graphql('query ($id: ID!) { subscription(id: $id) { priceId productId } }', { id })
    ).subscription;
    const own = { id: priceId, productId };
    await books.perform({ ...rest(own), status: 409, reason: 'subscription_exists', paths: ['productId'] });
    const unchanged = await books.client.graphql(previewDocument, { id, price: own.id });
    expect(unchanged.previewSubscriptionChange).toMatchObject({ total: { amount: 0 }, lines: [] });
    const { id: otherGroup } = await books.shop.group();
    for (const other of [await books.plan(900), await books.plan(900, { groupId: otherGroup })]) {
      await books.perform({ ...preview(other), reason: 'validation_failed', paths: ['priceId'] });
    }
    await books.perform({ ...preview({ id: 'price_unknown' }), reason: 'price_not_found' });
  });

  it('with a future start, also if the intent became a plan change later', async () => {
    const { books, customer, best, groupId } = await begun();
    const startDate = '2026-06-02';
    const order = books.shop.intentInput(customer, best, { startDate });
    await books.perform({
      rest: ['POST', '/subscriptions/intent', order],
      status: 400,
      reason: 'validation_failed',
      paths: ['startDate'],
    });
    const other = await books.shop.customer();
    const { intentId: id } = await books.shop.intent(other, best, { startDate });
    const subscribed = await books.subscribe(other, await books.plan(10, { groupId }));
    await books.perform({
      graphql: [confirmDocument, { id, method: 'sandbox_ok' }],
      reason: 'subscription_exists',
      paths: ['id'],
    });
    expect(short((await books.subscription(subscribed)).nextBillingDate)).toBe('2026-07-01');
  });
});
