import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, openScope, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { beginPayment } from '../../../src/billing/subscriptions/intents/checkout.ts';
import { pino } from 'pino';

const balanceDocument = 'query ($id: ID!) { customer(id: $id) { balance { amount currency } } }';
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId }
}`;
const silent = pino({ level: 'silent' });

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A customer with a balance of `balance` afn, from a year that became a month on 1 January 2026. */
async function credited(balance: number, open?: Books) {
  const books = open ?? (await openBooks(app, '2026-01-01'));
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const recurring = { frequency: 'Yearly' };
  const id = await books.subscribe(customer, await books.plan(balance + 100, { groupId, recurring }));
  await books.subscribe(customer, await books.plan(100, { groupId }));
  return { books, customer, id, groupId };
}

const fetchBalance = async (books: Books, { id }: any): Promise<string[]> =>
  (await books.client.graphql(balanceDocument, { id })).customer.balance.map(
    ({ amount, currency }: any) => `${amount} ${currency}`,
  );

/** Creates an intent for a new product of that price and begins to pay it. */
async function begin(books: Books, customer: any, amount: number, method: string) {
  const { intentId } = await books.shop.intent(customer, await books.plan(amount));
  const { body } = await books.client.post(confirmDocument, { id: intentId, method });
  return { intentId, ...body.data.confirmIntent };
}

const ask = (books: Books, mutation: string, id: string) =>
  books.client.graphql(`mutation ($id: ID!) { ${mutation}(id: $id) { status } }`, { id });

describe('a customer balance pays', () => {
  it('part of a first invoice, and the payer the rest', async () => {
    const { books, customer } = await credited(30);
    const { subscriptionId, status } = await begin(books, customer, 50, 'sandbox_ok');
    expect(status).toBe('succeeded');
    expect(await books.lines(subscriptionId)).toEqual([
      'cycle 50 2026-01-01/2026-02-01',
      'balance -30 2026-01-01/2026-02-01',
    ]);
    expect(await books.tries(subscriptionId)).toEqual(['2026-01-01 charge succeeded 20']);
    expect(await fetchBalance(books, customer)).toEqual([]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('a whole first invoice without the provider, and stores the payment method', async () => {
    const { books, customer } = await credited(80);
    const { subscriptionId, status } = await begin(books, customer, 50, 'sandbox_declined');
    expect(status).toBe('succeeded');
    expect(await books.tries(subscriptionId)).toEqual([]);
    expect(await books.bills(subscriptionId)).toEqual(['2026-01-01 paid 0']);
    expect(await fetchBalance(books, customer)).toEqual(['30 afn']);
    await books.advance('2026-03-01');
    expect((await books.subscription(subscriptionId)).status).toBe('active');
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  // A transfer is due in 14 days.
  it.each([
    ['sandbox_ok_then_declined', '2026-02-02'],
    ['manual', '2026-02-16'],
  ])('and the method %s that was chosen is kept', async (method, at) => {
    const { books, customer } = await credited(50);
    const { subscriptionId } = await begin(books, customer, 50, method);
    await books.advance(at);
    expect(await books.subscription(subscriptionId)).toMatchObject({ status: 'past_due', billedCount: 1 });
  });

  it('an upgrade, as the preview shows it', async () => {
    const { books, customer, id, groupId } = await credited(30);
    const price = await books.plan(180, { groupId });
    const document = `query ($id: ID!, $price: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $price }) {
      total { amount } lines { kind amount { amount } } } }`;
    const { previewSubscriptionChange: shown } = await books.client.graphql(document, {
      id,
      price: price.id,
    });
    expect(shown.total.amount).toBe(50);
    expect(shown.lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`)).toEqual([
      'proration_credit -100',
      'proration_charge 180',
      'balance -30',
    ]);
    await books.subscribe(customer, price);
    expect((await books.bills(id)).at(-1)).toBe('2026-01-01 paid 50');
    expect(await fetchBalance(books, customer)).toEqual([]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('an upgrade in full, and the payment method is unchanged', async () => {
    const { books, customer, id, groupId } = await credited(200);
    await books.subscribe(customer, await books.plan(180, { groupId }), 'sandbox_declined');
    expect((await books.bills(id)).at(-1)).toBe('2026-01-01 paid 0');
    expect(await fetchBalance(books, customer)).toEqual(['120 afn']);
    await books.advance('2026-03-01');
    expect(await books.subscription(id)).toMatchObject({ status: 'active' });
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('part of a bank transfer, and is released when the transfer is cancelled', async () => {
    const { books, customer } = await credited(30);
    const { intentId } = await begin(books, customer, 50, 'manual');
    const awaited = (await books.invoices()).at(-1);
    expect([awaited.status, awaited.total.amount]).toEqual(['open', 20]);
    expect(await fetchBalance(books, customer)).toEqual([]);
    expect(await findFaults(app, books.alias)).toEqual([]);
    await ask(books, 'cancelIntent', intentId);
    expect(await fetchBalance(books, customer)).toEqual(['30 afn']);
    const { intentId: again } = await begin(books, customer, 50, 'manual');
    const { id } = (await books.invoices()).at(-1);
    const record =
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "t" }) { status total { amount } } }';
    expect((await books.client.graphql(record, { id })).recordPayment).toEqual({
      status: 'paid',
      total: { amount: 20 },
    });
    expect(again).not.toBe(intentId);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

describe('the balance reserved by a pending payment', () => {
  it.each([
    ['cancelled', (books: Books, id: string) => ask(books, 'cancelIntent', id)],
    ['expired', (books: Books) => books.advance('2026-01-03')],
  ])('is not available until the payment is %s', async (_, end) => {
    const { books, customer } = await credited(30);
    const first = await begin(books, customer, 50, 'sandbox_requires_action');
    const second = await begin(books, customer, 40, 'sandbox_ok');
    expect(await books.tries(second.subscriptionId)).toEqual(['2026-01-01 charge succeeded 40']);
    expect(await fetchBalance(books, customer)).toEqual(['30 afn']);
    expect(await findFaults(app, books.alias)).toEqual([]);
    await end(books, first.intentId);
    const third = await begin(books, customer, 35, 'sandbox_ok');
    expect((await books.lines(third.subscriptionId)).at(-1)).toMatch(/^balance -30 /);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is released after a decline', async () => {
    const { books, customer } = await credited(30);
    const { intentId } = await books.shop.intent(customer, await books.plan(50));
    const { body } = await books.client.post(confirmDocument, { id: intentId, method: 'sandbox_declined' });
    expect(body.errors[0].extensions.reason).toBe('payment_failed');
    const other = await begin(books, customer, 40, 'sandbox_ok');
    expect(await books.tries(other.subscriptionId)).toEqual(['2026-01-01 charge succeeded 10']);
    await books.shop.confirm(intentId);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is not used by a renewal, and pays after the confirmation of the payer', async () => {
    const { books, customer, id } = await credited(30);
    await books.advance('2026-01-31T12:00:00Z');
    const { intentId } = await begin(books, customer, 50, 'sandbox_requires_action');
    await books.advance('2026-02-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 100');
    await ask(books, 'resumeIntent', intentId);
    expect(await fetchBalance(books, customer)).toEqual([]);
    expect((await books.invoices()).at(-1).total.amount).toBe(20);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is used or released after a crash between the two units of work', async () => {
    const { books, customer } = await credited(30);
    const { intentId } = await books.shop.intent(customer, await books.plan(50));
    const tenant = await openScope(app, books);
    await tenant.writeStep((unit) => beginPayment(unit, intentId, 'sandbox_ok', 'sandbox'));
    const rival = await begin(books, customer, 40, 'sandbox_ok');
    expect(await books.tries(rival.subscriptionId)).toEqual(['2026-01-01 charge succeeded 40']);
    await runDueWork(app.service, silent);
    expect((await books.invoices()).at(-1)).toMatchObject({ status: 'paid', total: { amount: 20 } });
    expect(await fetchBalance(books, customer)).toEqual([]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is never used twice by concurrent payments', async () => {
    const { books, customer } = await credited(100);
    const prices = await Promise.all(Array.from({ length: 50 }, () => books.plan(7)));
    const intents = await Promise.all(prices.map((price) => books.shop.intent(customer, price)));
    const methods = ['sandbox_ok', 'sandbox_requires_action', 'sandbox_declined', 'manual'];
    await Promise.all(
      intents.map(({ intentId: id }, index) =>
        books.client.post(confirmDocument, { id, method: methods[index % methods.length]! }),
      ),
    );
    expect(await findFaults(app, books.alias)).toEqual([]);
    const used = (await books.lines()).filter((line) => line.startsWith('balance -'));
    const sum = used.reduce((total, line) => total + Number(line.split(' ')[1]), 0);
    expect(sum).toBeGreaterThanOrEqual(-100);
    expect(sum).toBeLessThan(0);
  });

  it('is released when the customer is deleted', async () => {
    const { books, customer } = await credited(30);
    await begin(books, customer, 50, 'sandbox_requires_action');
    await books.client.rest('DELETE', `/customers/${customer.id}`, {
      tenantAlias: books.alias,
      associatedId: customer.associatedId,
    });
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

describe('Customer.balance', () => {
  it('has an amount for each currency with a balance, ordered by code', async () => {
    const books = await openBooks(app, '2026-01-01');
    const customer = await books.shop.customer();
    expect(await fetchBalance(books, customer)).toEqual([]);
    for (const [currency, amount] of [
      ['usd', 10.5],
      ['jpy', 300],
      ['kwd', 1.005],
    ] as const) {
      const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
      const plan = (price: number, recurring?: object) => books.plan(price, { groupId, currency, recurring });
      await books.subscribe(customer, await plan(amount * 2, { frequency: 'Yearly' }));
      await books.subscribe(customer, await plan(amount));
    }
    expect(await fetchBalance(books, customer)).toEqual(['300 jpy', '1.005 kwd', '10.5 usd']);
    expect(await fetchBalance(books, await books.shop.customer())).toEqual([]);
  });

  it('of another tenant is not found', async () => {
    const { customer } = await credited(30);
    const other = await openBooks(app, '2026-01-01');
    await other.perform({ graphql: [balanceDocument, { id: customer.id }], reason: 'customer_not_found' });
  });

  it('of many customers needs one query', async () => {
    const { books } = await credited(30);
    await credited(20, books);
    const { customers } = await books.client.graphql(
      '{ customers(first: 10, order: ASC) { nodes { balance { amount } } } }',
    );
    expect(customers.nodes).toEqual([{ balance: [{ amount: 30 }] }, { balance: [{ amount: 20 }] }]);
  });
});
