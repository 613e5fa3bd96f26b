/** E-invoices for the tenant's access point: which documents are sent, their status, and what a report about one changes. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { parseInput } from '../../lib/validation.ts';
import type { EInvoiceStatus } from '../../storage/model/eInvoices.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { isErased } from '../customers/erasedData.ts';
import { hasDocument } from './documentFiles.ts';
import { queueEInvoice } from './eInvoiceQueue.ts';

export type EInvoiceRow = Row<'eInvoiceDeliveries'>;

/** An invoice or a credit note. */
type Billed = { kind: 'invoice'; row: Row<'invoices'> } | { kind: 'credit_note'; row: Row<'creditNotes'> };

/** Returns the invoice or the credit note with this id. Error: `invoice_not_found`. */
async function findBilled(reads: Reads, id: string): Promise<Billed> {
  const note = id.startsWith('cn_') ? await reads.one('creditNotes', { id }) : undefined;
  if (note) return { kind: 'credit_note', row: note };
  const row = await reads.one('invoices', { id });
  return row ? { kind: 'invoice', row } : refuse('invoice_not_found');
}

/** What an attempt or a report says of an e-invoice. */
interface Outcome {
  status: EInvoiceStatus;
  /** The name that the access point has given it, if it has. */
  reference?: string | null;
  message?: string | null;
}

/** Records the status of an e-invoice on its delivery and its document, with an event. Returns the delivery. */
export async function recordEInvoiceStatus(
  unit: UnitOfWork,
  delivery: EInvoiceRow,
  { status, reference, message = null }: Outcome,
  progress: Partial<EInvoiceRow> = {},
): Promise<EInvoiceRow> {
  const changes = {
    ...progress,
    status,
    statusAt: unit.now,
    reference: reference ?? delivery.reference,
    lastError: status === 'rejected' || status === 'failed' ? message : null,
    ...(status !== 'queued' && { dueAt: null, claimedUntil: null, body: null }),
  };
  await unit.updateUntraced('eInvoiceDeliveries', { id: delivery.id }, changes);
  await changeDocument(unit, delivery, status, {
    format: delivery.format,
    ...(changes.reference !== null && { reference: changes.reference }),
    ...(message !== null && { message }),
  });
  return { ...delivery, ...changes };
}

async function changeDocument(
  unit: UnitOfWork,
  { id, kind }: Pick<EInvoiceRow, 'id' | 'kind'>,
  eInvoiceStatus: EInvoiceStatus,
  details: Record<string, unknown>,
): Promise<void> {
  const options = { action: `e_invoice_${eInvoiceStatus}` as const, details };
  if (kind === 'credit_note') {
    const note = await unit.one('creditNotes', { id });
    if (note) await unit.change('creditNotes', note, { eInvoiceStatus }, options);
    return;
  }
  const invoice = await unit.one('invoices', { id });
  if (invoice) await unit.change('invoices', invoice, { eInvoiceStatus }, options);
}

/**
 * Sends the e-invoice of an invoice or a credit note to the access point, also again. One that is queued is attempted at once. A
 * document that was rejected is sent under another key; otherwise the access point recognizes it by the same one. Errors:
 * `invoice_not_found`, `invoice_not_finalized`, `account_not_found` without an access point, `validation_failed` if the
 * customer receives no e-invoice that it takes.
 */
export async function sendEInvoice(unit: UnitOfWork, id: string): Promise<EInvoiceRow> {
  const billed = await findBilled(unit, id);
  const { customerId } = billed.row;
  if (billed.kind === 'invoice' && !hasDocument(billed.row))
    return refuse('invoice_not_finalized', { path: 'id', ...inState(billed.row.status) });
  if (unit.tenant.eInvoiceFormats === null) return refuse('account_not_found');
  const known = await unit.one('eInvoiceDeliveries', { id });
  const customer = await unit.one('customers', { id: customerId });
  const format = customer?.documentFormat ?? null;
  if (!known && (format === null || !unit.tenant.eInvoiceFormats.includes(format)))
    return refuse('validation_failed', {
      path: 'id',
      message: 'is for a customer without a format of e-invoices that the access point takes',
    });
  if (!known) {
    const delivery = await queueEInvoice(unit, { id, kind: billed.kind, customerId, format: format! });
    await changeDocument(unit, delivery, 'queued', { format });
    return delivery;
  }
  if (known.dueAt !== null && known.dueAt <= unit.now) return known;
  unit.queuedEInvoices += 1;
  if (known.status === 'queued') {
    await unit.updateUntraced('eInvoiceDeliveries', { id }, { dueAt: unit.now });
    return { ...known, dueAt: unit.now };
  }
  const isRejected = known.status === 'rejected';
  return recordEInvoiceStatus(
    unit,
    known,
    { status: 'queued' },
    {
      attempt: 0,
      dueAt: unit.now,
      ...(isRejected && { edition: known.edition + 1, reference: null }),
    },
  );
}

const longestReference = 200;
export const longestMessage = 1000;

const printable = (most: number) =>
  z
    .string()
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

const eInvoiceReport = z.object({
  status: z.enum(['accepted', 'rejected']),
  reference: printable(longestReference).nullish(),
  message: printable(longestMessage).nullish(),
});

/**
 * Records what the access point or the receiver has decided about an e-invoice. One that is queued is not sent any more. A repeated
 * report changes nothing. Errors: `invoice_not_found`, `validation_failed` if it has no e-invoice.
 */
export async function reportEInvoice(unit: UnitOfWork, id: string, input: unknown): Promise<EInvoiceRow> {
  const { status, reference, message } = parseInput(eInvoiceReport, input);
  const delivery = await findDelivery(unit, id, 'id');
  return recordDecision(unit, delivery, {
    status,
    reference: reference || null,
    message: message || null,
  });
}

/** Returns the e-invoice of a document. Errors: `invoice_not_found`, `validation_failed` if it has none. */
async function findDelivery(unit: UnitOfWork, id: string, path: string): Promise<EInvoiceRow> {
  await findBilled(unit, id);
  const delivery = await unit.one('eInvoiceDeliveries', { id });
  return delivery ?? refuse('validation_failed', { path, message: 'has no e-invoice' });
}

async function recordDecision(
  unit: UnitOfWork,
  delivery: EInvoiceRow,
  outcome: Outcome,
): Promise<EInvoiceRow> {
  const { status, reference } = outcome;
  const isRepeated = delivery.status === status && (reference ?? delivery.reference) === delivery.reference;
  if (isRepeated) return delivery;
  const customer = await unit.one('customers', { id: delivery.customerId });
  // What is said about a person who is erased would be kept.
  const isForgotten = !customer || isErased(customer);
  return recordEInvoiceStatus(unit, delivery, isForgotten ? { status } : outcome);
}

/** A report of the access point with its own id. */
export interface SignedReport extends Outcome {
  reportId: string;
  /** The key under which the document was sent. */
  key: string;
}

/** A message that is captured can be repeated for some minutes; nobody reports more of one document meanwhile. */
const mostReportIds = 50;

/**
 * Records a report that the access point has signed; returns whether it is new. One that is repeated, also after others, or that is
 * about a document before it was sent again under another key changes nothing. Errors: as of `reportEInvoice`.
 */
export async function recordSignedReport(
  unit: UnitOfWork,
  { reportId, key, ...outcome }: SignedReport,
): Promise<boolean> {
  const [id, edition = '1'] = key.split('-');
  const delivery = await findDelivery(unit, id!, 'key');
  const known = delivery.reportIds ?? [];
  if (Number(edition) !== delivery.edition || known.includes(reportId)) return false;
  const reportIds = [...known, reportId].slice(-mostReportIds);
  await unit.updateUntraced('eInvoiceDeliveries', { id: delivery.id }, { reportIds });
  await recordDecision(unit, { ...delivery, reportIds }, outcome);
  return true;
}
