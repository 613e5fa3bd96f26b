/** Credits that an operator grants: the soonest to expire pays first, and nothing pays once it has expired. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deductFromCredits, orderCredits, sumUsable } from '../../../src/billing/pricing/credits.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask, documents } from '../../support/oneOff.ts';
import { sampledRunsInCore } from '../../support/sample.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

async function subscribed(price = 10) {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, await books.plan(price));
  const grant = (amount: number, expiresAt?: string, reason = 'Sorry') =>
    ask(books, 'grantCredit', { customerId: customer.id, amount: afn(amount), reason, expiresAt });
  const find = () => ask(books, 'customer', { id: customer.id });
  const left = async () =>
    (await find()).credits.map(({ reason, remaining }: any) => `${reason} ${remaining.amount}`);
  const balance = async () => (await find()).balance.map(({ amount }: any) => amount);
  return { books, customer, id, grant, left, balance };
}

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);

describe('a granted credit', () => {
  it('is shown, and pays the next charges', async () => {
    const { books, customer, id, left, balance } = await subscribed();
    const credit = {
      customerId: customer.id,
      amount: { decimal: '15.00', currency: 'afn' },
      reason: 'Outage',
      expiresAt: '2026-04-01',
    };
    const granted = await books.perform({
      graphql: [documents.grantCredit, credit],
      traces: ['CustomerEvent credit_granted'],
    });
    expect(granted).toMatchObject({
      reason: 'Outage',
      expiresAt: '2026-04-01T00:00:00.000Z',
      amount: { amount: 15, currency: 'afn' },
      remaining: { amount: 15 },
    });
    expect(await balance()).toEqual([15]);
    expect(await books.forecast(id, '2026-03-15')).toEqual(['2026-02-01 0', '2026-03-01 5']);
    await books.advance('2026-02-01');
    expect(await left()).toEqual(['Outage 5']);
    await books.advance('2026-03-15');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 10', '2026-02-01 paid 0', '2026-03-01 paid 5']);
    expect([await left(), await balance()]).toEqual([[], []]);
    await expectSound(books);
  });

  it('burns soonest-to-expire first, then oldest, and one that never expires last', async () => {
    const { books, grant, left } = await subscribed();
    await grant(3, undefined, 'never');
    await grant(3, '2027-01-01', 'late');
    await grant(3, '2026-06-01', 'soon');
    await grant(3, '2026-06-01', 'soon too');
    expect(await left()).toEqual(['soon 3', 'soon too 3', 'late 3', 'never 3']);
    await books.advance('2026-02-01');
    expect(await left()).toEqual(['never 2']);
    await expectSound(books);
  });

  it('is worth nothing from the instant of its expiry on', async () => {
    const { books, id, grant, balance } = await subscribed();
    await grant(30, '2026-02-01');
    await grant(12, '2026-02-01T00:00:00.001Z');
    expect(await books.forecast(id, '2026-03-15')).toEqual(['2026-02-01 0', '2026-03-01 10']);
    const { tenant } = await books.client.graphql(
      '{ tenant { forecast(until: "2026-03-15") { total { amount } } } }',
    );
    expect(tenant.forecast.map(({ total }: any) => total.amount)).toEqual([0, 10]);
    await books.advance('2026-03-15');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 10', '2026-02-01 paid 0', '2026-03-01 paid 10']);
    expect(await balance()).toEqual([]);
    await expectSound(books);
  });

  it('reserved by a payment in progress stays usable for it, and for nothing else', async () => {
    const { books, customer, grant, balance } = await subscribed();
    await grant(6, '2026-01-01T12:00:00Z', 'reserved');
    const { intentId } = await books.shop.intent(customer, await books.plan(20));
    await books.shop.confirm(intentId, 'sandbox_requires_action');
    await books.advance('2026-01-01T20:00:00Z');
    expect(await balance()).toEqual([]);
    await grant(5);
    const items = [{ amount: afn(5), description: 'Work' }];
    const bought = await ask(books, 'createInvoice', { customerId: customer.id, items });
    expect(bought).toMatchObject({ status: 'paid', total: { amount: 0 } });
    const { resumeIntent } = await books.client.graphql(
      'mutation ($id: ID!) { resumeIntent(id: $id) { status subscriptionId } }',
      { id: intentId },
    );
    expect(await books.lines(resumeIntent.subscriptionId)).toEqual([
      'cycle 20 2026-01-01/2026-02-01',
      'balance -6 2026-01-01/2026-02-01',
    ]);
    await expectSound(books);
  });

  it('that an invoice used comes back with it, expired or not', async () => {
    const { books, customer, grant, balance } = await subscribed();
    await grant(3, '2026-01-10');
    await grant(4);
    const items = [{ amount: afn(20), description: 'Work' }];
    const variables = { customerId: customer.id, items, collect: 'send_invoice' };
    const first = await ask(books, 'createInvoice', variables);
    await ask(books, 'voidInvoice', { id: first.id });
    expect(await balance()).toEqual([7]);
    const second = await ask(books, 'createInvoice', variables);
    await books.advance('2026-01-11');
    await ask(books, 'voidInvoice', { id: second.id });
    expect(await balance()).toEqual([4]);
    await expectSound(books);
  });
});

describe('a credit', () => {
  const refused: [string, object, string, string[]][] = [
    ['of nothing', { amount: afn(0) }, 'validation_failed', ['amount.amount']],
    ['of less than nothing', { amount: afn(-1) }, 'validation_failed', ['amount.amount']],
    ['of a tenth of a cent', { amount: afn(0.001) }, 'amount_precision', ['amount.amount']],
    [
      'of an unknown currency',
      { amount: { amount: 1, currency: 'xyz' } },
      'currency_unsupported',
      ['amount.currency'],
    ],
    ['without a reason', { reason: '' }, 'validation_failed', ['reason']],
    ['that has expired', { expiresAt: '2025-12-31' }, 'validation_failed', ['expiresAt']],
    ['that expires now', { expiresAt: '2026-01-01T00:00:00Z' }, 'validation_failed', ['expiresAt']],
    ['of nobody', { customerId: 'cus_none' }, 'customer_not_found', []],
    [
      'with two faults',
      { amount: afn(0), expiresAt: '2025-12-31' },
      'validation_failed',
      ['amount.amount', 'expiresAt'],
    ],
  ];
  let shared: ReturnType<typeof subscribed>;
  beforeAll(() => {
    shared = subscribed();
  });
  it.each(refused)('%s is refused', async (_, fields, reason, paths) => {
    const { books, customer, balance } = await shared;
    const credit = { customerId: customer.id, amount: afn(1), reason: 'Sorry', ...fields };
    await books.perform({ graphql: [documents.grantCredit, credit], reason: reason as never, paths });
    expect(await balance()).toEqual([]);
  });

  it('of another tenant is out of reach, and at most 250 can pay', async () => {
    const { books, customer } = await shared;
    const other = await openBooks(app, '2026-01-01');
    const credit = { customerId: customer.id, amount: afn(1), reason: 'Sorry' };
    await other.perform({ graphql: [documents.grantCredit, credit], reason: 'customer_not_found' });
    const customerId = (await books.shop.customer()).id;
    const made = await Promise.all(
      Array.from({ length: 255 }, () => books.client.post(documents.grantCredit, { ...credit, customerId })),
    );
    const paths = made.flatMap(({ body }) => body.errors?.[0].extensions.issues[0].path ?? []);
    expect(paths).toEqual(Array.from({ length: 5 }, () => 'customerId'));
  });
});

it('the order of use loses the least: no other order leaves more after any expiry', () => {
  const credit = fc.record({
    remainingMinor: fc.bigInt(0n, 50n),
    expiresAt: fc.option(fc.integer({ min: 1, max: 9 }).map(String), { nil: null }),
  });
  const property = fc.property(
    fc.array(credit, { maxLength: 6 }),
    fc.bigInt(0n, 200n),
    fc.integer({ min: 0, max: 9 }).map(String),
    fc.integer({ min: 0, max: 9 }).map(String),
    (credits, amount, at, later) => {
      const usable = sumUsable(credits, at);
      const used = amount < usable ? amount : usable;
      const best = deductFromCredits(orderCredits(credits), used, at);
      const other = deductFromCredits(credits, used, at);
      expect(sumUsable(best, at)).toBe(usable - used);
      expect(best.every(({ remainingMinor }) => remainingMinor >= 0n)).toBe(true);
      const end = later > at ? later : at;
      expect(sumUsable(best, end)).toBeGreaterThanOrEqual(sumUsable(other, end));
    },
  );
  fc.assert(property, { numRuns: sampledRunsInCore(300, 4) });
});
