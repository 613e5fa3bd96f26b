/** Documents of invoices as they are issued, paid and downloaded: the days of their periods, and what remains to be paid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toPeriodDays } from '../../src/lib/time.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const registered = `updateTenant(input: { seller: {
  legalName: "Acme GmbH", registration: "HRB 1", taxIds: [{ type: eu_vat, value: "DE136695976" }],
  address: { line1: "Main street 1", city: "Berlin", postalCode: "10115", country: "DE" }
} }) { alias }`;

async function readFile(books: Books, invoiceId: string, format: string): Promise<string> {
  const { invoice } = await books.client.graphql(
    `query ($id: ID!) { invoice(id: $id) { document(format: ${format}) { base64 } } }`,
    { id: invoiceId },
  );
  return Buffer.from(invoice.document.base64, 'base64').toString(format === 'pdf' ? 'latin1' : 'utf8');
}
/** Lists the invoices of a subscription, or all, oldest first. */
const listInvoices = async ({ client }: Books, subscriptionId?: string) =>
  (
    await client.graphql(
      `query ($id: ID) {
        invoices(subscriptionId: $id, order: ASC) { nodes { id status lines { description periodStart periodEnd } } }
      }`,
      { id: subscriptionId },
    )
  ).invoices.nodes;
const readJson = async (books: Books, id: string) => JSON.parse(await readFile(books, id, 'json'));
const dueAmount = (ubl: string) => /<cbc:PayableAmount[^>]*>([^<]+)</.exec(ubl)?.[1];
const prepaidAmount = (ubl: string) => /<cbc:PrepaidAmount[^>]*>([^<]+)</.exec(ubl)?.[1];
const dueInCii = (cii: string) => /<ram:DuePayableAmount>([^<]+)</.exec(cii)?.[1];
const prepaidInCii = (cii: string) => /<ram:TotalPrepaidAmount>([^<]+)</.exec(cii)?.[1];

const addDay = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);

describe('the periods of consecutive invoices share no day', () => {
  it.each([
    [
      'in the afternoon',
      '2026-11-02T14:00:00.000Z',
      'Europe/Berlin',
      'Monthly',
      ['2026-11-02', '2026-12-01'],
    ],
    ['at midnight', '2026-11-01T23:00:00.000Z', 'Europe/Berlin', 'Monthly', ['2026-11-02', '2026-12-01']],
    ['a moment after midnight', '2026-11-02T00:00:00.001Z', 'UTC', 'Monthly', ['2026-11-02', '2026-12-01']],
    [
      'west of Greenwich',
      '2026-11-02T02:00:00.000Z',
      'America/New_York',
      'Monthly',
      ['2026-11-01', '2026-11-30'],
    ],
    [
      'where the clocks change',
      '2026-10-24T22:30:00.000Z',
      'Europe/Berlin',
      'Daily',
      ['2026-10-25', '2026-10-25'],
    ],
    ['over a year', '2026-03-01T10:00:00.000Z', 'Asia/Kabul', 'Yearly', ['2026-03-01', '2027-02-28']],
  ])('%s', async (_, clock, timezone, frequency, [from, to]) => {
    const books = await openBooks(app, clock, timezone);
    await books.client.graphql(`mutation { ${registered} }`);
    const price = await books.plan(49, { recurring: { frequency } });
    const id = await books.subscribe(await books.shop.customer(), price);
    await books.advance((await books.subscription(id)).nextBillingDate);
    const [first, second] = await listInvoices(books, id);
    const before = await readJson(books, first.id);
    const after = await readJson(books, second.id);
    expect(before.period).toEqual({ from, to });
    expect(before.lines[0].period).toEqual({ from, to });
    expect(after.period.from).toBe(addDay(to!));
    // The instants of the interface stay half-open.
    expect(first.lines[0].periodEnd).toBe(second.lines[0].periodStart);
  });

  it('a period within a day has that day', async () => {
    const books = await openBooks(app, '2026-11-02T09:00:00.000Z');
    const product = await books.shop.product({ amount: 10, recurring: { frequency: 'Monthly' } });
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, product.price);
    await books.advance('2026-11-02T15:00:00.000Z');
    await books.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });
    const [first] = await listInvoices(books, id);
    expect((await readJson(books, first.id)).period).toEqual({ from: '2026-11-02', to: '2026-12-01' });
    expect(toPeriodDays('2026-11-02T09:00:00.000Z', '2026-11-02T15:00:00.000Z', 'UTC')).toEqual({
      from: '2026-11-02',
      to: '2026-11-02',
    });
  });
});

describe('an invoice paid by a saved method', () => {
  let books: Books;
  let customer: any;
  beforeAll(async () => {
    books = await openBooks(app, '2026-11-02T14:00:00.000Z', 'Europe/Berlin');
    await books.client.graphql(`mutation { ${registered} }`);
    const address = { line1: 'Way 2', city: 'Bonn', postalCode: '53111', country: 'DE' };
    customer = await books.shop.customer();
    await books.client.graphql(
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
      { id: customer.id, input: { address } },
    );
  });

  it('says that nothing is due, from the first one on', async () => {
    const id = await books.subscribe(customer, await books.plan(49));
    await books.advance('2026-12-02T14:00:00.000Z');
    const invoices = await listInvoices(books, id);
    expect(invoices).toHaveLength(2);
    for (const [index, { id: invoiceId }] of invoices.entries()) {
      const paidOn = ['2026-11-02', '2026-12-02'][index];
      const [ubl, cii] = [await readFile(books, invoiceId, 'ubl'), await readFile(books, invoiceId, 'cii')];
      expect([prepaidAmount(ubl), dueAmount(ubl)]).toEqual(['58.31', '0.00']);
      expect([prepaidInCii(cii), dueInCii(cii)]).toEqual(['58.31', '0.00']);
      expect(ubl).toContain(`<cbc:Note>Paid on ${paidOn}</cbc:Note>`);
      const html = await readFile(books, invoiceId, 'html');
      expect(html).toContain(`paid on ${['2', '2'][index]}\u00A0${['Nov', 'Dec'][index]}\u00A02026`);
      expect(html).toContain('−58.31');
      expect(html).toContain('AFN\u00A00.00');
      expect(await readJson(books, invoiceId)).toMatchObject({
        totals: { total: '58.31', payable: '0.00' },
        payment: { kind: 'paid', paidOn },
      });
    }
  });

  it('stays as it was sent with a failed charge, and as an earlier release issued it', async () => {
    const id = await books.subscribe(customer, await books.plan(20), 'sandbox_ok_then_declined');
    const at = (await books.subscription(id)).nextBillingDate;
    await books.advance(at);
    const renewal = (await listInvoices(books, id)).at(-1);
    expect(renewal.status).toBe('open');
    const formats = ['html', 'ubl', 'cii', 'json'];
    const read = (invoiceId: string) =>
      Promise.all(formats.map((format) => readFile(books, invoiceId, format)));
    const sent = await read(renewal.id);
    expect(dueAmount(sent[1]!)).toBe('23.80');
    await books.client.graphql(
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }',
      { id },
    );
    expect((await listInvoices(books, id)).at(-1).status).toBe('paid');
    expect(await read(renewal.id)).toEqual(sent);
    // Records of earlier releases name no time zone.
    const [first] = await listInvoices(books, id);
    const [row] = await app.service.store.committed.select('documents', {
      where: { tenantAlias: books.alias, id: first.id },
    });
    const { timeZone, ...earlier } = row!.record as Record<string, unknown>;
    expect(timeZone).toBe('Europe/Berlin');
    await app.backdoor.execute(
      `update documents set record = '${JSON.stringify(earlier)}' where id = '${first.id}'`,
    );
    expect(await readJson(books, first.id)).toMatchObject({
      totals: { payable: '23.80' },
      payment: { kind: 'charged' },
    });
  });

  it('stays as it was sent if a transfer was asked for', async () => {
    const { createInvoice } = await books.client.graphql(
      `mutation ($id: ID!) {
        createInvoice(input: { customerId: $id, items: [{ amount: { amount: 10, currency: "afn" }, description: "Work" }], collect: send_invoice }) { id status }
      }`,
      { id: customer.id },
    );
    const sent = await readFile(books, createInvoice.id, 'ubl');
    expect(dueAmount(sent)).toBe('11.90');
    await books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "statement 7" }) { status } }',
      { id: createInvoice.id },
    );
    expect(await readFile(books, createInvoice.id, 'ubl')).toBe(sent);
  });
});

it('a tenant without a seller has documents that do not change', async () => {
  const books = await openBooks(app, '2026-11-02T14:00:00.000Z');
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(49));
  const [invoice] = await listInvoices(books);
  const { createCreditNote: note } = await books.client.graphql(
    `mutation ($id: ID!) {
      createCreditNote(input: { invoiceId: $id, amount: { amount: 5, currency: "afn" }, kind: refund }) { id }
    }`,
    { id: invoice.id },
  );
  const readNote = async () =>
    (
      await books.client.graphql(
        'query ($id: ID!) { creditNote(id: $id) { document(format: json) { base64 } } }',
        { id: note.id },
      )
    ).creditNote.document.base64;
  const [before, noteBefore] = [await readFile(books, invoice.id, 'json'), await readNote()];
  expect(JSON.parse(before).buyer).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' });
  await books.client.graphql(
    'mutation ($id: ID!) { updateCustomer(id: $id, input: { lastName: "Byron", locale: "de" }) { id } }',
    { id: customer.id },
  );
  await books.client.graphql(`mutation { ${registered} }`);
  expect(await readFile(books, invoice.id, 'json')).toBe(before);
  expect(await readNote()).toBe(noteBefore);
});
