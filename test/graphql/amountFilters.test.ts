/** Lists of money by currency, amount and date: the bounds are inclusive, and another currency never matches. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../support/oneOff.ts';
import { openBooks, type Books } from '../support/books.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let books: Books;
let other: Books;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  [books, other] = [await openBooks(app, '2026-01-01'), await openBooks(app, '2026-01-01')];
  for (const { shop, client, advance } of [books, other]) {
    for (const [amount, currency] of [
      [10, 'usd'],
      [20, 'usd'],
      [20.5, 'usd'],
      [20, 'afn'],
    ] as const) {
      // A balance would pay what the next invoice asks for.
      const customer = await shop.customer();
      const items = [{ amount: { amount, currency }, description: 'Work' }];
      const variables = { customerId: customer.id, items, collect: 'send_invoice' };
      const invoice = await ask({ client } as Books, 'createInvoice', variables);
      if (amount !== 20.5) await ask({ client } as Books, 'recordPayment', { id: invoice.id });
      await client.graphql(
        'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
        {
          input: {
            invoiceId: invoice.id,
            amount: { amount: amount / 2, currency },
            kind: amount === 10 ? 'refund' : 'credit',
            reason: 'x',
          },
        },
      );
      await advance(`2026-01-0${amount === 10 ? 3 : 5}`);
    }
  }
});
afterAll(() => app.close());

const usd = (amount: number) => `{ amount: ${amount}, currency: "usd" }`;

it.each<[list: string, args: string, amounts: string]>([
  ['invoices', 'currency: "usd"', '20.50 20.00 10.00'],
  ['invoices', 'currency: "AFN"', '20.00'],
  ['invoices', `minAmount: ${usd(20)}`, '20.50 20.00'],
  ['invoices', `maxAmount: ${usd(20)}`, '20.00 10.00'],
  ['invoices', `minAmount: ${usd(20)}, maxAmount: ${usd(20)}, currency: "usd"`, '20.00'],
  ['invoices', `minAmount: ${usd(20)}, status: open`, '20.50'],
  ['invoices', `minAmount: ${usd(20)}, collection: send_invoice`, '20.50 20.00'],
  ['invoices', 'currency: "usd", createdBefore: "2026-01-03"', '10.00'],
  ['invoices', 'createdAfter: "2026-01-05", collection: send_invoice', '20.00 20.50'],
  ['invoices', 'createdAfter: "2026-01-05", status: open', '20.50'],
  ['payments', `minAmount: { decimal: "15", currency: "usd" }`, '20.00'],
  ['payments', 'currency: "usd", kind: refund', '5.00'],
  ['payments', `kind: refund, maxAmount: ${usd(4.99)}`, ''],
  ['disputes', 'currency: "usd"', ''],
  ['creditNotes', 'currency: "usd"', '10.25 10.00 5.00'],
  ['creditNotes', 'kind: refund', '5.00'],
  ['creditNotes', `kind: credit, maxAmount: ${usd(10)}`, '10.00'],
  ['creditNotes', 'status: void', ''],
  ['creditNotes', 'createdBefore: "2026-01-03"', '5.00'],
])('%s(%s) are %j', async (list, args, amounts) => {
  const amount = /payments|disputes/.test(list) ? 'amount' : 'total';
  const read = async (more: string) => {
    const { list: found } = await books.client.graphql(
      `{ list: ${list}(${args}${more}) { totalCount nextCursor nodes { id amount: ${amount} { decimal } } } }`,
    );
    return found;
  };
  const all = await read('');
  const found = amounts === '' ? [] : amounts.split(' ');
  expect(all.nodes.map((node: any) => node.amount.decimal)).toEqual(found);
  expect(all.totalCount).toBe(found.length);
  const first = await read(', first: 1');
  const rest = first.nextCursor ? (await read(`, after: "${first.nextCursor}"`)).nodes : [];
  expect([...first.nodes, ...rest]).toEqual(all.nodes);
});

it.each<[args: string, path: string, reason: string]>([
  ['currency: "gold"', 'currency', 'currency_unsupported'],
  ['minAmount: { amount: 1, currency: "gold" }', 'minAmount.currency', 'currency_unsupported'],
  ['minAmount: { amount: -1, currency: "usd" }', 'minAmount.amount', 'validation_failed'],
  ['minAmount: { amount: 0.001, currency: "usd" }', 'minAmount.amount', 'amount_precision'],
  ['minAmount: { currency: "usd" }', 'minAmount', 'validation_failed'],
  [`currency: "afn", minAmount: ${usd(1)}`, 'minAmount.currency', 'currency_mismatch'],
  [
    `minAmount: ${usd(1)}, maxAmount: { amount: 1, currency: "eur" }`,
    'maxAmount.currency',
    'currency_mismatch',
  ],
])('payments(%s) is refused at %s with %s', async (args, path, reason) => {
  const { body } = await books.client.post(`{ payments(${args}) { nextCursor } }`);
  const [{ extensions }] = body.errors;
  expect([extensions.reason, extensions.issues[0].path]).toEqual([reason, path]);
});

it.each(['currency', 'minAmount', 'createdAfter'])('a cursor is valid for its %s alone', async (arg) => {
  const args: Record<string, [string, string]> = {
    currency: ['currency: "usd"', 'currency: "afn"'],
    minAmount: [`minAmount: ${usd(1)}`, `minAmount: ${usd(2)}`],
    createdAfter: ['createdAfter: "2026-01-01"', 'createdAfter: "2026-01-02"'],
  };
  const [own, another] = args[arg]!;
  for (const list of ['invoices', 'creditNotes', 'payments']) {
    const { list: page } = await books.client.graphql(
      `{ list: ${list}(${own}, first: 1) { edges { cursor } } }`,
    );
    const { body } = await books.client.post(
      `{ list: ${list}(${another}, after: ${JSON.stringify(page.edges[0].cursor)}) { nextCursor } }`,
    );
    expect(body.errors[0].extensions.reason).toBe('cursor_invalid');
  }
});
