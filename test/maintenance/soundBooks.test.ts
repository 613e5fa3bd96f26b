/** Doctor reports nothing of books that requests made, however rare the sequence. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { repairHints } from '../../src/maintenance/doctor/repairHints.ts';
import { openBooks } from '../support/books.ts';
import { findFaults } from '../support/faults.ts';
import { openItems } from '../support/items.ts';
import { afn, ask, invoiceText } from '../support/oneOff.ts';
import { order } from '../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const noteDocument = `mutation ($invoiceId: ID!, $amount: MoneyInput, $kind: CreditNoteKind!) {
  createCreditNote(input: { invoiceId: $invoiceId, amount: $amount, kind: $kind }) { documentNumber }
}`;

it('after credit notes above the open rest of an invoice that a credit has paid in part', async () => {
  const books = await openBooks(app, '2026-05-01');
  const customer = await books.shop.customer();
  await ask(books, 'grantCredit', { customerId: customer.id, amount: afn(11.66), reason: 'Sorry' });
  const items = [{ amount: afn(30.76), description: 'Work' }];
  const invoice = await ask(books, 'createInvoice', {
    customerId: customer.id,
    items,
    collect: 'send_invoice',
  });
  expect(invoiceText(invoice)).toBe('open 19.1: item 30.76, balance -11.66');
  const credit = (amount: number, kind: string) =>
    books.client.graphql(noteDocument, { invoiceId: invoice.id, amount: afn(amount), kind });
  const readBalance = async () => (await ask(books, 'customer', { id: customer.id })).balance;
  await credit(29.95, 'credit');
  expect(await readBalance()).toMatchObject([afn(10.85)]);
  expect(await findFaults(app, books.alias)).toEqual([]);
  // The rest was paid by the credit: it returns there.
  await credit(0.5, 'refund');
  expect(await readBalance()).toMatchObject([afn(11.35)]);
  expect(await findFaults(app, books.alias)).toEqual([]);
  await credit(0.31, 'credit');
  expect(await readBalance()).toMatchObject([afn(11.66)]);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

it('after a credit note over a whole open invoice that a credit for unused time and the balance pay in part', async () => {
  const items = await openItems(
    app,
    { amount: '10', model: 'per_unit' },
    { quantity: 4, method: 'sandbox_ok_then_declined' },
  );
  const { books, client, customer } = items;
  const usd = (amount: number) => ({ amount, currency: 'usd' });
  await ask(books, 'grantCredit', { customerId: customer.id, amount: usd(5), reason: 'Sorry' });
  await items.advance('2026-06-16');
  expect(await items.change({ quantity: 2, billing: 'next_invoice' })).toEqual([]);
  await items.advance('2026-07-01');
  const { nodes } = (await client.graphql('{ invoices(status: open) { nodes { id total { amount } } } }'))
    .invoices;
  expect(nodes).toMatchObject([{ total: { amount: 5 } }]);
  const credit = (amount?: number) =>
    client.graphql(noteDocument, {
      invoiceId: nodes[0].id,
      amount: amount === undefined ? undefined : usd(amount),
      kind: 'credit',
    });
  await credit(8);
  const readBalance = async () => (await ask(books, 'customer', { id: customer.id })).balance;
  expect(await readBalance()).toMatchObject([usd(3)]);
  expect(await findFaults(app, items.alias)).toEqual([]);
  await credit();
  expect(await findFaults(app, items.alias)).toEqual([]);
});

it('settles by one note what credits for unused time and the balance pay, and gives both back', async () => {
  const items = await openItems(
    app,
    { amount: '10', model: 'per_unit' },
    { quantity: 4, method: 'sandbox_ok_then_declined' },
  );
  const { books, client, customer } = items;
  const usd = (amount: number) => ({ amount, currency: 'usd' });
  await ask(books, 'grantCredit', { customerId: customer.id, amount: usd(5), reason: 'Sorry' });
  await items.advance('2026-06-16');
  await items.change({ quantity: 2, billing: 'next_invoice' });
  await items.advance('2026-07-01');
  const { nodes } = (
    await client.graphql('{ invoices(status: open) { nodes { id lines { kind amount { amount } } } } }')
  ).invoices;
  const charged = nodes[0].lines
    .filter(({ kind }: any) => kind === 'cycle' || kind === 'proration_charge')
    .reduce((sum: number, { amount }: any) => sum + amount.amount, 0);
  await client.graphql(noteDocument, { invoiceId: nodes[0].id, kind: 'credit' });
  const [balance] = (await ask(books, 'customer', { id: customer.id })).balance;
  expect(balance.amount).toBe(charged - 5);
  expect(await findFaults(app, items.alias)).toEqual([]);
});

it('after a trial whose first invoice bills a waiting line of another subscription', async () => {
  const items = await openItems(
    app,
    { amount: '5', model: 'per_unit' },
    { quantity: 2, method: 'sandbox_ok_then_declined' },
  );
  const { books, client, customer } = items;
  await items.advance('2026-06-05');
  expect(await items.change({ quantity: 4, billing: 'next_invoice' })).toEqual([]);
  const trial = await order(
    books,
    customer,
    await books.plan(7, { currency: 'usd', price: { trialDays: 14 } }),
  );
  const { subscriptionId: trialId } = await books.shop.confirm(trial.id);
  await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id: items.id });
  // The lines of a final invoice that the seller gives up wait for the customer's next one.
  const { nodes } = (await client.graphql('{ invoices(status: draft) { nodes { id } } }')).invoices;
  for (const { id } of nodes) await ask(books, 'voidInvoice', { id });
  await items.advance('2026-06-20');
  expect((await books.lines(trialId)).map((line) => line.split(' ')[0])).toContain('proration_charge');
  expect(await findFaults(app, items.alias)).toEqual([]);
  for (const mutation of ['deleteCustomer', 'eraseCustomer'])
    await client.graphql(`mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id: customer.id });
  expect(await findFaults(app, items.alias)).toEqual([]);
});

const drastic = /restore|refund|record (its|missing)|cancel|void|delete/i;
it('after an order by bank transfer that was cancelled, beside a waiting line of another subscription', async () => {
  const items = await openItems(app, { amount: '5', model: 'per_unit' }, { quantity: 2 });
  const { books, client, customer } = items;
  expect(await items.change({ quantity: 4, billing: 'next_invoice' })).toEqual([]);
  const ordered = await order(books, customer, await books.plan(7, { currency: 'usd' }));
  await books.shop.confirm(ordered.id, 'manual');
  await client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { status } }', { id: ordered.id });
  const { nodes } = (await client.graphql('{ invoices(status: void) { nodes { total { amount } } } }'))
    .invoices;
  expect(nodes).toEqual([{ total: { amount: 7 } }]);
  expect(await findFaults(app, items.alias)).toEqual([]);
});

it.each(Object.entries(repairHints).filter(([, hint]) => drastic.test(hint)))(
  'what to check comes before the advice for %s, which may destroy something',
  (_, hint) => {
    const check = hint.search(/First compare|run `doctor` on the copy/);
    expect(check).toBeGreaterThanOrEqual(0);
    expect(check).toBeLessThan(hint.search(drastic));
  },
);
