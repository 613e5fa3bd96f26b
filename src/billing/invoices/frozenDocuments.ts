/** The freezing of documents: what an issued document shows is kept once, and never changes. */
import type { DocumentRecord } from '../../documents/record.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import { findRetentionYears } from '../../tenants/settings.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { BilledLine } from './documentLines.ts';
import { buildCreditNoteRecord, buildInvoiceRecord } from './documentRecords.ts';
import { computeRetentionEnd } from './retention.ts';
import { findCreditedInvoice, keepTaxConversion } from './taxConversions.ts';

type InvoiceRow = Row<'invoices'>;

/** Keeps what the document of a final invoice of a customer shows. Without a seller it has the name of the tenant. */
export async function freezeDocument(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  customer: Row<'customers'> | undefined,
  listLines: () => MaybePromise<BilledLine[]>,
): Promise<void> {
  const { id, customerId } = invoice;
  const lines = await listLines();
  const record = await buildInvoiceRecord(unit, unit.tenant, { invoice, customer, lines });
  await keepRecord(unit, { id, customerId, evidence: customer?.locationEvidence }, record);
  const isCredit = record.kind === 'credit_note';
  await keepTaxConversion(unit, id, record, isCredit ? await findCreditedInvoice(unit, lines) : undefined);
}

const keepRecord = (
  unit: UnitOfWork,
  { id, customerId, evidence }: Pick<NewRow<'documents'>, 'id' | 'customerId' | 'evidence'>,
  record: DocumentRecord,
  retainedUntil: string | null = null,
) =>
  unit.insertUntraced('documents', {
    id,
    customerId,
    record: { ...record },
    createdAt: unit.now,
    retainedUntil,
    evidence,
  });

/** Keeps what the issued documents of a customer show that have no record yet: their data is about to be erased. */
export async function freezeUnkept(unit: UnitOfWork, customerId: string): Promise<void> {
  if (findRetentionYears(unit.tenant) === 0) return;
  const where = { customerId };
  const kept = await unit.many('documents', { where, leaveOut: ['record'] });
  const keptIds = new Set(kept.map(({ id }) => id));
  const invoices = await unit.many('invoices', { where });
  for (const invoice of invoices) {
    const { issuedAt, finalizeAt, status } = invoice;
    // Those of earlier releases were never finalized. A draft that was voided was never issued.
    const isFinal = issuedAt !== null || (finalizeAt === null && status !== 'draft' && status !== 'void');
    if (keptIds.has(invoice.id) || !isFinal) continue;
    const lines = await unit.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
    const customer = await unit.one('customers', { id: customerId });
    await keepRecord(
      unit,
      { id: invoice.id, customerId },
      await buildInvoiceRecord(unit, unit.tenant, { invoice, customer, lines }),
    );
  }
  for (const note of await unit.many('creditNotes', { where })) {
    if (keptIds.has(note.id)) continue;
    const invoice = invoices.find(({ id }) => id === note.invoiceId)!;
    await keepRecord(
      unit,
      { id: note.id, customerId },
      await buildCreditNoteRecord(unit, unit.tenant, note, invoice),
    );
  }
}

/** Keeps what the document of a credit note shows. */
export async function freezeCreditNote(
  unit: UnitOfWork,
  note: Row<'creditNotes'>,
  invoice: InvoiceRow,
): Promise<void> {
  const { id, customerId } = note;
  const record = await buildCreditNoteRecord(unit, unit.tenant, note, invoice);
  // The document of an erased customer names them, and so does what credits it.
  const billed = await unit.one('documents', { id: invoice.id });
  const retainedUntil =
    billed?.retainedUntil && (computeRetentionEnd(unit.tenant, note.issuedAt) ?? billed.retainedUntil);
  await keepRecord(unit, { id, customerId }, record, retainedUntil ?? null);
  await keepTaxConversion(unit, id, record, invoice.id);
}
