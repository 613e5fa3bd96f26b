import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';

const refundDocument = `mutation ($id: ID!, $amount: MoneyInput) {
  refundInvoice(id: $id, input: { amount: $amount }) { refunded { amount } refundable { amount currency } }
}`;
const refundableDocument = `query ($id: ID!) {
  invoices(subscriptionId: $id, first: 100, order: ASC) { nodes { id refundable { amount } } }
}`;
const historyDocument = `query ($id: ID!) {
  subscriptionHistory(customerId: $id, first: 100, order: ASC) { nodes { paid { amount } billing { price { amount } } } }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A customer who has paid `amount` for a year on 1 January 2026, in a group whose changes are prorated. */
async function yearPaid(amount = 1200, currency = 'afn') {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const plan = (price: number, recurring?: object) => books.plan(price, { groupId, currency, recurring });
  const id = await books.subscribe(customer, await plan(amount, { frequency: 'Yearly' }));
  const [{ id: first }] = await books.invoices(id);
  return { books, customer, plan, id, first };
}

const refund = (books: Books, id: string, amount?: number, expected: object = {}, currency = 'afn') =>
  books.perform({
    graphql: [refundDocument, { id, amount: amount === undefined ? undefined : { amount, currency } }],
    traces: expect.anything(),
    ...expected,
  });

const refundables = async (books: Books, id: string): Promise<number[]> =>
  (await books.client.graphql(refundableDocument, { id })).invoices.nodes.map(
    ({ refundable }: any) => refundable.amount,
  );

const history = async (books: Books, { id }: any): Promise<string[]> =>
  (await books.client.graphql(historyDocument, { id })).subscriptionHistory.nodes.map(
    ({ paid, billing }: any) => `${paid.amount} of ${billing.price.amount}`,
  );

const cancelIntent = (books: Books, id: string) =>
  books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { status } }', { id });

/** Half of the year: 182.5 of 365 days. */
const halfTime = '2026-07-02T12:00:00Z';
const tooLarge = { reason: 'refund_too_large', paths: ['amount'], traces: [] } as const;

describe('a refund after a plan change has credited the same period', () => {
  it('returns the amount that the credit has left', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await books.advance(halfTime);
    await books.subscribe(customer, await plan(200));
    expect(await books.credits(customer)).toEqual([40000n]);
    expect(await refundables(books, id)).toEqual([600, 0]);
    await refund(books, first, 600.01, {
      ...tooLarge,
      has: ['at most 600.00 AFN is left: 0.00 AFN was refunded, 600.00 AFN credited'],
    });
    await refund(books, first, undefined, {
      holds: { refunded: { amount: 600 }, refundable: { amount: 0 } },
    });
    await refund(books, first, undefined, { ...tooLarge, has: ['0.00 AFN is left'] });
    expect(await history(books, customer)).toEqual(['0 of 1200', '200 of 200']);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is refused if the whole amount was credited', async () => {
    const { books, customer, plan, first } = await yearPaid();
    await books.subscribe(customer, await plan(200));
    await refund(books, first, 1, tooLarge);
    await refund(books, first, undefined, tooLarge);
    expect(await history(books, customer)).toEqual(['0 of 1200', '200 of 200']);
  });

  it.each([
    ['jpy', 1000, 500, 501],
    ['kwd', 1.001, 0.5, 0.501],
    ['usd', 0.01, 0, 0.01],
  ])('in %s returns the rounded remainder, and no more', async (currency, amount, left, more) => {
    const { books, customer, plan, id, first } = await yearPaid(amount, currency);
    await books.advance(halfTime);
    // Per year it is worth as much or more: it changes at once.
    await books.subscribe(customer, await plan(amount));
    expect((await refundables(books, id))[0]).toBe(left);
    await refund(books, first, more, tooLarge, currency);
    if (left > 0) await refund(books, first, undefined, { holds: { refunded: { amount: left } } });
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

describe('a credit after a refund', () => {
  it('is computed from the net payment, and its explanation says so', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await refund(books, first, 500);
    await books.advance(halfTime);
    await books.subscribe(customer, await plan(200));
    expect((await books.lines(id)).slice(1, 4)).toEqual([
      'proration_credit -350 2026-07-02T12:00/2027-01-01',
      'cycle 200 2026-07-02T12:00/2026-08-02T12:00',
      'balance 150 2026-07-02T12:00/2026-08-02T12:00',
    ]);
    const credit = (await books.invoices(id))[1].lines[0];
    expect(credit.explanation).toMatchObject({ paidMinor: '120000', givenBackMinor: '50000' });
    expect(await refundables(books, id)).toEqual([350, 0]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('is zero after a full refund, and the new plan is paid in full', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await refund(books, first);
    await books.advance(halfTime);
    await books.subscribe(customer, await plan(200));
    expect((await books.bills(id)).at(-1)).toBe('2026-07-02T12:00 paid 200');
    expect(await books.credits(customer)).toEqual([]);
    expect(await history(books, customer)).toEqual(['0 of 1200', '200 of 200']);
  });

  it('equals the preview', async () => {
    const { books, plan, id, first } = await yearPaid();
    await refund(books, first, 600);
    await books.advance(halfTime);
    const document = `query ($id: ID!, $price: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $price }) {
      total { amount } lines { kind amount { amount } } } }`;
    const price = await plan(2400, { frequency: 'Yearly' });
    const { previewSubscriptionChange: shown } = await books.client.graphql(document, {
      id,
      price: price.id,
    });
    expect(shown.lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`)).toEqual([
      'proration_credit -300',
      'proration_charge 1200',
    ]);
    expect(shown.total.amount).toBe(900);
  });

  it('and further refunds and changes never exceed the payment', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await books.advance('2026-04-02');
    await refund(books, first, 200);
    await books.subscribe(customer, await plan(2400, { frequency: 'Yearly' }));
    await books.advance(halfTime);
    const [, change] = await books.invoices(id);
    await refund(books, change.id, 300);
    await books.subscribe(customer, await plan(4800, { frequency: 'Yearly' }));
    for (const invoice of await books.invoices(id)) await refund(books, invoice.id);
    expect(await refundables(books, id)).toEqual([0, 0, 0]);
    const tries = await books.tries(id);
    const moved = (kind: string) =>
      tries
        .filter((text) => text.includes(`${kind} succeeded`))
        .reduce((sum, text) => sum + Math.round(Number(text.split(' ').at(-1)) * 100), 0);
    expect(moved('refund')).toBeLessThanOrEqual(moved('charge'));
    expect(moved('refund')).toBeGreaterThan(0);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

describe('a plan change with a pending payment', () => {
  it.each([
    ['cancelled', cancelIntent],
    ['expired', async (books: Books) => books.advance('2026-07-04')],
  ])('has its credit reserved from refunds until it is %s', async (_, end) => {
    const { books, customer, plan, id, first } = await yearPaid();
    await books.advance(halfTime);
    const { intentId } = await books.shop.intent(customer, await plan(4800, { frequency: 'Yearly' }));
    await books.shop.confirm(intentId, 'sandbox_requires_action');
    expect(await refundables(books, id)).toEqual([600]);
    await refund(books, first, 601, tooLarge);
    expect(await findFaults(app, books.alias)).toEqual([]);
    await end(books, intentId);
    expect(await refundables(books, id)).toEqual([1200]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('credits the amount that was left when its payment began', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await refund(books, first, 200);
    await books.advance(halfTime);
    const { intentId } = await books.shop.intent(customer, await plan(4800, { frequency: 'Yearly' }));
    await books.shop.confirm(intentId, 'sandbox_requires_action');
    await refund(books, first, undefined, { holds: { refunded: { amount: 700 } } });
    await books.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id: intentId });
    expect((await books.lines(id)).slice(1)).toEqual([
      'proration_credit -500 2026-07-02T12:00/2027-01-01',
      'proration_charge 2400 2026-07-02T12:00/2027-01-01',
    ]);
    expect(await refundables(books, id)).toEqual([0, 1900]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('that was declined leaves the whole payment refundable', async () => {
    const { books, customer, plan, id } = await yearPaid();
    const { intentId } = await books.shop.intent(customer, await plan(4800, { frequency: 'Yearly' }));
    const document =
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_declined" }) { id } }';
    await books.client.post(document, { id: intentId });
    expect(await refundables(books, id)).toEqual([1200]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('by bank transfer reserves its credit and releases it when cancelled', async () => {
    const { books, customer, plan, id } = await yearPaid();
    const { intentId } = await books.shop.intent(customer, await plan(4800, { frequency: 'Yearly' }));
    await books.shop.confirm(intentId, 'manual');
    expect(await refundables(books, id)).toEqual([0, 0]);
    expect(await findFaults(app, books.alias)).toEqual([]);
    await cancelIntent(books, intentId);
    expect(await refundables(books, id)).toEqual([1200, 0]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});

describe('fifty refunds and a plan change at once', () => {
  it('never return more than the payment', async () => {
    const { books, customer, plan, id, first } = await yearPaid();
    await books.advance(halfTime);
    const { intentId } = await books.shop.intent(customer, await plan(200));
    const requests = Array.from({ length: 50 }, (_, index) =>
      index === 25
        ? books.shop.confirm(intentId)
        : books.client.post(refundDocument, { id: first, amount: afn(100) }),
    );
    await Promise.all(requests);
    const [invoice] = await books.invoices(id);
    const credit = (await books.lines(id)).find((line) => line.startsWith('proration_credit'))!;
    expect(invoice.refunded.amount - Number(credit.split(' ')[1])).toBeLessThanOrEqual(1200);
    expect((await refundables(books, id))[0]).toBeLessThan(100);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});
