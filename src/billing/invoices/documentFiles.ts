/** Documents as files, made from their frozen records. */
import type { MissingField } from '../../documents/fieldRows.ts';
import { listMissingFields } from '../../documents/missingFields.ts';
import { profileOfFormat } from '../../documents/profiles.ts';
import type { DocumentFile, DocumentFormat, DocumentRecord } from '../../documents/record.ts';
import type { DocumentRenderer } from '../../documents/render.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { MailedFormat } from '../../storage/model/parties.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { CreditNoteRow } from './creditNotes.ts';
import { buildCreditNoteRecord, buildInvoiceRecord } from './documentRecords.ts';
import { findInvoice, listInvoiceLines, type InvoiceRow } from './invoices.ts';
import { addTaxConversion } from './taxConversions.ts';

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
  const record = await findPresentRecord(tenant, invoice, isReader);
  return makeFile(tenant.documentRenderer, await addMeans(tenant.read, record, invoice, format), format);
}

/** Returns the record of an invoice as its document shows it now. */
const findPresentRecord = async (tenant: TenantScope, invoice: InvoiceRow, isReader: boolean) =>
  addPayment(await findIssuedRecord(tenant, invoice, isReader), invoice);

/** Adds the card or the debit to a record that names the means of payment. */
async function addMeans(
  reads: Reads,
  record: DocumentRecord,
  invoice: InvoiceRow,
  format: DocumentFormat,
): Promise<DocumentRecord> {
  if (!profileOfFormat[format]?.isDetailed) return record;
  return { ...record, payment: { ...record.payment, ...(await findMeans(reads, invoice)) } };
}

/** Returns the card or the debit that an invoice was charged to; undefined if it was none, or if the provider did not tell. */
async function findMeans(
  reads: Reads,
  invoice: InvoiceRow,
): Promise<Pick<DocumentRecord['payment'], 'card' | 'isSepaDebit'> | undefined> {
  const { customerId, status, intentId } = invoice;
  if (status !== 'paid') return undefined;
  // The first invoice of an order was paid with the order.
  const intent = intentId === null ? undefined : await reads.one('intents', { id: intentId });
  const provider = invoice.chargeProvider ?? intent?.provider;
  const reference = invoice.chargeMethod ?? intent?.paymentMethod;
  if (!provider || !reference) return undefined;
  const methods = await reads.many('paymentMethods', { where: { customerId, provider } });
  const method = methods.find((each) => each.reference === reference);
  if (method?.type === 'sepa_debit') return { isSepaDebit: true };
  if (method?.type !== 'card' || !method.last4) return undefined;
  return { card: { brand: method.brand ?? 'card', last4: method.last4 } };
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
  tenant: TenantScope,
  note: CreditNoteRow,
  format: DocumentFormat,
  isReader = false,
): Promise<DocumentFile> {
  return makeFile(tenant.documentRenderer, await findCreditNoteRecord(tenant, note, isReader), format);
}

async function findCreditNoteRecord(
  { read, record: tenant }: TenantScope,
  note: CreditNoteRow,
  isReader = false,
): Promise<DocumentRecord> {
  const frozen = await read.one('documents', { id: note.id });
  if (frozen) return addTaxConversion(read, note.id, openRecord(frozen, isReader));
  return buildCreditNoteRecord(read, tenant, note, await findInvoice(read, note.invoiceId));
}

/**
 * Returns the files of a document for its customer: the PDF, and the e-invoice that they receive, which is a PDF itself if it is
 * Factur-X. A document that was numbered before it had all details of the format goes out as PDF alone.
 */
export async function listMailedDocuments(
  tenant: TenantScope,
  { invoice, creditNote }: { invoice?: InvoiceRow; creditNote?: CreditNoteRow },
  format: MailedFormat | null,
): Promise<DocumentFile[]> {
  const record = creditNote
    ? await findCreditNoteRecord(tenant, creditNote)
    : await findPresentRecord(tenant, invoice!, false);
  const isWhole = format !== null && listMissingFields(record, profileOfFormat[format]).length === 0;
  const isPdf = format === 'factur_x' || format === 'factur_x_fr';
  const formats: DocumentFormat[] = !isWhole ? ['pdf'] : isPdf ? [format] : ['pdf', format];
  const files: DocumentFile[] = [];
  for (const each of formats) {
    const shown = invoice ? await addMeans(tenant.read, record, invoice, each) : record;
    files.push(await makeFile(tenant.documentRenderer, shown, each));
  }
  return files;
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
  if (frozen) return addTaxConversion(read, invoice.id, openRecord(frozen, isReader));
  if (!hasDocument(invoice))
    return refuse('invoice_not_finalized', { path: 'id', ...inState(invoice.status) });
  const customer = await read.one('customers', { id: invoice.customerId });
  const lines = await listInvoiceLines(read, invoice);
  return buildInvoiceRecord(read, tenant, { invoice, customer, lines });
}

/** Says which field an e-invoice of a format needs, and by which rule. */
export const describeMissing = ({ term, path, message, rule }: MissingField, format: DocumentFormat) => ({
  path,
  message: `must be given for ${format}: ${message} (${term} of EN 16931${rule ? `, ${rule}` : ''})`,
});

/** Makes a file from a record. */
async function makeFile(
  renderer: DocumentRenderer,
  record: DocumentRecord,
  format: DocumentFormat,
): Promise<DocumentFile> {
  const profile = profileOfFormat[format];
  const missing = profile ? listMissingFields(record, profile) : [];
  if (missing.length > 0)
    refuse('validation_failed', ...missing.map((field) => describeMissing(field, format)));
  return renderer.render(record, format);
}
