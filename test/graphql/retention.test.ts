/** Documents of erased customers: kept as they are until their retention ends, for those who may read them; then erased. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { afn } from '../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const address = { line1: 'Main street 1', city: 'Berlin', postalCode: '10115', country: 'DE' };
const seller = { legalName: 'Perennial GmbH', address, taxIds: [{ type: 'eu_vat', value: 'DE811907980' }] };
const files = `html: document(format: html) { base64 } json: document(format: json) { base64 }
  ubl: document(format: ubl) { base64 } cii: document(format: cii) { base64 }`;
const documents = `query ($id: ID!) {
  invoices(customerId: $id, first: 5) { nodes { id ${files} } }
  creditNotes(customerId: $id, first: 5) { nodes { id ${files} } }
}`;
const jsonOfFirst =
  'query ($id: ID!) { invoices(customerId: $id, first: 1) { nodes { document(format: json) { base64 } } } }';
const update =
  'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { documentRetentionYears } }';
const eraseDocument = `mutation ($id: ID!) {
  eraseCustomer(id: $id) { firstName email retained { documents until reason } }
}`;
const erase = async ({ client }: Books, id: string) =>
  (await client.graphql(eraseDocument, { id })).eraseCustomer;
const findings = async () =>
  (await perennial(app.database, ['doctor', '--json'])).json.findings.filter(
    ({ check }: any) => check !== 'delivery',
  );

/** A German customer named by a tag, with an invoice of a subscription, one of one-off charges, and a credit note over it. */
async function bill(tag: string, options: { timezone?: string; clock?: string; isSeller?: boolean } = {}) {
  const { timezone, clock = '2026-05-10', isSeller = true } = options;
  const books = await openBooks(app, clock, timezone);
  if (isSeller) await books.client.graphql(update, { input: { seller } });
  const customer = await books.shop.customer({ firstName: tag, lastName: tag, email: `${tag}@example.org` });
  const { id } = customer;
  await books.client.graphql(
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
    { id, input: { companyName: `Company ${tag}`, address: { ...address, line1: `Street ${tag}` } } },
  );
  const subscription = await books.subscribe(customer, await books.plan(50));
  const { createInvoice } = await books.client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!, $text: String!) {
      createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: $text }] }) { id }
    }`,
    { id, amount: afn(40), text: `Work for ${tag}` },
  );
  const credit = { invoiceId: createInvoice.id, amount: afn(10), kind: 'credit', reason: `Sorry, ${tag}` };
  await books.client.graphql(
    'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
    { input: credit },
  );
  await books.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', {
    id: subscription,
  });
  return { books, id: id as string, invoiceId: createInvoice.id as string };
}

const read = ({ client }: Books, id: string) => client.graphql(documents, { id });
const reasonOf = async (client: Client, id: string) => {
  const { body } = await client.post(jsonOfFirst, { id });
  return body.errors?.[0].extensions.reason;
};

/** Everything of a tenant but its documents, as text. */
async function readOthers({ alias }: Books): Promise<string> {
  const tables = [
    'customers',
    'traces',
    'invoice_lines',
    'invoice_items',
    'credit_notes',
    'intents',
    'idempotency',
  ];
  const rows = await Promise.all(
    tables.map((table) => app.backdoor.all(`select * from ${table} where tenant_alias = '${alias}'`)),
  );
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

describe('the documents of an erased customer', () => {
  it('stay byte for byte, and everything else goes', async () => {
    const { books, id } = await bill('quvolo');
    const before = await read(books, id);
    expect(before.invoices.nodes).toHaveLength(2);
    expect(before.creditNotes.nodes).toHaveLength(1);
    expect(await erase(books, id)).toEqual({
      firstName: '[erased]',
      email: `${id}@erased.invalid`,
      retained: { documents: 3, until: '2037-01-01T00:00:00.000Z', reason: 'tax_records' },
    });
    expect(await read(books, id)).toEqual(before);
    expect(await readOthers(books)).not.toContain('quvolo');
    expect(await erase(books, id)).toMatchObject({ retained: { documents: 3 } });
    expect(await read(books, id)).toEqual(before);
    expect(await findings()).toEqual([]);
  });

  it('stay without a seller, too, whose documents had no record', async () => {
    const { books, id } = await bill('zukalo', { isSeller: false });
    const fetchJson = () => books.client.graphql(jsonOfFirst, { id });
    const before = await fetchJson();
    expect(await erase(books, id)).toMatchObject({ retained: { documents: 3 } });
    expect(await fetchJson()).toEqual(before);
    expect(await readOthers(books)).not.toContain('zukalo');
  });

  it('are for callers with read_documents', async () => {
    const { books, id } = await bill('mulolo');
    const reader = await app.key(books.alias, 'read');
    expect(await reasonOf(reader, id)).toBeUndefined();
    await erase(books, id);
    expect(await reasonOf(reader, id)).toBe('permission_missing');
    expect(await reasonOf(books.client, id)).toBeUndefined();
    const { customer } = await reader.graphql(
      'query ($id: ID!) { customer(id: $id) { retained { documents } } }',
      { id },
    );
    expect(customer.retained).toEqual({ documents: 3 });
  });

  it('are erased by themselves when their retention ends', async () => {
    const { books, id, invoiceId } = await bill('polulo');
    await erase(books, id);
    // A later credit note names the customer, too, and is kept for its own time.
    await books.advance('2027-02-01');
    await books.client.graphql(
      'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
      { input: { invoiceId, amount: afn(1), kind: 'credit' } },
    );
    const retained = async () =>
      (
        await books.client.graphql(
          'query ($id: ID!) { customer(id: $id) { retained { documents until } } }',
          { id },
        )
      ).customer.retained;
    expect(await retained()).toEqual({ documents: 4, until: '2038-01-01T00:00:00.000Z' });
    await books.advance('2036-12-31T23:59:59.999Z');
    expect(await retained()).toMatchObject({ documents: 4 });
    await books.advance('2037-06-01');
    expect(await retained()).toEqual({ documents: 1, until: '2038-01-01T00:00:00.000Z' });
    await books.advance('2038-06-01');
    expect(await retained()).toBeNull();
    const { nodes } = (await books.client.graphql(jsonOfFirst, { id })).invoices;
    const text = Buffer.from(nodes[0].document.base64, 'base64').toString();
    expect(JSON.parse(text)).toMatchObject({ buyer: { name: '[erased]', companyName: null, address: null } });
    expect(await app.backdoor.dump(books.alias)).not.toContain('polulo');
    const { traces } = await books.client.graphql(
      '{ traces(first: 20, activityType: TenantEvent) { nodes { payload } } }',
    );
    const erased = traces.nodes.filter(({ payload }: any) => payload.action === 'documents_erased');
    expect(erased.map(({ payload }: any) => payload.details.documents.length)).toEqual([1, 3]);
    expect(await findings()).toEqual([]);
  });
});

describe('the years of the retention', () => {
  it.each([
    [0, null],
    [8, '2035-01-01T00:00:00.000Z'],
    [30, '2057-01-01T00:00:00.000Z'],
    [null, '2037-01-01T00:00:00.000Z'],
  ])('%s', async (documentRetentionYears, until) => {
    const { books, id } = await bill(`ruvu${documentRetentionYears}lo`);
    await books.client.graphql(update, { input: { documentRetentionYears } });
    const { retained } = await erase(books, id);
    expect(retained?.until ?? null).toBe(until);
    if (until === null)
      expect(await app.backdoor.dump(books.alias)).not.toContain(`ruvu${documentRetentionYears}lo`);
  });

  it("are counted in the tenant's time zone", async () => {
    const options = { timezone: 'Asia/Kabul', clock: '2026-12-31T20:00:00Z' };
    const { books, id } = await bill('tululo', options);
    expect((await erase(books, id)).retained.until).toBe('2037-12-31T19:30:00.000Z');
  });

  it.each([-1, 31, 1.5])('of %d are refused', async (documentRetentionYears) => {
    const books = await openBooks(app, '2026-05-10');
    const { body } = await books.client.post(update, { input: { documentRetentionYears } });
    expect(body.errors[0].extensions.reason).toBe('validation_failed');
  });

  it('are set by the command line', async () => {
    const books = await openBooks(app, '2026-05-10');
    const command = ['tenant', 'update', books.alias, '--json', '--retention-years'];
    const { json } = await perennial(app.database, [...command, '8']);
    expect(json.tenant.documentRetentionYears).toBe(8);
    expect((await perennial(app.database, [...command, '31'])).err).toContain('must be at most 30');
    expect((await perennial(app.database, [...command, 'long'])).err).toContain('--retention-years');
  });
});
