import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { afn } from '../../support/oneOff.ts';

const refundDocument = `mutation ($id: ID!, $amount: MoneyInput) {
  refundInvoice(id: $id, input: { amount: $amount }) { status total { amount } refunded { amount currency } }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription whose first invoice of 50 is paid. */
async function paid(method?: string): Promise<{ books: Books; id: string; invoice: any; customer: any }> {
  const books = await openBooks(app, '2026-01-31');
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, await books.plan(50), method);
  const [invoice] = await books.invoices(id);
  return { books, id, invoice, customer };
}

/** A renewal of 100, for which a balance of `paid` less 100 was there. */
async function renewedByBalance(paidBefore: number) {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const yearly = { recurring: { frequency: 'Yearly' } };
  const id = await books.subscribe(customer, await books.plan(paidBefore, { groupId, ...yearly }));
  await books.subscribe(customer, await books.plan(100, { groupId }));
  await books.advance('2026-02-01');
  return { books, customer, renewal: (await books.invoices(id)).at(-1) };
}

const refund = (books: Books, id: string, amount?: number, expected: object = {}) =>
  books.perform({
    graphql: [refundDocument, { id, amount: amount === undefined ? undefined : afn(amount) }],
    traces: expect.anything(),
    ...expected,
  });
const tooMuch = { reason: 'refund_too_large', paths: ['amount'], traces: [] } as const;
const wrong = { reason: 'validation_failed', paths: ['amount'], traces: [] } as const;

describe('a refund', () => {
  it('returns the whole payment, once', async () => {
    const { books, id, invoice } = await paid();
    await refund(books, invoice.id, undefined, {
      holds: { status: 'paid', total: { amount: 50 }, refunded: { amount: 50, currency: 'afn' } },
      traces: [
        'InvoiceEvent refund_started',
        'PaymentEvent refund_pending',
        'CreditNoteEvent created < InvoiceEvent refund_started',
        'PaymentEvent refund_succeeded',
      ],
    });
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-01-31 refund succeeded 50',
    ]);
    await refund(books, invoice.id, undefined, tooMuch);
    await refund(books, invoice.id, 0.01, tooMuch);
    expect(await books.subscription(id)).toMatchObject({ status: 'active', billedCount: 1 });
  });

  it('returns a part, and then at most the rest', async () => {
    const { books, id, invoice } = await paid();
    await refund(books, invoice.id, 20.5, { holds: { refunded: { amount: 20.5 } } });
    await refund(books, invoice.id, 29.51, { ...tooMuch, has: ['29.50 AFN'] });
    await refund(books, invoice.id, 9.5, { holds: { refunded: { amount: 30 } } });
    await refund(books, invoice.id, undefined, { holds: { refunded: { amount: 50 } } });
    expect((await books.tries(id)).slice(1)).toEqual([
      '2026-01-31 refund succeeded 20.5',
      '2026-01-31 refund succeeded 9.5',
      '2026-01-31 refund succeeded 20',
    ]);
  });

  it.each([
    [50.01, tooMuch],
    [0, wrong],
    [-1, { ...wrong, paths: ['amount.amount'] }],
    [1.001, { reason: 'amount_precision', paths: ['amount.amount'], traces: [] }],
  ])('of %d is refused', async (amount, expected) => {
    const { books, invoice } = await paid();
    await refund(books, invoice.id, amount, expected);
    expect((await books.invoices())[0].refunded.amount).toBe(0);
  });

  it('never exceeds the payment, with concurrent requests', async () => {
    const { books, invoice } = await paid();
    const requests = Array.from({ length: 8 }, () =>
      books.client.post(refundDocument, { id: invoice.id, amount: afn(20) }),
    );
    const refused = (await Promise.all(requests)).filter(({ body }) => body.errors);
    expect(refused).toHaveLength(6);
    expect((await books.invoices())[0].refunded.amount).toBe(40);
  });

  it('is refused for an unpaid invoice', async () => {
    const notPaid = { reason: 'invoice_not_paid', traces: [] };
    const { books, id } = await paid('sandbox_ok_then_declined');
    await books.advance('2026-03-01');
    const [, open] = await books.invoices(id);
    await refund(books, open.id, undefined, notPaid);
    await books.run('cancelSubscription(id: $id)', id);
    await refund(books, open.id, 1, notPaid);
    await refund(books, 'inv_unknown', 1, { reason: 'invoice_not_found', traces: [] });
  });

  it('is refused for an invoice of zero, and for one that a credit paid', async () => {
    const notPaid = { reason: 'invoice_not_paid', traces: [] };
    const books = await openBooks(app, '2026-01-31');
    const customer = await books.shop.customer();
    const free = await books.subscribe(customer, await books.plan(0));
    await refund(books, (await books.invoices(free))[0].id, undefined, notPaid);
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const yearly = { recurring: { frequency: 'Yearly' } };
    const id = await books.subscribe(customer, await books.plan(365, { groupId, ...yearly }));
    await books.subscribe(customer, await books.plan(100, { groupId }));
    const [, change] = await books.invoices(id);
    await refund(books, change.id, undefined, notPaid);
  });

  it('of an invoice that the balance paid returns it to the balance', async () => {
    const { books, customer, renewal } = await renewedByBalance(365);
    expect(await books.credits(customer)).toEqual([16500n]);
    await refund(books, renewal.id, 100.01, tooMuch);
    await refund(books, renewal.id, 40, {
      holds: { refunded: { amount: 40 } },
      traces: [
        'InvoiceEvent refunded_to_balance',
        'CreditNoteEvent created < InvoiceEvent refunded_to_balance',
      ],
    });
    expect(await books.credits(customer)).toEqual([20500n]);
    await refund(books, renewal.id, undefined, { holds: { refunded: { amount: 100 } } });
    await refund(books, renewal.id, undefined, { ...tooMuch, has: ['0.00 AFN is left'] });
    expect(await books.credits(customer)).toEqual([26500n]);
    expect(await books.tries(renewal.subscriptionId)).toHaveLength(1);
  });

  it('of an invoice that the balance paid in part returns the money first, then the balance', async () => {
    const { books, customer, renewal } = await renewedByBalance(130);
    expect(await books.credits(customer)).toEqual([0n]);
    await refund(books, renewal.id, 100.01, { ...tooMuch, has: ['100.00 AFN is left'] });
    await refund(books, renewal.id, 60, { holds: { refunded: { amount: 60 } } });
    expect(await books.credits(customer)).toEqual([0n]);
    await refund(books, renewal.id, 25, { holds: { refunded: { amount: 85 } } });
    expect(await books.credits(customer)).toEqual([1500n]);
    await refund(books, renewal.id, 15.01, { ...tooMuch, has: ['15.00 AFN is left'] });
    await refund(books, renewal.id, undefined, { holds: { refunded: { amount: 100 } } });
    expect(await books.credits(customer)).toEqual([3000n]);
    expect((await books.tries(renewal.subscriptionId)).slice(-2)).toEqual([
      '2026-02-01 refund succeeded 60',
      '2026-02-01 refund succeeded 10',
    ]);
  });

  it('of an upgrade is at most the price of the upgrade', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const id = await books.subscribe(customer, await books.plan(100, { groupId }));
    await books.advance('2026-06-16');
    await books.subscribe(customer, await books.plan(300, { groupId }));
    const [, change] = await books.invoices(id);
    await refund(books, change.id, 150, { ...tooMuch, has: ['100.00 AFN'] });
    await refund(books, change.id, undefined, { holds: { refunded: { amount: 100 } } });
  });

  it('is possible after the subscription has ended, and for manual payments', async () => {
    const { books, id, invoice } = await paid();
    await books.run('cancelSubscription(id: $id)', id);
    await refund(books, invoice.id, undefined, { holds: { refunded: { amount: 50 } } });
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(20));
    await books.shop.confirm(intentId, 'manual');
    const cash = (await books.invoices()).at(-1);
    await refund(books, cash.id, undefined, { reason: 'invoice_not_paid', traces: [] });
    const document =
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "till 7" }) { status } }';
    await books.client.graphql(document, { id: cash.id });
    await refund(books, cash.id, 5, { holds: { refunded: { amount: 5 } } });
  });
});
