/** Documents as files, made from their frozen records. */
import { listMissingFields } from '../../documents/missingFields.ts';
import type { DocumentFile, DocumentFormat, DocumentRecord } from '../../documents/record.ts';
import type { DocumentRenderer } from '../../documents/render.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { CreditNoteRow } from './creditNotes.ts';
import { buildCreditNoteRecord, buildInvoiceRecord } from './documentRecords.ts';
import { findInvoice, listInvoiceLines, type InvoiceRow } from './invoices.ts';

/**
 * Returns the document of an invoice. `isReader`: whether the caller may read those of erased customers. Errors:
 * `permission_missing`, `invoice_not_finalized`, `validation_failed` if the format requires
 * details that are missing, `unavailable` if too many documents are being made.
 */
export async function findInvoiceDocument(
  tenant: TenantScope,
  invoice: InvoiceRow,
  format: DocumentFormat,
  isReader = false,
): Promise<DocumentFile> {
  const record = addPayment(await findIssuedRecord(tenant, invoice, isReader), invoice);
  return makeFile(tenant.documentRenderer, record, format);
}

/** Whether an invoice has a document. Invoices of earlier releases have a number, but were never finalized. */
export const hasDocument = ({
  issuedAt,
  finalizeAt,
  status,
}: Pick<InvoiceRow, 'issuedAt' | 'finalizeAt' | 'status'>): boolean =>
  issuedAt !== null || (finalizeAt === null && status !== 'draft');

/** Returns the document of a credit note. Errors: as for invoices. */
export async function findCreditNoteDocument(
  { read, record: tenant, documentRenderer }: TenantScope,
  note: CreditNoteRow,
  format: DocumentFormat,
  isReader = false,
): Promise<DocumentFile> {
  const frozen = await read.one('documents', { id: note.id });
  const record = frozen
    ? openRecord(frozen, isReader)
    : await buildCreditNoteRecord(read, tenant, note, await findInvoice(read, note.invoiceId));
  return makeFile(documentRenderer, record, format);
}

/**
 * Adds the payment to the record of an invoice that was paid by its first charge, so that nobody pays it again. A document
 * that was sent before the payment stays as it was: to ask for a transfer, with the mail about a failed charge, or before a
 * credit note about a part that was not charged.
 */
function addPayment(record: DocumentRecord, invoice: InvoiceRow): DocumentRecord {
  const { payment, totals, timeZone } = record;
  const { status, paidAt, unchargedMinor, attempts, firstTriedAt } = invoice;
  const isCharged = status === 'paid' && paidAt !== null && payment.kind === 'charged';
  const wasSent = attempts > 1 || firstTriedAt !== null || unchargedMinor !== null;
  if (!isCharged || wasSent || timeZone === undefined) return record;
  return {
    ...record,
    totals: { ...totals, payableMinor: '0' },
    payment: { ...payment, kind: 'paid', paidOn: toLocalDate(paidAt, timeZone) },
  };
}

/** Returns a frozen record. That of an erased customer is kept for those who must show it, such as to a tax office. */
function openRecord({ record, retainedUntil }: Row<'documents'>, isReader: boolean): DocumentRecord {
  if (retainedUntil !== null && !isReader)
    refuse('permission_missing', { path: 'permission', message: 'read_documents: its customer is erased' });
  return record as unknown as DocumentRecord;
}

/** Returns the frozen record of an invoice. Invoices of earlier releases may have none: it is built from what there is now. */
async function findIssuedRecord(
  { read, record: tenant }: TenantScope,
  invoice: InvoiceRow,
  isReader: boolean,
): Promise<DocumentRecord> {
  const frozen = await read.one('documents', { id: invoice.id });
  if (frozen) return openRecord(frozen, isReader);
  if (!hasDocument(invoice))
    return refuse('invoice_not_finalized', { path: 'id', ...inState(invoice.status) });
  const customer = await read.one('customers', { id: invoice.customerId });
  const lines = await listInvoiceLines(read, invoice);
  return buildInvoiceRecord(read, tenant, { invoice, customer, lines });
}

/** The formats of EN 16931, which requires more than a document for people needs. */
const standardFormats: DocumentFormat[] = ['ubl', 'cii', 'factur_x'];

/** Makes a file from a record. */
async function makeFile(
  renderer: DocumentRenderer,
  record: DocumentRecord,
  format: DocumentFormat,
): Promise<DocumentFile> {
  const missing = standardFormats.includes(format) ? listMissingFields(record) : [];
  if (missing.length > 0) {
    const issues = missing.map(({ term, path, message }) => ({
      path,
      message: `must be given for ${format}: ${message} (${term} of EN 16931)`,
    }));
    refuse('validation_failed', ...issues);
  }
  return renderer.render(record, format);
}
