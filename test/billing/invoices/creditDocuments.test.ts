/** Plan changes whose credits exceed their charges: a credit note by its number, its kind and the invoices that it names. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { perennial } from '../../support/cli.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const address = { line1: 'Main street 1', city: 'Berlin', postalCode: '10115', country: 'DE' };
const documents = `{ invoices(first: 10, order: ASC) { nodes { number documentNumber documentKind
  json: document(format: json) { base64 } ubl: document(format: ubl) { base64 }
  cii: document(format: cii) { base64 } html: document(format: html) { base64 } } } }`;
const decode = ({ base64 }: { base64: string }) => Buffer.from(base64, 'base64').toString();

async function open(): Promise<Books & { customer: any; group: any }> {
  const books = await openBooks(app, '2026-06-01');
  const seller = {
    legalName: 'Perennial GmbH',
    address,
    taxIds: [{ type: 'eu_vat', value: 'DE811907980' }],
  };
  await books.client.graphql(
    'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }',
    { input: { seller } },
  );
  const customer = await books.shop.customer();
  await books.client.graphql(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id: customer.id, input: { address } },
  );
  return { ...books, customer, group: await books.shop.group({ prorateUpgrades: true }) };
}

const change = ({ client }: Books, id: string, input: object) =>
  client.graphql(
    'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
    { id, input: { billing: 'charge_now', ...input } },
  );

async function readDocuments({ client }: Books) {
  const { nodes } = (await client.graphql(documents)).invoices;
  return nodes.map(({ json, ubl, cii, html, ...invoice }: any) => ({
    ...invoice,
    record: JSON.parse(decode(json)),
    ubl: decode(ubl),
    cii: decode(cii),
    html: decode(html),
  }));
}

async function expectSound({ alias }: Books) {
  expect(await findFaults(app, alias)).toEqual([]);
  const { json } = await perennial(app.database, ['doctor', '--json']);
  expect(json.findings.filter(({ check }: any) => check === 'documents')).toEqual([]);
}

it('has a number of the credit notes and names its invoice, and both series have no gaps', async () => {
  const books = await open();
  const groupId = books.group.id;
  const large = await books.plan(100, { groupId });
  const small = await books.plan(50, { groupId });
  const id = await books.subscribe(books.customer, large);
  await books.advance('2026-06-16');
  await change(books, id, { priceId: small.id });
  const [first, credit] = await readDocuments(books);
  expect([first.documentNumber, first.documentKind, first.record.credits]).toEqual([
    'INV-2026-00001',
    'invoice',
    null,
  ]);
  expect([credit.documentNumber, credit.documentKind]).toEqual(['CN-2026-00001', 'credit_note']);
  expect(credit.record).toMatchObject({
    kind: 'credit_note',
    number: 'CN-2026-00001',
    credits: { number: 'INV-2026-00001', issueDate: '2026-06-01' },
    totals: { net: '25.00', tax: '4.75', total: '29.75' },
  });
  expect(credit.record).not.toHaveProperty('furtherCredits');
  expect(credit.ubl).toMatch(
    /<cac:InvoiceDocumentReference>\s*<cbc:ID>INV-2026-00001<\/cbc:ID>\s*<cbc:IssueDate>2026-06-01</,
  );
  expect(credit.cii).toMatch(
    /<ram:InvoiceReferencedDocument>\s*<ram:IssuerAssignedID>INV-2026-00001<[^]*>20260601</,
  );
  expect(credit.html).toContain('INV-2026-00001');
  await books.client.graphql(
    'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
    {
      input: { invoiceId: await firstInvoice(books), kind: 'credit', amount: { amount: 1, currency: 'afn' } },
    },
  );
  const { creditNotes, search } = await books.client.graphql(
    `{ creditNotes { nodes { documentNumber } }
      search(query: "CN-2026") { type title } }`,
  );
  expect(creditNotes.nodes).toEqual([{ documentNumber: 'CN-2026-00002' }]);
  expect(search.map(({ title }: any) => title).toSorted()).toEqual(['CN-2026-00001', 'CN-2026-00002']);
  await books.advance('2026-07-02');
  expect((await readDocuments(books)).at(-1)).toMatchObject({ documentNumber: 'INV-2026-00002' });
  await expectSound(books);
});

const firstInvoice = async ({ client }: Books): Promise<string> =>
  (await client.graphql('{ invoices(first: 1, order: ASC) { nodes { id } } }')).invoices.nodes[0].id;

it('names every invoice that it credits', async () => {
  const books = await open();
  const groupId = books.group.id;
  const large = await books.plan(100, { groupId });
  const small = await books.plan(50, { groupId });
  const seats = await books.plan(40);
  const id = await books.subscribe(books.customer, large);
  await books.advance('2026-06-06');
  await change(books, id, { addOns: [{ priceId: seats.id, quantity: 1 }] });
  await books.advance('2026-06-16');
  await change(books, id, { priceId: small.id, addOns: [] });
  const credit = (await readDocuments(books)).at(-1);
  expect(credit.record).toMatchObject({
    number: 'CN-2026-00001',
    credits: { number: 'INV-2026-00001', issueDate: '2026-06-01' },
    furtherCredits: [{ number: 'INV-2026-00002', issueDate: '2026-06-06' }],
  });
  expect(credit.ubl.match(/<cac:BillingReference>/g)).toHaveLength(2);
  expect(credit.cii.match(/<ram:InvoiceReferencedDocument>/g)).toHaveLength(1);
  expect(credit.cii).toContain('Also credits invoice INV-2026-00002 of 2026-06-06');
  for (const number of ['INV-2026-00001', 'INV-2026-00002']) expect(credit.html).toContain(number);
  await expectSound(books);
});

it('does not collide with an invoice if both series are written alike', async () => {
  const books = await open();
  for (const kind of ['invoice', 'credit_note'])
    await books.client.graphql(
      `mutation ($kind: DocumentKind!) { updateNumberSeries(input: { kind: $kind, pattern: "{seq}", reset: never }) { pattern } }`,
      { kind },
    );
  const groupId = books.group.id;
  const large = await books.plan(100, { groupId });
  const small = await books.plan(50, { groupId });
  const id = await books.subscribe(books.customer, large);
  await books.advance('2026-06-16');
  await change(books, id, { priceId: small.id });
  await books.advance('2026-09-02');
  const numbers = (await readDocuments(books)).map(
    ({ documentNumber, documentKind }: any) => `${documentKind} ${documentNumber}`,
  );
  expect(numbers).toEqual(['invoice 1', 'credit_note 1', 'invoice 2', 'invoice 3', 'invoice 4']);
  await expectSound(books);
});

it('is numbered so at its finalization, too', async () => {
  const books = await open();
  await books.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
  const groupId = books.group.id;
  const large = await books.plan(100, { groupId });
  const small = await books.plan(50, { groupId });
  const id = await books.subscribe(books.customer, large);
  await books.advance('2026-06-16');
  await change(books, id, { priceId: small.id });
  await books.advance('2026-06-20');
  expect((await readDocuments(books)).map(({ documentNumber }: any) => documentNumber)).toEqual([
    'INV-2026-00001',
    'CN-2026-00001',
  ]);
  await expectSound(books);
});
