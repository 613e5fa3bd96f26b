/** Revenue figures over GraphQL: movements and money by calendar period, time zones, instants and definitions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { askRevenue } from '../../support/revenue.ts';
import { order, startTrial } from '../../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const pick = (points: any[], names: string) =>
  points.map((point) =>
    names
      .split(' ')
      .map((name) => point[name])
      .join(' '),
  );

describe('by month', () => {
  let books: Books;
  beforeAll(async () => {
    books = await openBooks(app, '2026-01-10T00:00:00.000Z');
    const [ada, bob, eve] = [
      await books.shop.customer(),
      await books.shop.customer(),
      await books.shop.customer(),
    ];
    await books.subscribe(ada, await books.plan(120));
    await books.subscribe(bob, await books.plan(30), 'sandbox_ok_then_declined');
    await books.advance('2026-02-15');
    const second = await books.subscribe(ada, await books.plan(60));
    await books.subscribe(eve, await books.plan(600, { recurring: { frequency: 'Yearly', period: 1 } }));
    await books.advance('2026-04-05');
    await books.run('cancelSubscription(id: $id)', second);
    const [first] = (await books.invoices(second)).map(({ id }: any) => id);
    await books.client.graphql(
      'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 20, currency: "afn" } }) { id } }',
      {
        id: first,
      },
    );
  });

  it('has the movements, and what is there at the start and end', async () => {
    const { points, total } = await askRevenue(books, { from: '2026-01-01', until: '2026-05-01' });
    expect(
      pick(
        points,
        'mrrStart new expansion contraction churn reactivation mrrEnd activeCustomers activeSubscriptions',
      ),
    ).toEqual([
      '0.00 150.00 0.00 0.00 0.00 0.00 150.00 2 2',
      '150.00 50.00 60.00 0.00 0.00 0.00 260.00 3 4',
      '260.00 0.00 0.00 0.00 30.00 0.00 230.00 2 3',
      '230.00 0.00 0.00 60.00 0.00 0.00 170.00 2 2',
    ]);
    expect(total).toMatchObject({
      mrrStart: '0.00',
      new: '200.00',
      churn: '30.00',
      mrrEnd: '170.00',
      newCustomers: 3,
    });
    expect(pick(points, 'customerChurnRate grossMrrChurnRate netMrrChurnRate nrr quickRatio arpu')).toEqual([
      '0     75.00',
      '0 0 -0.4 1.4  86.67',
      '0.333333 0.115385 0.115385 0.884615 0 115.00',
      '0 0.26087 0.26087 0.73913 0 85.00',
    ]);
  });

  it('has the money that moved, and the payments that failed', async () => {
    const { points, total } = await askRevenue(books, { from: '2026-01-01', until: '2026-05-01' });
    expect(pick(points, 'invoiced netRevenue refunded credited failedPayments recoveredPayments')).toEqual([
      '150.00 150.00 0.00 0.00 0 0.00 0 0.00',
      '810.00 780.00 0.00 0.00 1 30.00 0 0.00',
      '180.00 180.00 0.00 0.00 0 0.00 0 0.00',
      '0.00 -20.00 20.00 20.00 0 0.00 0 0.00',
    ]);
    const paid = (await books.invoices()).filter(({ status }: any) => status === 'paid');
    const sum = paid.reduce(
      (all: number, { total: { amount }, refunded }: any) => all + amount - refunded.amount,
      0,
    );
    expect(Number(total.netRevenue)).toBe(sum);
  });

  it.each([
    ['before the second subscription', '2026-02-14T23:59:59.999Z', '150.00'],
    ['at its instant', '2026-02-15T00:00:00.000Z', '260.00'],
    ['before everything', '2026-01-09', '0.00'],
  ])('as of an instant: %s', async (_, asOf, mrrEnd) => {
    const { total } = await askRevenue(books, { from: '2026-01-01', until: '2026-05-01', asOf });
    expect(total.mrrEnd).toBe(mrrEnd);
  });

  it.each([
    ['day', 120],
    ['week', 18],
    ['month', 4],
    ['quarter', 2],
    ['year', 1],
  ])('by %s adds up to the same', async (by, count) => {
    const range = { from: '2026-01-01', until: '2026-05-01' };
    const months = await askRevenue(books, range);
    const other = await askRevenue(books, { ...range, by });
    expect(other.points).toHaveLength(count);
    const { start: _s, end: _e, ...total } = months.total;
    expect(other.total).toMatchObject(total);
  });

  it.each([
    [{ pastDue: false }, ['150.00', '230.00', '230.00', '170.00']],
    [{ discounts: 'none', trials: true, paused: true }, ['150.00', '260.00', '230.00', '170.00']],
  ])('by the definition %j', async (definition, expected) => {
    const { points } = await askRevenue(books, { from: '2026-01-01', until: '2026-05-01', definition });
    expect(points.map(({ mrrEnd }: any) => mrrEnd)).toEqual(expected);
  });
});

it('counts trials, and divides the converted ones by those that ended (h10)', async () => {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  const price = await books.plan(50, { price: { trialDays: 14 } });
  const method =
    'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { id } }';
  for (let nth = 0; nth < 4; nth++) {
    const id = await startTrial(books, (await order(books, await books.shop.customer(), price)).id);
    if (nth === 0) await books.client.graphql(method, { id });
  }
  const range = { from: '2026-01-01', until: '2026-02-01' };
  expect((await askRevenue(books, range)).total).toMatchObject({
    trialsStarted: 4,
    trialConversionRate: null,
    mrrEnd: '0.00',
  });
  expect((await askRevenue(books, { ...range, definition: { trials: true } })).total.mrrEnd).toBe('200.00');
  await books.advance('2026-01-20');
  expect((await askRevenue(books, range)).total).toMatchObject({
    trialsStarted: 4,
    trialsConverted: 1,
    trialsLost: 3,
    trialConversionRate: '0.25',
    mrrEnd: '50.00',
  });
});

it('counts payments recovered after a failure, and committed MRR', async () => {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  const id = await books.subscribe(
    await books.shop.customer(),
    await books.plan(31),
    'sandbox_ok_then_declined',
  );
  await books.advance('2026-02-01');
  const set =
    'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }';
  await books.client.graphql(set, { id });
  await books.advance('2026-02-10');
  const february = { from: '2026-02-01', until: '2026-03-01' };
  expect((await askRevenue(books, february)).total).toMatchObject({
    failedPayments: '1 31.00',
    recoveredPayments: '1 31.00',
    netRevenue: '31.00',
  });
  await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
  const { total } = await askRevenue(books, { ...february, definition: { cancelling: false } });
  expect([total.mrrStart, total.churn, total.mrrEnd]).toEqual(['31.00', '31.00', '0.00']);
  expect((await askRevenue(books, february)).total.mrrEnd).toBe('31.00');
});

describe('time zones', () => {
  it.each([
    ['UTC', ['2026-01-01T00:00:00.000Z'], [1, 1]],
    ['Europe/Berlin', ['2025-12-31T23:00:00.000Z'], [0, 2]],
    ['Asia/Kathmandu', ['2025-12-31T18:15:00.000Z'], [0, 2]],
    ['America/Los_Angeles', ['2026-01-01T08:00:00.000Z'], [2, 0]],
  ])('%s', async (timeZone, [start], counts) => {
    const books = await openBooks(app, '2026-01-31T20:00:00.000Z');
    await books.subscribe(await books.shop.customer(), await books.plan(10));
    await books.advance('2026-02-01T02:00:00.000Z');
    await books.subscribe(await books.shop.customer(), await books.plan(10));
    const { points } = await askRevenue(books, { from: '2026-01-10', until: '2026-02-10', timeZone });
    expect(points[0].start).toBe(start);
    const expected = timeZone === 'Europe/Berlin' ? [1, 1] : counts;
    expect(points.map(({ newCustomers }: any) => newCustomers)).toEqual(expected);
    expect(points.map(({ netRevenue }: any) => Number(netRevenue) / 10)).toEqual(expected);
  });
});

describe('refuses', () => {
  it.each([
    ['currency', { currency: 'xyz' }, 'currency_unsupported'],
    ['timeZone', { timeZone: 'Mars/Base' }, 'validation_failed'],
    ['timeZone', { timeZone: '+02:00' }, 'validation_failed'],
    ['until', { until: '2026-01-01' }, 'validation_failed'],
    ['until', { by: 'day', until: '2030-01-01' }, 'validation_failed'],
    ['until', { by: 'day', until: '9999-12-31' }, 'validation_failed'],
    ['asOf', { asOf: '2026-02-30' }, 'validation_failed'],
    ['from', { from: '0001-01-01', until: '0000-01-01' }, 'validation_failed'],
  ])('%s in %j', async (path, fields, reason) => {
    const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
    const variables = { currency: 'afn', from: '2026-01-01', until: '2026-02-01', ...fields };
    const query = `query ($currency: Currency!, $from: DateTime!, $until: DateTime!, $by: RevenueInterval,
      $timeZone: String, $asOf: DateTime) { revenue(currency: $currency, from: $from, until: $until, by: $by,
      timeZone: $timeZone, asOf: $asOf) { points { start } } }`;
    const { body } = await books.client.post(query, variables);
    const { reason: given, issues } = body.errors[0].extensions;
    expect([given, issues[0].path]).toEqual([reason, expect.stringMatching(new RegExp(`^(${path}|until)$`))]);
  });
});
