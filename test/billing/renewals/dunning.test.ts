import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

const failsLater = 'sandbox_ok_then_declined';
const methodDocument = `mutation ($id: ID!, $method: String!) {
  setPaymentMethod(id: $id, input: { paymentMethod: $method }) { status dueAt pastDueSince billedCount }
}`;
const advanceDocument = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription from 31 January, 9:00, whose charges fail from the second on. */
async function failing(frequency = 'Monthly', retryDays?: number[]): Promise<[books: Books, id: string]> {
  const books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  if (retryDays) {
    const document = 'mutation ($days: [Int!]!) { updateTenant(input: { retryDays: $days }) { retryDays } }';
    const { updateTenant } = await books.client.graphql(document, { days: retryDays });
    expect(updateTenant).toEqual({ retryDays });
  }
  const price = await books.plan(50, { recurring: { frequency } });
  return [books, await books.subscribe(await books.shop.customer(), price, failsLater)];
}

const setMethod = (books: Books, id: string, method: string, expected: object = {}) =>
  books.perform({ graphql: [methodDocument, { id, method }], ...expected });

/** When charges failed. */
const failures = async (books: Books, id: string) =>
  (await books.tries(id)).filter((each) => each.includes('failed')).map((each) => each.split(' ')[0]);

const paidTraces = [
  'PaymentEvent succeeded',
  'InvoiceEvent paid < PaymentEvent succeeded',
  'SubscriptionEvent billed < PaymentEvent succeeded',
];
const failedTraces = [
  'PaymentEvent failed',
  'InvoiceEvent payment_failed < PaymentEvent failed',
  'SubscriptionEvent past_due < PaymentEvent failed',
];
/** The traces of a second method of a customer, which replaces the default. */
const savedTraces = ['PaymentMethodEvent created', 'CustomerEvent updated < PaymentMethodEvent created'];
const clockTrace = 'ClockEvent advanced';

describe('a charge that fails', () => {
  it('is retried after 2, 7, 14 and 21 days, and then the subscription is cancelled', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-21T08:59:59.999Z');
    expect(await failures(books, id)).toEqual([
      '2026-02-28T09:00',
      '2026-03-02T09:00',
      '2026-03-07T09:00',
      '2026-03-14T09:00',
    ]);
    expect(await books.bills(id)).toEqual(['2026-01-31T09:00 paid 50', '2026-02-28T09:00 open 50']);
    expect(await books.subscription(id)).toMatchObject({
      status: 'past_due',
      pastDueSince: '2026-02-28T09:00:00.000Z',
      dueAt: '2026-03-21T09:00:00.000Z',
      nextBillingDate: '2026-02-28T09:00:00.000Z',
      billedCount: 1,
      cancelledAt: null,
    });
    await books.advance('2027-01-01');
    expect((await failures(books, id)).slice(4)).toEqual(['2026-03-21T09:00']);
    expect((await books.bills(id))[1]).toBe('2026-02-28T09:00 uncollectible 50');
    expect(await books.bills(id)).toHaveLength(2);
    expect(await books.subscription(id)).toMatchObject({
      status: 'cancelled',
      cancelledAt: '2026-03-21T09:00:00.000Z',
      nextBillingDate: null,
      dueAt: null,
      billedCount: 1,
    });
  });

  it.each([
    [[], ['2026-02-28T09:00']],
    [[1], ['2026-02-28T09:00', '2026-03-01T09:00']],
    [
      [3, 40],
      ['2026-02-28T09:00', '2026-03-03T09:00', '2026-04-09T09:00'],
    ],
  ])('is retried on the days that the tenant has set: %j', async (retryDays, tries) => {
    const [books, id] = await failing('Monthly', retryDays);
    await books.advance('2027-01-01');
    expect(await failures(books, id)).toEqual(tries);
    expect(short((await books.subscription(id)).cancelledAt)).toBe(tries.at(-1));
    expect((await books.bills(id)).slice(1)).toEqual(['2026-02-28T09:00 uncollectible 50']);
  });

  it('records a trace of each attempt and its effects', async () => {
    const [books, id] = await failing('Monthly', [2]);
    const advance = (to: string, traces: string[]) =>
      books.perform({ graphql: [advanceDocument, { to }], traces });
    const around = (...traces: string[]) => [clockTrace, ...traces];
    await advance('2026-02-28T09:00:00Z', around('InvoiceEvent created', ...failedTraces));
    await advance('2026-02-28T10:00:00Z', around());
    await advance(
      '2026-03-02T09:00:00Z',
      around(
        'PaymentEvent failed',
        'InvoiceEvent given_up < PaymentEvent failed',
        'SubscriptionEvent cancelled < PaymentEvent failed',
      ),
    );
    expect(await failures(books, id)).toHaveLength(2);
  });

  it('records only the traces of the payment if it succeeds', async () => {
    const books = await openBooks(app, '2026-01-31');
    await books.subscribe(await books.shop.customer(), await books.plan(50));
    const traces = [clockTrace, 'InvoiceEvent created', ...paidTraces];
    await books.perform({ graphql: [advanceDocument, { to: '2026-02-28' }], traces });
  });
});

describe('a new payment method', () => {
  it('is charged at once if the subscription is past due, without moving the anchor', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-10T12:00:00Z');
    await setMethod(books, id, 'sandbox_ok', {
      holds: { status: 'active', pastDueSince: null, dueAt: '2026-03-31T09:00:00.000Z', billedCount: 2 },
      traces: [...savedTraces, 'SubscriptionEvent payment_method_changed', ...paidTraces],
    });
    expect((await books.tries(id)).at(-1)).toBe('2026-03-10T12:00 charge succeeded 50');
    await books.advance('2026-04-30T09:00:00Z');
    expect(await books.lines(id)).toEqual([
      'cycle 50 2026-01-31T09:00/2026-02-28T09:00',
      'cycle 50 2026-02-28T09:00/2026-03-31T09:00',
      'cycle 50 2026-03-31T09:00/2026-04-30T09:00',
      'cycle 50 2026-04-30T09:00/2026-05-31T09:00',
    ]);
  });

  it('pays for the missed cycles, oldest first', async () => {
    const [books, id] = await failing('Weekly');
    await books.advance('2026-02-22T09:00:00Z');
    expect(await books.bills(id)).toEqual(['2026-01-31T09:00 paid 50', '2026-02-07T09:00 open 50']);
    expect(await books.forecast(id, '2026-03-01')).toEqual([
      '2026-02-28T09:00 50',
      '2026-02-28T09:00 50',
      '2026-02-28T09:00 50',
      '2026-02-28T09:00 50',
    ]);
    await setMethod(books, id, 'sandbox_ok', {
      holds: { status: 'active', billedCount: 2, dueAt: '2026-02-14T09:00:00.000Z' },
      traces: [...savedTraces, 'SubscriptionEvent payment_method_changed', ...paidTraces],
    });
    await books.advance('2026-02-22T09:00:00Z');
    expect((await books.lines(id)).slice(1)).toEqual([
      'cycle 50 2026-02-07T09:00/2026-02-14T09:00',
      'cycle 50 2026-02-14T09:00/2026-02-21T09:00',
      'cycle 50 2026-02-21T09:00/2026-02-28T09:00',
    ]);
    expect((await books.bills(id)).slice(2)).toEqual([
      '2026-02-22T09:00 paid 50',
      '2026-02-22T09:00 paid 50',
    ]);
    expect((await books.subscription(id)).billedCount).toBe(4);
  });

  it('that is declined uses up no retry', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-01T09:00:00Z');
    const holds = { status: 'past_due', dueAt: '2026-03-02T09:00:00.000Z' };
    const traces = [
      'SubscriptionEvent payment_method_changed',
      'PaymentEvent failed',
      'SubscriptionEvent past_due < PaymentEvent failed',
    ];
    for (let method = 0; method < 6; method++) await setMethod(books, id, failsLater, { holds, traces });
    await books.advance('2026-03-20T09:00:00Z');
    expect((await failures(books, id)).slice(-3)).toEqual([
      '2026-03-02T09:00',
      '2026-03-07T09:00',
      '2026-03-14T09:00',
    ]);
    await books.advance('2026-03-21T09:00:00Z');
    expect((await books.subscription(id)).status).toBe('cancelled');
  });

  it('is only saved if nothing is past due', async () => {
    const [books, id] = await failing();
    await setMethod(books, id, 'sandbox_ok', {
      holds: { status: 'active', billedCount: 1 },
      traces: [...savedTraces, 'SubscriptionEvent payment_method_changed'],
    });
    await books.advance('2026-02-28T09:00:00Z');
    expect(await books.bills(id)).toEqual(['2026-01-31T09:00 paid 50', '2026-02-28T09:00 paid 50']);
  });

  it('is refused by the provider, for an unknown subscription, or after the end', async () => {
    const [books, id] = await failing();
    const declined = { reason: 'payment_failed', paths: ['paymentMethod'] };
    await setMethod(books, id, 'sandbox_declined', declined);
    await setMethod(books, id, 'sandbox_requires_action', {
      reason: 'payment_action_required',
      paths: ['paymentMethod'],
    });
    await setMethod(books, 'sub_unknown', 'sandbox_ok', { reason: 'subscription_not_found' });
    await books.run('cancelSubscription(id: $id)', id);
    await setMethod(books, id, 'sandbox_ok', { reason: 'subscription_not_active' });
  });
});

describe('a past-due subscription', () => {
  it('can be cancelled at once', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-01');
    expect(await books.run('cancelSubscription(id: $id)', id)).toMatchObject({
      status: 'cancelled',
      cancelledAt: '2026-03-01T00:00:00.000Z',
      dueAt: null,
    });
    expect((await books.bills(id))[1]).toBe('2026-02-28T09:00 void 50');
    await books.advance('2026-06-01');
    expect(await failures(books, id)).toHaveLength(1);
  });

  it('can neither be paused nor resumed', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-01');
    for (const mutation of ['pauseSubscription', 'resumeSubscription']) {
      const document = `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`;
      await books.perform({ graphql: [document, { id }], reason: 'subscription_not_active', paths: ['id'] });
    }
  });

  it('is listed as active while it is retried', async () => {
    const [books, id] = await failing();
    await books.advance('2026-03-01');
    const { customerId: customer } = (
      await books.client.graphql('query ($id: ID!) { subscription(id: $id) { customerId } }', { id })
    ).subscription;
    const fields = { tenantAlias: books.alias, customer };
    await books.perform({ rest: ['GET', '/subscriptions/active', fields], holds: [{ id, billedCount: 1 }] });
    await books.advance('2026-03-22');
    const { body } = await books.client.rest('GET', '/subscriptions/active', fields);
    expect(body).toEqual([]);
  });
});
