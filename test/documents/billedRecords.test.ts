/** E-invoices of records that the app freezes: each invoice and credit note holds the rules of EN 16931. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderCii } from '../../src/documents/cii.ts';
import { listMissingFields } from '../../src/documents/missingFields.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { afn } from '../support/oneOff.ts';
import { readTerms } from './businessTerms.ts';
import { seller } from './eInvoiceRecords.ts';
import { listBroken } from './rules.ts';
import { listMisplaced } from './sequences.ts';
import { readXml } from './xmlTree.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const inPlace = (country: string) => ({
  line1: 'Main street 1',
  line2: null,
  city: 'Town',
  postalCode: '10000',
  region: null,
  country,
});
const text = (value: unknown) => `'${JSON.stringify(value)}'`;

/** A customer in a country, perhaps a company with a VAT id. */
async function customerIn({ shop }: Books, country: string, vatId?: string) {
  const customer = await shop.customer();
  const taxIds = vatId ? [{ type: 'eu_vat', value: vatId }] : [];
  await app.backdoor.execute(
    `update customers set address = ${text(inPlace(country))}, tax_ids = ${text(taxIds)} where id = '${customer.id}'`,
  );
  return customer;
}

it.each(['exclusive', 'inclusive'])('prices with tax behavior %s', async (taxBehavior) => {
  const books = await openBooks(app, '2026-01-10');
  const { shop, client, alias } = books;
  const registered = { ...seller, logo: undefined, logoId: null };
  await app.backdoor.execute(`update tenants set seller = ${text(registered)} where alias = '${alias}'`);
  const buyers = [
    await customerIn(books, 'DE'),
    await customerIn(books, 'IT'),
    await customerIn(books, 'FR', 'FR03784359069'),
    await customerIn(books, 'US'),
  ];
  for (const buyer of buyers) {
    const { price } = await shop.product({ amount: 19.99 });
    await app.backdoor.execute(`update prices set tax_behavior = '${taxBehavior}' where id = '${price.id}'`);
    await books.subscribe(buyer, price);
    const { createInvoice } = await client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: automatic }) { id }
      }`,
      {
        customerId: buyer.id,
        items: [33.33, 0.07].map((amount) => ({
          amount: afn(amount),
          description: `Work <${amount}> & more`,
        })),
      },
    );
    for (const input of [{ amount: afn(7.77), kind: 'refund', reason: 'late' }, { kind: 'credit' }]) {
      await client.graphql(
        'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
        { input: { invoiceId: createInvoice.id, ...input } },
      );
    }
  }
  await books.advance('2026-03-20');
  const documents = await app.service.store.committed.select('documents', {
    where: { tenantAlias: alias },
    orderBy: ['id'],
  });
  const records = documents.map(({ record }) => record as unknown as DocumentRecord);
  // Of each customer: a subscription of three periods, a one-off invoice, and two credit notes over it.
  expect(records).toHaveLength(4 * 6);
  // Lines name the product: the words around it depend on the language.
  const descriptions = records.flatMap(({ lines }) => lines.map(({ description }) => description));
  expect(descriptions.filter((description) => description.includes('every'))).toEqual([]);
  for (const record of records) {
    expect(listMissingFields(record)).toEqual([]);
    for (const render of [renderUbl, renderCii]) {
      const xml = render(record);
      expect(listBroken(readTerms(xml)), xml).toEqual([]);
      expect(listMisplaced(readXml(xml))).toEqual([]);
    }
  }
});

it('a credit note says what its amount reduces', async () => {
  const books = await openBooks(app, '2026-01-10');
  const customer = await books.shop.customer();
  const { createInvoice } = await books.client.graphql(
    `mutation ($customerId: ID!, $amount: MoneyInput!) {
      createInvoice(input: { customerId: $customerId, items: [{ amount: $amount, description: "Work" }], collect: send_invoice }) { id }
    }`,
    { customerId: customer.id, amount: afn(40) },
  );
  const credit = async (amount: number, kind: string) => {
    const { createCreditNote } = await books.client.graphql(
      `mutation ($input: CreateCreditNoteInput!) {
        createCreditNote(input: $input) { page: document(format: html) { base64 } }
      }`,
      { input: { invoiceId: createInvoice.id, amount: afn(amount), kind } },
    );
    return Buffer.from(createCreditNote.page.base64, 'base64').toString();
  };
  expect(await credit(10, 'credit')).toContain('reduces what you owe');
  await books.client.graphql(
    'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "statement 7", amount: { amount: 30, currency: "afn" } }) { id } }',
    { id: createInvoice.id },
  );
  expect(await credit(5, 'credit')).toContain('added to your balance');
  expect(await credit(5, 'refund')).toContain('is refunded');
});

it('formats of EN 16931 are refused with the fields that they require', async () => {
  const books = await openBooks(app, '2026-01-10');
  const anywhere = {
    ...seller,
    logo: undefined,
    logoId: null,
    address: null,
    taxIds: [],
    registration: null,
  };
  await app.backdoor.execute(`update tenants set seller = ${text(anywhere)} where alias = '${books.alias}'`);
  const customer = await books.shop.customer();
  await books.subscribe(customer, await books.plan(5));
  const fetch = (format: string) =>
    books.client.post(`{ invoices(first: 1) { nodes { document(format: ${format}) { fileName } } } }`);
  for (const format of ['ubl', 'cii', 'factur_x']) {
    const [error] = (await fetch(format)).body.errors;
    expect(error.extensions.reason).toBe('validation_failed');
    expect(error.extensions.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'seller.address.country',
      'seller.registration',
      'customer.address.country',
    ]);
  }
  expect((await fetch('json')).body.errors).toBeUndefined();
});
