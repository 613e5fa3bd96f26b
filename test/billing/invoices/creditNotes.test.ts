/** Credit notes: positive documents with numbers of their own, never over more than was billed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const noteFields = `id documentNumber kind status reason memo total { amount } tax { amount } remaining { amount }
  lines { lineId amount { amount } tax { amount } }`;
const invoiceFields = `id status documentNumber total { amount } refunded { amount } refundable { amount }
  credited { amount } amountDue { amount } lines { id kind amount { amount } } creditNotes { documentNumber total { amount } }`;

const post = ({ client }: Books, input: object) =>
  client.post(
    `mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { ${noteFields} } }`,
    {
      input,
    },
  );
async function credit(books: Books, input: object) {
  const { body, text } = await post(books, input);
  if (body.errors) throw new Error(text);
  return body.data.createCreditNote;
}
const refuseReason = async (books: Books, input: object) => {
  const { body } = await post(books, input);
  const { reason, issues } = body.errors?.[0].extensions ?? {};
  return [reason, issues?.[0]?.path];
};
const findInvoice = async ({ client }: Books, id: string) =>
  (await client.graphql(`query ($id: ID!) { invoice(id: $id) { ${invoiceFields} } }`, { id })).invoice;
const balance = async ({ client }: Books, id: string) =>
  (await client.graphql('query ($id: ID!) { customer(id: $id) { balance { amount } } }', { id })).customer
    .balance;

/** A one-off invoice of these amounts. */
async function billed(amounts: number[], collect = 'automatic', method = 'sandbox_ok') {
  const books = await openBooks(app, '2026-05-01');
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(1), method);
  const { createInvoice } = await books.client.graphql(
    `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $collect: InvoiceCollectionMethod) {
      createInvoice(input: { customerId: $customerId, items: $items, collect: $collect }) { ${invoiceFields} }
    }`,
    {
      customerId: customer.id,
      items: amounts.map((amount) => ({ amount: afn(amount), description: `Work ${amount}` })),
      collect,
    },
  );
  return { books, customer, invoice: createInvoice };
}

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);

it('refuses marks of direction in its texts, but keeps lines', async () => {
  const { books, invoice } = await billed([20]);
  const wanted = { invoiceId: invoice.id, amount: afn(5), kind: 'refund' };
  for (const [field, text] of [
    ['reason', 'late\u202Eetal'],
    ['reason', 'two\nlines'],
    ['memo', 'Sorry\u2066'],
    ['memo', 'bell\u0007'],
  ] as const)
    expect(await refuseReason(books, { ...wanted, [field]: text })).toEqual(['validation_failed', field]);
  expect(await credit(books, { ...wanted, memo: 'Sorry\nfor it' })).toMatchObject({ memo: 'Sorry\nfor it' });
});

it('is compared with its lines by doctor: a refund counted on another line is a fault', async () => {
  const { books, invoice } = await billed([20, 30]);
  const [first, second] = invoice.lines;
  await credit(books, {
    invoiceId: invoice.id,
    lines: [{ lineId: first.id, amount: afn(5) }],
    kind: 'refund',
  });
  await expectSound(books);
  const count = (id: string, minor: string) =>
    app.backdoor.execute(`update invoice_lines set refunded_minor = ${minor} where id = '${id}'`);
  await count(first.id, 'null');
  await count(second.id, '500');
  expect(await findFaults(app, books.alias)).not.toEqual([]);
  await count(first.id, '500');
  await count(second.id, 'null');
  await expectSound(books);
});

describe('of a paid invoice', () => {
  it('refunds, has its own number, and leaves the rest', async () => {
    const { books, invoice } = await billed([20, 30]);
    const note = await credit(books, {
      invoiceId: invoice.id,
      amount: afn(25),
      kind: 'refund',
      reason: 'late',
      memo: 'Sorry',
    });
    expect(note).toMatchObject({
      documentNumber: 'CN-2026-00001',
      kind: 'refund',
      status: 'issued',
      reason: 'late',
      memo: 'Sorry',
      total: { amount: 25 },
      remaining: { amount: 25 },
    });
    expect(note.lines.map(({ amount }: any) => amount.amount)).toEqual([20, 5]);
    const rest = await credit(books, { invoiceId: invoice.id, kind: 'refund' });
    expect(rest).toMatchObject({
      documentNumber: 'CN-2026-00002',
      total: { amount: 25 },
      remaining: { amount: 0 },
    });
    expect(await refuseReason(books, { invoiceId: invoice.id, kind: 'refund' })).toEqual([
      'credit_too_large',
      'amount',
    ]);
    expect(await findInvoice(books, invoice.id)).toMatchObject({
      refunded: { amount: 50 },
      refundable: { amount: 0 },
      credited: { amount: 50 },
      creditNotes: [
        { documentNumber: 'CN-2026-00001', total: { amount: 25 } },
        { documentNumber: 'CN-2026-00002', total: { amount: 25 } },
      ],
    });
    await expectSound(books);
  });

  it('credits the balance, by lines', async () => {
    const { books, customer, invoice } = await billed([20, 30]);
    const [, second] = invoice.lines;
    const note = await credit(books, {
      invoiceId: invoice.id,
      lines: [{ lineId: second.id, amount: afn(12) }],
      kind: 'credit',
    });
    expect(note).toMatchObject({ kind: 'credit', total: { amount: 12 }, remaining: { amount: 38 } });
    expect(await balance(books, customer.id)).toEqual([{ amount: 12 }]);
    expect(await findInvoice(books, invoice.id)).toMatchObject({
      refunded: { amount: 0 },
      refundable: { amount: 38 },
    });
    const over = {
      invoiceId: invoice.id,
      lines: [{ lineId: second.id, amount: afn(18.01) }],
      kind: 'credit',
    };
    expect(await refuseReason(books, over)).toEqual(['credit_too_large', 'lines.0.amount']);
    await expectSound(books);
  });

  it('has the reason of refundInvoice, as its document and its trace', async () => {
    const { books, invoice } = await billed([20]);
    const refund = (reason: unknown) =>
      books.client.post(
        'mutation ($id: ID!, $reason: String) { refundInvoice(id: $id, input: { reason: $reason }) { creditNotes { id } } }',
        { id: invoice.id, reason },
      );
    for (const bad of ['', ' ', 'two\nlines', 'late\u202Eetal', 'x'.repeat(201)]) {
      const { extensions } = (await refund(bad)).body.errors[0];
      expect([extensions.reason, extensions.issues[0].path], bad).toEqual(['validation_failed', 'reason']);
    }
    const { body } = await refund(' Late delivery ');
    const { creditNote } = await books.client.graphql(
      'query ($id: ID!) { creditNote(id: $id) { reason document(format: json) { base64 } } }',
      body.data.refundInvoice.creditNotes[0],
    );
    expect(creditNote.reason).toBe('Late delivery');
    expect(JSON.parse(Buffer.from(creditNote.document.base64, 'base64').toString()).note).toBe(
      'Late delivery',
    );
    const { traces } = await books.client.graphql(
      '{ traces(activityType: CreditNoteEvent, first: 1) { nodes { payload } } }',
    );
    expect(traces.nodes[0].payload.object.reason).toBe('Late delivery');
  });

  it('is issued by refundInvoice', async () => {
    const { books, invoice } = await billed([20]);
    await books.client.graphql(
      'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 5, currency: "afn" } }) { id } }',
      {
        id: invoice.id,
      },
    );
    expect((await findInvoice(books, invoice.id)).creditNotes).toEqual([
      { documentNumber: 'CN-2026-00001', total: { amount: 5 } },
    ]);
    await expectSound(books);
  });

  it('30 at once credit no more than was billed, with numbers without a gap', async () => {
    const { books, invoice } = await billed([20]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        post(books, { invoiceId: invoice.id, amount: afn(1), kind: 'credit' }),
      ),
    );
    const numbers = answers
      .map(({ body }) => String(body.data?.createCreditNote?.documentNumber ?? ''))
      .filter((number) => number !== '')
      .toSorted();
    expect(numbers).toEqual(
      Array.from({ length: 20 }, (_, n) => `CN-2026-${String(n + 1).padStart(5, '0')}`),
    );
    await expectSound(books);
  });
});

describe('of an open invoice', () => {
  it('reduces what is owed, and settles it at zero', async () => {
    const { books, invoice, customer } = await billed([20, 30], 'send_invoice');
    await credit(books, { invoiceId: invoice.id, amount: afn(15), kind: 'credit' });
    expect(await findInvoice(books, invoice.id)).toMatchObject({
      status: 'open',
      total: { amount: 50 },
      amountDue: { amount: 35 },
    });
    expect(await balance(books, customer.id)).toEqual([]);
    await credit(books, { invoiceId: invoice.id, kind: 'credit' });
    expect(await findInvoice(books, invoice.id)).toMatchObject({
      status: 'paid',
      amountDue: { amount: 0 },
      refundable: { amount: 0 },
    });
    await expectSound(books);
  });

  it('asks the payer for the rest', async () => {
    const { books, invoice } = await billed([50], 'send_invoice');
    await credit(books, { invoiceId: invoice.id, amount: afn(15), kind: 'credit' });
    const { recordPayment } = await books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "7", amount: { amount: 35, currency: "afn" } }) { status refundable { amount } } }',
      { id: invoice.id },
    );
    expect(recordPayment).toEqual({ status: 'paid', refundable: { amount: 35 } });
    await expectSound(books);
  });
});

describe('is refused', () => {
  it.each([
    ['a refund of an open invoice', 'send_invoice', { kind: 'refund' }, ['invoice_not_paid', 'invoiceId']],
    [
      'more than was billed',
      'automatic',
      { kind: 'refund', amount: afn(20.01) },
      ['credit_too_large', 'amount'],
    ],
    ['nothing', 'automatic', { kind: 'refund', amount: afn(0) }, ['validation_failed', 'amount']],
    [
      'a negative amount',
      'automatic',
      { kind: 'credit', amount: afn(-1) },
      ['validation_failed', 'amount.amount'],
    ],
    [
      'a fraction of the currency',
      'automatic',
      { kind: 'credit', amount: afn(1.001) },
      ['amount_precision', 'amount.amount'],
    ],
    ['10^15', 'automatic', { kind: 'credit', amount: afn(1e15) }, ['credit_too_large', 'amount']],
    [
      'an unknown line',
      'automatic',
      { kind: 'credit', lines: [{ lineId: 'line_x', amount: afn(1) }] },
      ['invoice_line_not_found', 'lines.0.lineId'],
    ],
    [
      'an amount and lines',
      'automatic',
      { kind: 'credit', amount: afn(1), lines: [{ lineId: 'line_x', amount: afn(1) }] },
      ['validation_failed', 'amount'],
    ],
    ['no lines', 'automatic', { kind: 'credit', lines: [] }, ['validation_failed', 'lines']],
    [
      'a long reason',
      'automatic',
      { kind: 'credit', reason: 'x'.repeat(201) },
      ['validation_failed', 'reason'],
    ],
  ])('%s', async (_, collect, input, expected) => {
    const { books, invoice } = await billed([20], collect);
    const answer = await refuseReason(books, { invoiceId: invoice.id, ...input });
    expect([answer[0], answer[1]?.replace(/^input\./, '')]).toEqual(expected);
    expect((await findInvoice(books, invoice.id)).creditNotes).toEqual([]);
    await expectSound(books);
  });

  it('for the invoice of another tenant', async () => {
    const { invoice } = await billed([20]);
    const other = await openBooks(app, '2026-05-01');
    expect(await refuseReason(other, { invoiceId: invoice.id, kind: 'credit' })).toEqual([
      'invoice_not_found',
      undefined,
    ]);
  });
});
