/** Cohorts, the forecast by month, payments to recover, and movements under contention. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { askRevenue, listMovements } from '../../support/revenue.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const cohortsDocument = `query ($from: DateTime!, $until: DateTime!, $asOf: DateTime) {
  cohorts(currency: "afn", from: $from, until: $until, asOf: $asOf) {
    month customers mrr { decimal } ages { age customers mrr { decimal } customerRetention mrrRetention }
  }
}`;

describe('cohorts', () => {
  const ask = async (books: Awaited<ReturnType<typeof openBooks>>, variables: object) =>
    (
      await books.client.graphql(cohortsDocument, { from: '2026-01-01', until: '2026-07-01', ...variables })
    ).cohorts.map(
      ({ month, customers, mrr, ages }: any) =>
        `${month.slice(0, 7)} ${customers} ${mrr.decimal}: ` +
        ages
          .map(
            (age: any) => `${age.customers} ${age.mrr.decimal} ${age.customerRetention} ${age.mrrRetention}`,
          )
          .join(', '),
    );

  it('keep the customers of a month apart', async () => {
    const books = await openBooks(app, '2026-01-10T00:00:00.000Z');
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => books.shop.customer()));
    const plan = await books.plan(40);
    await books.subscribe(ada, plan);
    const first = await books.subscribe(bob, plan);
    await books.advance('2026-02-20');
    await books.subscribe(eve, plan);
    await books.run('cancelSubscription(id: $id)', first);
    await books.subscribe(ada, await books.plan(20));
    await books.advance('2026-03-05');
    await books.subscribe(bob, plan);
    expect(await ask(books, {})).toEqual([
      '2026-01 2 80.00: 2 80.00 1 1, 1 60.00 0.5 0.75, 2 100.00 1 1.25',
      '2026-02 1 40.00: 1 40.00 1 1, 1 40.00 1 1',
    ]);
    expect(await ask(books, { asOf: '2026-02-25' })).toEqual([
      '2026-01 2 80.00: 2 80.00 1 1, 1 60.00 0.5 0.75',
      '2026-02 1 40.00: 1 40.00 1 1',
    ]);
    expect(await ask(books, { from: '2026-02-01', until: '2026-03-01' })).toHaveLength(1);
    expect(await ask(books, { from: '2027-01-01', until: '2027-02-01' })).toEqual([]);
  });
});

it('forecasts invoices and committed MRR by month', async () => {
  const books = await openBooks(app, '2026-01-10T00:00:00.000Z');
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(40));
  const ending = await books.subscribe(customer, await books.plan(30));
  await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', ending);
  const { revenueForecast } = await books.client.graphql(`{ revenueForecast(currency: "afn", months: 3) {
    start end invoices invoiced { decimal } committedMrr { decimal } } }`);
  expect(
    revenueForecast.map(
      ({ start, end, invoices, invoiced, committedMrr }: any) =>
        `${start.slice(0, 10)} ${end.slice(0, 10)} ${invoices} ${invoiced.decimal} ${committedMrr.decimal}`,
    ),
  ).toEqual([
    '2026-01-10 2026-02-01 0 0.00 70.00',
    '2026-02-01 2026-03-01 1 40.00 40.00',
    '2026-03-01 2026-04-01 1 40.00 40.00',
  ]);
  const { body } = await books.client.post('{ revenueForecast(currency: "afn", months: 13) { invoices } }');
  expect(body.errors[0].extensions).toMatchObject({
    reason: 'validation_failed',
    issues: [{ path: 'months' }],
  });
});

it('lists payments to recover with the reason and the next try', async () => {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  await books.subscribe(await books.shop.customer(), await books.plan(31), 'sandbox_ok_then_declined');
  await books.subscribe(await books.shop.customer(), await books.plan(20));
  await books.advance('2026-02-02');
  const { paymentsToRecover } = await books.client.graphql(`{ paymentsToRecover { nodes {
    subscription { status } invoice { status } amount { decimal } failedSince reason nextTryAt } } }`);
  expect(paymentsToRecover.nodes).toEqual([
    {
      subscription: { status: 'past_due' },
      invoice: { status: 'open' },
      amount: { decimal: '31.00' },
      failedSince: '2026-02-01T00:00:00.000Z',
      reason: expect.any(String),
      nextTryAt: '2026-02-03T00:00:00.000Z',
    },
  ]);
});

it('lists currencies, those with the most customers first', async () => {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  const list = async () => (await books.client.graphql('{ revenueCurrencies }')).revenueCurrencies;
  expect(await list()).toEqual([]);
  for (const currency of ['usd', 'jpy', 'jpy'])
    await books.subscribe(await books.shop.customer(), await books.plan(20, { currency }));
  expect(await list()).toEqual(['jpy', 'usd']);
});

it('50 changes at once leave movements that add up', async () => {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  const customer = await books.shop.customer();
  const plans = await Promise.all(Array.from({ length: 25 }, (_, nth) => books.plan(nth + 1)));
  await Promise.all(plans.map((plan) => books.subscribe(customer, plan)));
  const { customer: found } = await books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { activeSubscriptions { id } } }',
    { id: customer.id },
  );
  await Promise.all(
    found.activeSubscriptions.flatMap(({ id }: any, nth: number) =>
      [
        books.run('pauseSubscription(id: $id)', id),
        ...(nth % 2 ? [books.run('cancelSubscription(id: $id)', id)] : []),
      ].map((work) => work.catch(() => undefined)),
    ),
  );
  expect(await findFaults(app, books.alias)).toEqual([]);
  const movements = await listMovements(books, { customerId: customer.id });
  expect(movements.filter((each) => each.includes(' new '))).toHaveLength(1);
  expect(movements.filter((each) => each.includes(' churn '))).toHaveLength(1);
  expect(movements.at(-1)).toContain('→ 0.00');
  const { total } = await askRevenue(books, { from: '2026-01-01', until: '2026-02-01' });
  expect(total).toMatchObject({
    newCustomers: 1,
    churnedCustomers: 1,
    activeSubscriptions: 0,
    mrrEnd: '0.00',
  });
});

it('another tenant has none of it', async () => {
  const [own, other] = [await openBooks(app, '2026-01-01'), await openBooks(app, '2026-01-01')];
  const customer = await own.shop.customer();
  await own.subscribe(customer, await own.plan(20));
  expect(await listMovements(other, { customerId: customer.id })).toEqual([]);
  expect(await listMovements(other)).toEqual([]);
  const { total } = await askRevenue(other, { from: '2026-01-01', until: '2026-02-01' });
  expect(total).toMatchObject({ mrrEnd: '0.00', netRevenue: '0.00' });
});
