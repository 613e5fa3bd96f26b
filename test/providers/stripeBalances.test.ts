import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { runDueWork } from '../../src/app/scheduler.ts';
import { openBooks, type Books } from '../support/books.ts';
import type { FakeStripe } from '../support/fakeStripe.ts';
import { findFaults } from '../support/faults.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

const refundDocument = `mutation ($id: ID!, $amount: MoneyInput) {
  refundInvoice(id: $id, input: { amount: $amount }) { refunded { amount } refundable { amount } }
}`;
const silent = pino({ level: 'silent' });

let running: StripeApp;
let stripe: FakeStripe;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
});
afterAll(() => running.close());

/** A customer whose year, paid by card, became a month: `balance` afn are left. */
async function credited(balance: number) {
  const books = await openBooks(running.app, '2026-01-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const recurring = { frequency: 'Yearly' };
  const year = await books.plan(balance + 100, { groupId, recurring });
  await books.subscribe(customer, year, 'pm_card_visa');
  await books.subscribe(customer, await books.plan(100, { groupId }), 'pm_card_visa');
  return { books, customer };
}

const movedSince = (count: number) =>
  stripe.moved.slice(count).map(({ kind, amount }) => `${kind} ${amount}`);

/** An invoice of 100, paid by 30 of the balance and 70 by card. */
async function paidByBoth() {
  const { books, customer } = await credited(30);
  const id = await books.subscribe(customer, await books.plan(100), 'pm_card_visa');
  const [invoice] = await books.invoices(id);
  return { books, customer, invoice };
}

const refund = (books: Books, id: string, amount?: number, expected: object = {}) =>
  books.perform({
    graphql: [refundDocument, { id, amount: amount === undefined ? undefined : { amount, currency: 'afn' } }],
    traces: expect.anything(),
    ...expected,
  });

describe('a customer balance with Stripe', () => {
  it('pays first, and the card pays the rest', async () => {
    const { books, customer } = await credited(30);
    const before = stripe.moved.length;
    await books.subscribe(customer, await books.plan(100), 'pm_card_visa');
    expect(movedSince(before)).toEqual(['charge 7000']);
    expect(await books.credits(customer)).toEqual([0n]);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });

  it('that pays everything charges nothing and saves the card', async () => {
    const { books, customer } = await credited(100);
    const before = stripe.moved.length;
    const id = await books.subscribe(customer, await books.plan(100), 'pm_card_visa');
    expect(movedSince(before)).toEqual([]);
    await books.advance('2026-02-01');
    expect((await books.bills(id)).at(-1)).toBe('2026-02-01 paid 100');
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });

  it('that pays everything works while Stripe is unreachable', async () => {
    const { books, customer } = await credited(100);
    stripe.fail('/v1/setup_intents', 'error');
    const id = await books.subscribe(customer, await books.plan(100), 'pm_card_visa');
    expect(await books.subscription(id)).toMatchObject({ status: 'active', billedCount: 1 });
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });
});

describe('a refund of an invoice paid by card and balance', () => {
  it('goes to the card first', async () => {
    const { books, customer, invoice } = await paidByBoth();
    const before = stripe.moved.length;
    await refund(books, invoice.id, 80, { holds: { refunded: { amount: 80 }, refundable: { amount: 20 } } });
    expect(movedSince(before)).toEqual(['refund 7000']);
    expect(await books.credits(customer)).toEqual([1000n]);
    await refund(books, invoice.id, undefined, { holds: { refunded: { amount: 100 } } });
    expect(movedSince(before)).toEqual(['refund 7000']);
    expect(await books.credits(customer)).toEqual([3000n]);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });

  it('returns nothing to the balance if Stripe refuses it', async () => {
    const { books, customer, invoice } = await paidByBoth();
    stripe.intents.get([...stripe.intents.keys()].at(-1)!).amount = 10;
    await refund(books, invoice.id, undefined, { reason: 'payment_failed' });
    expect(await books.credits(customer)).toEqual([0n]);
    const [again] = await books.invoices(invoice.subscriptionId);
    expect(again.refunded.amount).toBe(0);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });

  it('is completed once after Stripe was unreachable', async () => {
    const { books, customer, invoice } = await paidByBoth();
    const before = stripe.moved.length;
    stripe.fail('/v1/refunds', 'drop', 'drop');
    await refund(books, invoice.id, undefined, { reason: 'unavailable' });
    expect(await books.credits(customer)).toEqual([0n]);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
    await refund(books, invoice.id, 1, { reason: 'refund_too_large' });
    await runDueWork(running.app.service, silent);
    expect(movedSince(before)).toEqual(['refund 7000']);
    expect(await books.credits(customer)).toEqual([3000n]);
    expect(await findFaults(running.app, books.alias)).toEqual([]);
  });
});
