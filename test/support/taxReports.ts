/** Tax reports of a test tenant, and the sums of days behind them. */
import { expect } from 'vitest';
import { sumTaxes } from '../../src/insights/tax/sumTaxes.ts';
import { examine } from '../../src/maintenance/doctor/doctor.ts';
import type { TestApp } from './app.ts';
import { openScope } from './books.ts';
import { ask } from './oneOff.ts';
import type { Taxed } from './taxes.ts';

const sum = 'documents taxable { decimal } tax { decimal }';
const terms = 'country treatment category percent reason currency';
const reportDocument = `query ($input: TaxReportInput!) { taxReport(input: $input) {
  from until timeZone untaxedDocuments totals { currency ${sum} }
  rows { start end ${terms} taxable { decimal } tax { decimal } invoiced { ${sum} } credited { ${sum} } creditedEarlier { ${sum} } }
} }`;
export const documentsDocument = `query ($input: TaxDocumentsInput!, $first: Int, $after: String, $last: Int, $before: String, $order: Order) {
  taxDocuments(input: $input, first: $first, after: $after, last: $last, before: $before, order: $order) {
    totalCount nextCursor pageInfo { startCursor }
    nodes { documentId kind documentNumber issuedAt creditedIssuedAt customerId customer { id } ${terms}
      taxable { decimal } tax { decimal } }
  }
}`;
export const createNote = `mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }`;
export const createDraft = `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) {
  createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: true }) { id }
}`;

export const year = { from: '2026-01-01', until: '2027-01-01' };
export const readReport = async (shop: Taxed, input: object = year) =>
  (await shop.client.graphql(reportDocument, { input })).taxReport;

export const listDocuments = async (shop: Taxed, variables: object): Promise<any> =>
  (await shop.client.graphql(documentsDocument, variables as never)).taxDocuments;

export const bill = (shop: Taxed, { id }: { id: string }, amount: number, currency = 'afn') =>
  ask(shop, 'createInvoice', {
    customerId: id,
    items: [{ amount: { amount, currency }, description: 'Work' }],
    collect: 'send_invoice',
  });

export const credit = (shop: Taxed, invoiceId: string, amount: number, currency = 'afn') =>
  shop.client.graphql(createNote, {
    input: { invoiceId, amount: { amount, currency }, kind: 'credit', reason: 'x' },
  });

/** Sums the days that are over at the clock of a tenant. */
export async function sumDays(app: TestApp, shop: Taxed): Promise<void> {
  const tenant = await openScope(app, shop);
  while (await sumTaxes(tenant));
}

/** Returns the number of sums that are kept. */
export const countSums = async (app: TestApp, { alias }: Taxed): Promise<number> =>
  (await app.service.store.fresh.select('taxSums', { where: { tenantAlias: alias } })).length;

/** The questions whose periods begin with days of the tenant, or split them. */
const questions = [
  { ...year, until: '2030-01-01' },
  { ...year, by: 'month' },
  { ...year, by: 'month', timeZone: 'Asia/Kabul' },
  { from: '2026-01-01', until: '2026-02-01', by: 'day', timeZone: 'America/New_York' },
];
const readReports = (shop: Taxed) => Promise.all(questions.map((input) => readReport(shop, input)));

/** Expects the figures of the sums to be those of the documents, and the doctor to find the sums right. */
export async function expectSummed(app: TestApp, shop: Taxed): Promise<void> {
  const { alias } = shop;
  const fromSums = await readReports(shop);
  const { findings } = await examine(app.service, () => {}, alias);
  expect(findings.filter(({ check }) => check === 'tax_sums')).toEqual([]);
  const tenant = await openScope(app, shop);
  const progress = (await tenant.read.one('taxProgress', {}))!;
  await tenant.write((unit) => unit.removeUntraced('taxProgress', {}));
  expect(fromSums).toEqual(await readReports(shop));
  await tenant.write((unit) => unit.insertUntraced('taxProgress', progress));
}
