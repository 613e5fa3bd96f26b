/** Credit notes: documents that credit an invoice in whole or in part. */
import { refuse } from '../../lib/errors.ts';
import { moreThanLeft } from '../../lib/money.ts';
import {
  creditAmount,
  creditPriced,
  findCreditable,
  findLeftAsPriced,
  sumNote,
  sumNoteTaxes,
  type Creditable,
} from '../pricing/creditNotes.ts';
import type { CreditNoteLine } from '../../storage/model/common.ts';
import type { EInvoiceStatus } from '../../storage/model/eInvoices.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import { buildListSearch } from '../../tenancy/searchedList.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { countUnionSales } from '../tax/countUnionSales.ts';
import { takeDocumentNumber } from './documentNumbers.ts';
import { planEInvoice, queuePlanned } from './eInvoiceQueue.ts';
import { freezeCreditNote } from './frozenDocuments.ts';
import type { InvoiceLineRow, InvoiceRow } from './invoices.ts';
import { describeAmount, matchAmount, type AmountFilter } from '../payments/amountFilter.ts';
import { isChargeLine, sumGivenBack } from '../payments/returns.ts';

export type CreditNoteRow = Row<'creditNotes'>;

/** Why and how an amount is credited. */
export interface NoteTerms {
  kind: CreditNoteRow['kind'];
  reason?: string | null | undefined;
  memo?: string | null;
}

/** Lists what can still be credited of the lines of an invoice. */
export async function listCreditable(
  reads: Reads,
  invoiceId: string,
  lines: InvoiceLineRow[],
): Promise<Creditable[]> {
  const notes = await reads.many('creditNotes', { where: { invoiceId, status: 'issued' } });
  const earlier = notes.flatMap((note) => note.lines);
  return lines
    .filter(isChargeLine)
    .map((line) => findCreditable({ ...line, givenBackMinor: sumGivenBack(line) }, earlier));
}

/** The parts of lines that a request credits; amounts in minor units, as the lines are priced. */
export interface CreditedPart {
  lineId: string;
  amountMinor: bigint;
}

/**
 * Builds the lines of a credit note from the parts of lines that it credits. Errors: `invoice_line_not_found`,
 * `credit_too_large`, both at `lines.<index>`.
 */
export function creditParts(left: Creditable[], parts: CreditedPart[], currency: string): CreditNoteLine[] {
  const found = parts.map(({ lineId, amountMinor }, index) => {
    const line = left.find(({ id }) => id === lineId);
    const path = `lines.${index}`;
    if (!line) return refuse('invoice_line_not_found', { path: `${path}.lineId`, message: 'does not exist' });
    const mostMinor = findLeftAsPriced(line);
    if (amountMinor > mostMinor) refuseLarge(mostMinor, currency, `${path}.amount`);
    return { line, amountMinor };
  });
  return creditPriced(found);
}

/** Builds the lines of a credit note over an amount with tax. Error: `credit_too_large`. */
export function creditTotal(left: Creditable[], amountMinor: bigint, currency: string): CreditNoteLine[] {
  const mostMinor = left.reduce((total, line) => total + line.leftMinor, 0n);
  if (amountMinor > mostMinor) refuseLarge(mostMinor, currency, 'amount');
  return creditAmount(left, amountMinor);
}

const refuseLarge = (mostMinor: bigint, currency: string, path: string): never =>
  refuse('credit_too_large', { path, ...moreThanLeft(mostMinor, currency) });

/** Issues a credit note with the next number. The amounts are counted by the caller. */
export async function issueCreditNote(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  lines: CreditNoteLine[],
  { kind, reason = null, memo = null, paymentId = null }: NoteTerms & { paymentId?: string | null },
): Promise<CreditNoteRow> {
  const { id: invoiceId, customerId, currency } = invoice;
  const { eInvoiceFormats } = unit.tenant;
  const customer = eInvoiceFormats ? await unit.one('customers', { id: customerId }) : undefined;
  const note = await unit.create(
    'creditNotes',
    {
      id: unit.id('cn'),
      documentNumber: await takeDocumentNumber(unit, 'credit_note'),
      invoiceId,
      customerId,
      kind,
      status: 'issued',
      reason,
      memo,
      currency,
      totalMinor: sumNote(lines),
      taxes: sumNoteTaxes(lines),
      lines,
      paymentId,
      issuedAt: unit.now,
      eInvoiceStatus: planEInvoice(unit.tenant, customer),
      createdAt: unit.now,
      updatedAt: unit.now,
    },
    { causedBy: invoiceId },
  );
  await countNoteSales(unit, note, invoice, -1n);
  await freezeCreditNote(unit, note, invoice);
  await queuePlanned(unit, 'credit_note', note, customer);
  return note;
}

/** Takes the sales of a credit note to other member states off, or counts them again. */
export const countNoteSales = (
  unit: UnitOfWork,
  { currency, taxes, issuedAt }: CreditNoteRow,
  { taxCountry }: Pick<InvoiceRow, 'taxCountry'>,
  sign: 1n | -1n,
): Promise<void> => countUnionSales(unit, { currency, taxes, country: taxCountry }, { at: issuedAt, sign });

/** Counts the lines of a credit note on the lines of its invoice, as refunded or as credited. */
export async function countNote(
  unit: UnitOfWork,
  column: 'refundedMinor' | 'creditedMinor',
  noteLines: CreditNoteLine[],
  sign: 1n | -1n = 1n,
): Promise<void> {
  for (const each of noteLines) {
    const line = (await unit.one('invoiceLines', { id: each.lineId }))!;
    const counted = { [column]: (line[column] ?? 0n) + sign * sumNote([each]) };
    await unit.updateUntraced('invoiceLines', { id: line.id }, counted);
  }
}

/** Returns the credit note with this id. Error: `credit_note_not_found`. */
export const findCreditNote = async (reads: Reads, id: string): Promise<CreditNoteRow> =>
  (await reads.one('creditNotes', { id })) ?? refuse('credit_note_not_found');

interface CreditNoteFilter extends AmountFilter {
  invoiceId?: string | null;
  customerId?: string | null;
  kind?: CreditNoteRow['kind'] | null;
  status?: CreditNoteRow['status'] | null;
  eInvoiceStatus?: EInvoiceStatus | null;
  search?: string | null;
}

/**
 * Lists the tenant's credit notes; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`,
 * those of `matchAmount`.
 */
export function listCreditNotes(
  tenant: TenantScope,
  { invoiceId, customerId, kind, status, eInvoiceStatus, search: text, ...amounts }: CreditNoteFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<CreditNoteRow>> {
  const matched = matchAmount(amounts);
  const byCustomer = { customerId: customerId ?? undefined };
  const others = {
    kind: kind ?? undefined,
    status: status ?? undefined,
    currency: matched.currency,
    totalMinor: matched.amount,
  };
  const byEInvoice = { eInvoiceStatus: eInvoiceStatus ?? undefined };
  const [where, filter] = invoiceId
    ? [{ invoiceId }, { ...byCustomer, ...others, ...byEInvoice }]
    : customerId || !eInvoiceStatus
      ? [byCustomer, { ...others, ...byEInvoice }]
      : [byEInvoice, others];
  const request = { invoiceId, customerId, kind, status, eInvoiceStatus, amount: describeAmount(matched) };
  const search = buildListSearch(text, 'credit_note');
  const list = { name: 'creditNotes', table: 'creditNotes', where, filter, request, search } as const;
  return readCreatedPage(tenant, list, args);
}
