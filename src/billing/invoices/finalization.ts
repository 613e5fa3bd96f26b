/** Finalization: a draft gets its tax, balance and number and becomes open; any invoice gets its number once. */
import { findEvidenceGap } from '../tax/locationEvidence.ts';
import { listKinds, readTaxBook, resolveTax } from '../tax/taxBook.ts';
import { findTaxCountry } from '../tax/taxCountry.ts';
import { applyBalance } from '../pricing/nextInvoice.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { restoreTerms } from '../pricing/creditTax.ts';
import { applyTax } from '../pricing/tax.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeAvailableBalance, recordBalance } from './credits.ts';
import { planEInvoice, queuePlanned } from './eInvoiceQueue.ts';
import { freezeDocument } from './frozenDocuments.ts';
import { takeInvoiceNumber } from './documentNumbers.ts';
import { refreshUsage } from './draftUsage.ts';
import { applyGrantsToDraft } from './grantUses.ts';
import {
  countInvoice,
  insertLine,
  isUnpaid,
  listInvoiceLines,
  type InvoiceLineRow,
  type InvoiceRow,
} from './invoices.ts';
import { computeDueAt } from '../payments/paymentTerms.ts';

/**
 * Finalizes an invoice: gives it the next number and freezes its document. A draft is taxed by the details that the
 * customer has now, the balance pays, and it becomes open; its total may then be 0. Throws if the invoice is final or
 * was closed before.
 */
export async function finalizeInvoice(unit: UnitOfWork, invoice: InvoiceRow): Promise<InvoiceRow> {
  if (invoice.documentNumber !== null) throw new Error(`${invoice.id} is finalized.`);
  const opened = invoice.status === 'draft' ? await openDraft(unit, invoice) : {};
  const lines = await listInvoiceLines(unit, invoice);
  const customer = await unit.one('customers', { id: invoice.customerId });
  const { taxes } = { ...invoice, ...opened };
  // An open invoice that waited for its number was taxed when it was created.
  const taxCountry = invoice.taxCountry ?? findTaxCountry(unit.tenant, customer, taxes);
  const numbered = {
    ...(await takeInvoiceNumber(unit, lines)),
    issuedAt: unit.now,
    finalizeAt: null,
    taxCountry,
    evidenceGap: findEvidenceGap(unit.tenant, customer, { taxes, taxCountry }),
    eInvoiceStatus: planEInvoice(unit.tenant, customer),
  };
  const finalized = await unit.change(
    'invoices',
    invoice,
    { ...opened, ...numbered },
    { action: 'finalized' },
  );
  if (invoice.status === 'draft') await countInvoice(unit, finalized);
  await freezeDocument(unit, finalized, customer, () => lines);
  await queuePlanned(unit, 'invoice', finalized, customer);
  return finalized;
}

/**
 * Counts the usage of a draft anew, lowers its lines by credit grants, taxes them, pays from the balance, and returns the columns of the open invoice.
 */
async function openDraft(unit: UnitOfWork, invoice: InvoiceRow): Promise<Partial<InvoiceRow>> {
  const { customerId, currency } = invoice;
  const all = await listInvoiceLines(unit, invoice);
  const rows = all.filter(({ kind }) => kind !== 'BALANCE');
  if (rows.length < all.length)
    await unit.removeUntraced('invoiceLines', { invoiceId: invoice.id, kind: 'BALANCE' });
  const charged = await applyGrantsToDraft(unit, invoice, await refreshUsage(unit, invoice, rows));
  const { lines, taxes } = await taxLines(unit, invoice, charged);
  const availableMinor = await computeAvailableBalance(unit, customerId, currency, unit.now);
  const bill = applyBalance(lines, availableMinor);
  const last = bill.lines.at(-1);
  if (last?.kind === 'BALANCE') await insertLine(unit, invoice, last, last.description);
  await recordBalance(unit, invoice, bill);
  const dueAt = invoice.dueAt !== null && bill.totalMinor > 0n ? computeDueAt(unit) : null;
  return { status: 'open', totalMinor: bill.totalMinor, taxes, dueAt };
}

async function taxLines(
  unit: UnitOfWork,
  { customerId, currency }: InvoiceRow,
  rows: InvoiceLineRow[],
): Promise<{ lines: Line[]; taxes: TaxTotal[] | null }> {
  const productIds = rows.flatMap(({ productId }) => productId ?? []);
  const book = await readTaxBook(unit, unit.tenant, [customerId], productIds);
  const untaxed = rows.map(toLine);
  const kinds = listKinds(untaxed);
  const tax = resolveTax(book, { customerId, productIds, kinds, currency, at: unit.now });
  const { lines, taxes } = applyTax(untaxed, tax);
  for (const [index, { id }] of rows.entries())
    await unit.updateUntraced('invoiceLines', { id }, { tax: lines[index]!.tax ?? null });
  return { lines, taxes };
}

/** Returns a line as it was before its tax. */
const toLine = (row: InvoiceLineRow): Line => ({
  kind: row.kind,
  description: row.description,
  amountMinor: row.amountMinor,
  currency: row.currency,
  periodStart: row.periodStart,
  periodEnd: row.periodEnd,
  explanation: row.explanation as unknown as Line['explanation'],
  ...restoreTerms(row),
  ...(row.productId !== null && { productId: row.productId }),
  ...(row.productKind !== null && { productKind: row.productKind }),
});

/** Returns an invoice that can be finalized. Error: `invoice_not_draft`. */
export function refuseFinal(invoice: InvoiceRow): InvoiceRow {
  const { documentNumber, status } = invoice;
  if (documentNumber !== null)
    refuse('invoice_not_draft', { path: 'id', message: `is finalized as ${documentNumber}` });
  if (!isUnpaid(invoice) && status !== 'paid')
    refuse('invoice_not_draft', { path: 'id', ...inState(status) });
  return invoice;
}

/**
 * Returns an invoice that has its number, or had none in an earlier release; ends the grace of one whose document waits.
 * Error: `invoice_not_finalized`.
 */
export async function ensureFinal(unit: UnitOfWork, invoice: InvoiceRow): Promise<InvoiceRow> {
  if (invoice.status === 'draft')
    return refuse('invoice_not_finalized', {
      path: 'invoiceId',
      message: 'is a draft: finalize it first',
      code: 'is_draft',
    });
  const isWaiting = invoice.documentNumber === null && invoice.finalizeAt !== null;
  return isWaiting ? finalizeInvoice(unit, invoice) : invoice;
}

/** Lists the invoices whose grace has ended, oldest first. */
export const listDueFinalizations = async (reads: Reads, now: string, limit: number): Promise<InvoiceRow[]> =>
  reads.many('invoices', { where: { finalizeAt: { to: now } }, orderBy: ['finalizeAt', 'id'], limit });
