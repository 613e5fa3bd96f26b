/** Finalization: numbers without gaps, drafts that wait, and documents that no longer change. */
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

const fields = `id number documentNumber status collection issuedAt finalizeAt dueAt paidAt total { amount }
  lines { kind amount { amount } }`;
const listed = `query ($id: ID) { invoices(customerId: $id, first: 100, order: ASC) { nodes { ${fields} } } }`;

const setTenant = ({ client }: Books, input: object) =>
  client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input,
  });
const list = async ({ client }: Books, id?: string) => (await client.graphql(listed, { id })).invoices.nodes;
const finalize = ({ client }: Books, id: string) =>
  client.post(`mutation ($id: ID!) { finalizeInvoice(id: $id) { ${fields} } }`, { id });
const createInvoice = async ({ client }: Books, customerId: string, amount: number, more = {}) =>
  (
    await client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!, $collect: InvoiceCollectionMethod, $draft: Boolean) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: $collect, draft: $draft }) { ${fields} }
      }`,
      { customerId, items: [{ amount: afn(amount), description: 'Work' }], ...more },
    )
  ).createInvoice;

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);

async function subscribed(settings?: object, start = '2026-12-15') {
  const books = await openBooks(app, start);
  if (settings) await setTenant(books, settings);
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, await books.plan(50));
  return { books, customer, id };
}

describe('without a grace', () => {
  it('an invoice has its number at once, a new count each year', async () => {
    const { books, customer } = await subscribed();
    await books.advance('2027-02-20');
    expect(
      (await list(books, customer.id)).map(({ documentNumber, status }: any) => [documentNumber, status]),
    ).toEqual([
      ['INV-2026-00001', 'paid'],
      ['INV-2027-00001', 'paid'],
      ['INV-2027-00002', 'paid'],
    ]);
    await expectSound(books);
  });

  it('50 invoices at once have 50 numbers without a gap', async () => {
    const books = await openBooks(app, '2026-06-01');
    const customers = await Promise.all(Array.from({ length: 10 }, () => books.shop.customer()));
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        createInvoice(books, customers[n % 10].id, 1 + n, { collect: 'send_invoice' }),
      ),
    );
    const numbers = (await list(books)).map(({ documentNumber }: any) => documentNumber).toSorted();
    expect(numbers).toEqual(
      Array.from({ length: 50 }, (_, n) => `INV-2026-${String(n + 1).padStart(5, '0')}`),
    );
    await expectSound(books);
  });
});

describe('a draft', () => {
  it('waits for finalizeInvoice, which numbers and charges it', async () => {
    const { books, customer } = await subscribed();
    const draft = await createInvoice(books, customer.id, 20, { draft: true });
    expect(draft).toMatchObject({ status: 'draft', documentNumber: null, issuedAt: null, finalizeAt: null });
    await books.advance('2026-12-20');
    const {
      body: { data },
    } = await finalize(books, draft.id);
    expect(data.finalizeInvoice).toMatchObject({
      status: 'paid',
      documentNumber: 'INV-2026-00002',
      issuedAt: '2026-12-20T00:00:00.000Z',
      total: { amount: 20 },
    });
    const again = await finalize(books, draft.id);
    expect(again.body.errors[0].extensions).toMatchObject({ reason: 'invoice_not_draft' });
    await expectSound(books);
  });

  it('is paid from the balance when it is finalized, not before', async () => {
    const { books, customer } = await subscribed();
    const draft = await createInvoice(books, customer.id, 20, { draft: true });
    await books.client.graphql(
      `mutation ($id: ID!) { grantCredit(input: { customerId: $id, amount: { amount: 30, currency: "afn" }, reason: "sorry" }) { id } }`,
      { id: customer.id },
    );
    const {
      body: { data },
    } = await finalize(books, draft.id);
    expect(data.finalizeInvoice).toMatchObject({ status: 'paid', total: { amount: 0 } });
    expect(data.finalizeInvoice.lines).toEqual([
      { kind: 'item', amount: { amount: 20 } },
      { kind: 'balance', amount: { amount: -20 } },
    ]);
    await expectSound(books);
  });

  it('can be voided, and then takes no number', async () => {
    const { books, customer } = await subscribed();
    const draft = await createInvoice(books, customer.id, 20, { draft: true });
    const voided = await books.client.graphql(`mutation ($id: ID!) { voidInvoice(id: $id) { ${fields} } }`, {
      id: draft.id,
    });
    expect(voided.voidInvoice).toMatchObject({ status: 'void', documentNumber: null });
    const {
      body: { errors },
    } = await finalize(books, draft.id);
    expect(errors[0].extensions.reason).toBe('invoice_not_draft');
    await expectSound(books);
  });
});

describe('a grace', () => {
  it('keeps a renewal a draft, then numbers and charges it', async () => {
    const { books, id, customer } = await subscribed({ invoiceGraceHours: 24 });
    await books.advance('2027-01-15T12:00:00Z');
    const [first, second] = await list(books, customer.id);
    // Paid by the payer at once: only its number waits.
    expect(first).toMatchObject({
      status: 'paid',
      documentNumber: 'INV-2026-00001',
      issuedAt: '2026-12-16T00:00:00.000Z',
    });
    expect(second).toMatchObject({
      status: 'draft',
      documentNumber: null,
      finalizeAt: '2027-01-16T00:00:00.000Z',
    });
    await expectSound(books);
    await books.advance('2027-01-16T00:00:00Z');
    expect((await list(books, customer.id))[1]).toMatchObject({
      status: 'paid',
      documentNumber: 'INV-2027-00001',
      paidAt: '2027-01-16T00:00:00.000Z',
    });
    await books.advance('2027-02-16T00:00:00Z');
    expect(await books.bills(id)).toHaveLength(3);
    await expectSound(books);
  });

  it('ends early by finalizeInvoice', async () => {
    const { books, customer } = await subscribed({ invoiceGraceHours: 24 });
    await books.advance('2027-01-15T12:00:00Z');
    const [, renewal] = await list(books, customer.id);
    const {
      body: { data },
    } = await finalize(books, renewal.id);
    expect(data.finalizeInvoice).toMatchObject({ status: 'paid', documentNumber: 'INV-2027-00001' });
    await expectSound(books);
  });

  it('of a first period that starts later ends early, and is charged', async () => {
    const books = await openBooks(app, '2026-12-15');
    await setTenant(books, { invoiceGraceHours: 24 });
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(50), 'sandbox_ok', {
      startDate: '2026-12-20T00:00:00Z',
    });
    await books.advance('2026-12-20T12:00:00Z');
    const [first] = await list(books, customer.id);
    expect(first).toMatchObject({ status: 'draft', documentNumber: null });
    const { body } = await finalize(books, first.id);
    expect(body.data.finalizeInvoice).toMatchObject({ status: 'paid', documentNumber: 'INV-2026-00001' });
    expect((await books.subscription(id)).status).toBe('active');
    await expectSound(books);
  });

  it('does not outlive its subscription', async () => {
    const { books, id, customer } = await subscribed({ invoiceGraceHours: 24 });
    await books.advance('2027-01-15T12:00:00Z');
    await books.run('cancelSubscription(id: $id)', id);
    await books.advance('2027-03-01');
    expect((await list(books, customer.id))[1]).toMatchObject({ status: 'void', documentNumber: null });
    await expectSound(books);
  });
});
