/** Movements of recurring revenue: which change of a subscription writes which, by customer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, createCoupon, remove } from '../../billing/discounts/shop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { listMovements } from '../../support/revenue.ts';
import { order, startTrial } from '../../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const yearly = { recurring: { frequency: 'Yearly', period: 1 } };

async function open(clock = '2026-01-01T00:00:00.000Z') {
  const books = await openBooks(app, clock);
  const customer = await books.shop.customer();
  const mrr = async () => {
    const query =
      'query ($id: ID!) { customer(id: $id) { mrr { decimal } activeSubscriptions { mrr { decimal } } } }';
    const { customer: found } = await books.client.graphql(query, { id: customer.id });
    const own = found.activeSubscriptions.reduce(
      (sum: number, each: any) => sum + Number(each.mrr.decimal),
      0,
    );
    expect(own).toBe(Number(found.mrr[0]?.decimal ?? 0));
    return found.mrr[0]?.decimal;
  };
  return { books, customer, mrr, movements: () => listMovements(books, { customerId: customer.id }) };
}

describe('by customer', () => {
  it('a second subscription expands, the end of one contracts, and the last one churns (h14 to h18)', async () => {
    const { books, customer, movements, mrr } = await open();
    const gold = await books.subscribe(customer, await books.plan(2000, yearly));
    await books.advance('2026-02-01');
    const silver = await books.subscribe(customer, await books.plan(60));
    await books.advance('2026-02-10');
    expect(await mrr()).toBe('226.67');
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', silver);
    await books.advance('2026-03-01');
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', gold);
    await books.advance('2026-12-31');
    expect(await mrr()).toBe('166.67');
    await books.advance('2027-01-01');
    expect(await mrr()).toBeUndefined();
    await books.advance('2027-02-01');
    await books.subscribe(customer, await books.plan(30));
    expect(await movements()).toEqual([
      '2026-01-01 new 166.67 → 166.67',
      '2026-02-01 expansion 60.00 → 226.67',
      '2026-03-01 contraction -60.00 → 166.67',
      '2027-01-01 churn -166.67 → 0.00',
      '2027-02-01 reactivation 30.00 → 30.00',
    ]);
  });

  it('renewals write none', async () => {
    const { books, customer, movements } = await open();
    await books.subscribe(customer, await books.plan(50));
    await books.advance('2026-07-01');
    expect(await movements()).toEqual(['2026-01-01 new 50.00 → 50.00']);
  });

  it('pauses lose it, resumptions bring it back', async () => {
    const { books, customer, movements } = await open();
    const id = await books.subscribe(customer, await books.plan(50));
    await books.run('pauseSubscription(id: $id)', id);
    await books.advance('2026-01-10');
    await books.run('resumeSubscription(id: $id)', id);
    expect(await movements()).toEqual([
      '2026-01-01 new 50.00 → 50.00',
      '2026-01-01 churn -50.00 → 0.00',
      '2026-01-10 reactivation 50.00 → 50.00',
    ]);
  });

  it('a failed charge loses it only with the subscription', async () => {
    const { books, customer, movements } = await open();
    await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
    await books.advance('2026-02-20');
    expect(await movements()).toHaveLength(1);
    await books.advance('2026-03-01');
    expect(await movements()).toEqual(['2026-01-01 new 50.00 → 50.00', '2026-02-22 churn -50.00 → 0.00']);
  });

  it('a trial brings it with its first payment', async () => {
    const { books, customer, movements } = await open();
    const price = await books.plan(50, { price: { trialDays: 14 } });
    const id = await startTrial(books, (await order(books, customer, price)).id);
    expect(await movements()).toEqual([]);
    const method =
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { id } }';
    await books.client.graphql(method, { id });
    await books.advance('2026-03-01');
    expect(await movements()).toEqual(['2026-01-15 new 50.00 → 50.00']);
  });

  it('a scheduled downgrade contracts when it takes effect, a new plan expands at once', async () => {
    const { books, customer, movements } = await open();
    const group = await books.shop.group();
    const [small, medium, large] = await Promise.all(
      [20, 50, 90].map((amount) => books.plan(amount, { groupId: group.id })),
    );
    await books.subscribe(customer, medium);
    await books.advance('2026-01-15');
    await books.subscribe(customer, large);
    await books.subscribe(customer, small);
    await books.advance('2026-03-02');
    expect(await movements()).toEqual([
      '2026-01-01 new 50.00 → 50.00',
      '2026-01-15 expansion 40.00 → 90.00',
      expect.stringMatching(/^2026-0[23]-\d\d contraction -70.00 → 20.00$/),
    ]);
  });

  it('a deleted customer churns once, after contractions', async () => {
    const { books, customer, movements } = await open();
    for (const amount of [50, 30]) await books.subscribe(customer, await books.plan(amount));
    await books.client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id });
    expect(await movements()).toEqual([
      '2026-01-01 new 50.00 → 50.00',
      '2026-01-01 expansion 30.00 → 80.00',
      expect.stringContaining('contraction'),
      expect.stringContaining('churn'),
    ]);
  });
});

describe('discounts (h11)', () => {
  const discounted = async (books: Books, customer: any, input: object) => {
    const coupon: any = await createCoupon(books, { percentOff: '20', ...input });
    return apply(books, { customerId: customer.id, couponId: coupon.id });
  };

  it('a lasting one contracts, and its removal expands', async () => {
    const { books, customer, movements } = await open();
    await books.subscribe(customer, await books.plan(50));
    const discount = await discounted(books, customer, { duration: 'forever' });
    await books.advance('2026-02-02');
    await remove(books, discount.id);
    expect(await movements()).toEqual([
      '2026-01-01 new 50.00 → 50.00',
      '2026-01-01 contraction -10.00 → 40.00',
      '2026-02-02 expansion 10.00 → 50.00',
    ]);
  });

  it.each([
    ['once', { duration: 'once' }],
    ['repeating', { duration: 'repeating', durationInMonths: 3 }],
  ])('one of the duration %s moves nothing', async (_, input) => {
    const { books, customer, movements } = await open();
    await books.subscribe(customer, await books.plan(50));
    await discounted(books, customer, input);
    await books.advance('2026-06-02');
    expect(await movements()).toEqual(['2026-01-01 new 50.00 → 50.00']);
  });
});
