import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

const yearly = { frequency: 'Yearly' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/**
 * Pays `paid` for a year on 1 January and changes at once to `price` a month: the rest is left as balance. `beside` is
 * what the customer subscribes to before there is a balance that would pay for it.
 */
async function credited(
  paid = 365,
  price = 100,
  method?: string,
  beside = async (_: Books, __: any): Promise<string | undefined> => undefined,
): Promise<{ books: Books; customer: any; id: string; groupId: string; other: string }> {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const id = await books.subscribe(customer, await books.plan(paid, { groupId, recurring: yearly }), method);
  const other = (await beside(books, customer))!;
  await books.subscribe(customer, await books.plan(price, { groupId }), method);
  return { books, customer, id, groupId, other };
}

/** Two credits, of 30 and of 50. */
async function creditedTwice(method?: string) {
  let groupId: string;
  const made = await credited(130, 100, method, async (books, customer) => {
    groupId = (await books.shop.group({ prorateUpgrades: true })).id;
    return books.subscribe(customer, await books.plan(60, { groupId, recurring: yearly }));
  });
  await made.books.subscribe(made.customer, await made.books.plan(10, { groupId: groupId! }));
  return made;
}

describe('a credit that is larger than the charge', () => {
  it('becomes a balance that pays the next invoices', async () => {
    const { books, customer, id } = await credited();
    expect(await books.lines(id)).toEqual([
      'cycle 365 2026-01-01/2027-01-01',
      'proration_credit -365 2026-01-01/2027-01-01',
      'cycle 100 2026-01-01/2026-02-01',
      'balance 265 2026-01-01/2026-02-01',
    ]);
    expect(await books.credits(customer)).toEqual([26500n]);
    await books.advance('2026-05-01');
    expect((await books.lines(id)).slice(4)).toEqual([
      'cycle 100 2026-02-01/2026-03-01',
      'balance -100 2026-02-01/2026-03-01',
      'cycle 100 2026-03-01/2026-04-01',
      'balance -100 2026-03-01/2026-04-01',
      'cycle 100 2026-04-01/2026-05-01',
      'balance -65 2026-04-01/2026-05-01',
      'cycle 100 2026-05-01/2026-06-01',
    ]);
    expect(await books.bills(id)).toEqual([
      '2026-01-01 paid 365',
      '2026-01-01 paid 0',
      '2026-02-01 paid 0',
      '2026-03-01 paid 0',
      '2026-04-01 paid 35',
      '2026-05-01 paid 100',
    ]);
    expect(await books.tries(id)).toEqual([
      '2026-01-01 charge succeeded 365',
      '2026-04-01 charge succeeded 35',
      '2026-05-01 charge succeeded 100',
    ]);
    expect(await books.credits(customer)).toEqual([0n]);
    expect((await books.subscription(id)).billedCount).toBe(6);
  });

  it('is used before a newer one, also over two invoices', async () => {
    const { books, customer, id, other } = await creditedTwice();
    expect(await books.credits(customer)).toEqual([3000n, 5000n]);
    await books.advance('2026-02-01');
    expect(await books.credits(customer)).toEqual([0n, 0n]);
    expect((await books.lines(id)).at(-1)).toBe('balance -80 2026-02-01/2026-03-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 20');
    expect((await books.bills(other)).at(-1)).toBe('2026-02-01 paid 10');
  });

  it('pays without a valid payment method', async () => {
    const { books, id } = await credited(365, 100, 'sandbox_ok_then_declined');
    await books.advance('2026-03-31');
    expect(await books.subscription(id)).toMatchObject({ status: 'active', billedCount: 4 });
    await books.advance('2026-04-01');
    expect((await books.subscription(id)).status).toBe('past_due');
  });

  it('of one currency does not pay an invoice in another', async () => {
    const { books, customer } = await credited();
    const price = await books.plan(5, { currency: 'usd', recurring: { frequency: 'Weekly' } });
    const id = await books.subscribe(customer, price);
    await books.advance('2026-01-08');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 5', '2026-01-08 paid 5']);
    expect(await books.credits(customer)).toEqual([26500n]);
  });

  it('of one customer does not pay an invoice of another', async () => {
    const { books, customer } = await credited();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(5));
    await books.advance('2026-02-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 5');
    expect(await books.credits(customer)).toEqual([16500n]);
  });
});

describe('the balance that an invoice used', () => {
  it.each([
    ['is given back when the subscription is cancelled', 'void', '2026-02-03'],
    ['is given back when the invoice is given up', 'uncollectible', '2026-02-22'],
  ])('%s', async (_, status, when) => {
    const { books, customer, id, other } = await credited(
      130,
      100,
      'sandbox_ok_then_declined',
      async (shop, payer) => shop.subscribe(payer, await shop.plan(20)),
    );
    await books.advance('2026-02-02');
    expect(await books.credits(customer)).toEqual([0n]);
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 open 70');
    await books.advance(when);
    if (status === 'void') await books.run('cancelSubscription(id: $id)', id);
    expect((await books.bills(id)).at(-1)).toBe(`2026-02-01 ${status} 70`);
    expect(await books.credits(customer)).toEqual([3000n]);
    await books.advance('2026-04-01');
    expect((await books.bills(other)).slice(-2)).toEqual(['2026-03-01 paid 0', '2026-04-01 paid 10']);
    expect(await books.credits(customer)).toEqual([0n]);
  });

  it('is returned to the credits it came from', async () => {
    const { books, customer, id } = await creditedTwice('sandbox_ok_then_declined');
    await books.advance('2026-02-01');
    expect(await books.credits(customer)).toEqual([0n, 0n]);
    await books.run('cancelSubscription(id: $id)', id);
    expect(await books.credits(customer)).toEqual([3000n, 5000n]);
  });
});

describe('the ledger', () => {
  it('has every movement, and never uses more than was granted', async () => {
    const { books, customer, id } = await credited(130, 100, 'sandbox_ok_then_declined');
    await books.advance('2026-02-02');
    await books.run('cancelSubscription(id: $id)', id);
    const entries = await app.service.store.committed.select('balanceEntries', {
      where: { tenantAlias: books.alias, customerId: customer.id },
      orderBy: ['id'],
    });
    expect(entries.map(({ kind, amountMinor, creditId }) => [kind, amountMinor, creditId])).toEqual([
      ['credit', 3000n, null],
      ['use', 3000n, entries[0]!.id],
      ['return', 3000n, entries[0]!.id],
    ]);
    const used = entries.filter(({ kind }) => kind === 'use');
    expect(used.every(({ invoiceId }) => invoiceId !== entries[0]!.invoiceId)).toBe(true);
  });
});
