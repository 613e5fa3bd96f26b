/** Issuing a credit note on request, and what follows for the money. */
import * as z from 'zod';
import { grantCredit, returnCredits } from './credits.ts';
import {
  countNote,
  creditParts,
  creditTotal,
  findCreditNote,
  issueCreditNote,
  listCreditable,
  type CreditNoteRow,
  type NoteTerms,
} from './creditNotes.ts';
import { ensureFinal } from './finalization.ts';
import { findInvoice, listInvoiceLines, type InvoiceRow } from './invoices.ts';
import { startsOnPayment } from '../payments/paymentTerms.ts';
import type { DueRefund } from '../payments/dueRefunds.ts';
import { beginNotedRefund, settleRefund } from './refunds.ts';
import { computeOwed, computeReduction, sumCreditsForTime } from '../payments/returns.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { amountInput, parseMoneyIn, type AmountInput } from '../catalog/amounts.ts';
import { parseInput } from '../../lib/validation.ts';
import { sumNote, type Creditable } from '../pricing/creditNotes.ts';
import type { CreditNoteLine } from '../../storage/model/common.ts';
import { printedLines, printedName } from '../../tenants/parties.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { payOpenInvoice } from './payOpenInvoice.ts';

const mostLines = 500;

const newCreditNote = z.object({
  invoiceId: z.string(),
  amount: amountInput.nullish(),
  lines: z
    .array(z.object({ lineId: z.string(), amount: amountInput }))
    .min(1, 'must be at least one')
    .max(mostLines, `must be at most ${mostLines}`)
    .refine(
      (lines) => new Set(lines.map(({ lineId }) => lineId)).size === lines.length,
      'must name each line once',
    )
    .nullish(),
  kind: z.enum(['refund', 'credit']),
  reason: printedName.nullish(),
  memo: printedLines.nullish(),
});

type NewCreditNote = z.output<typeof newCreditNote>;

/**
 * Issues a credit note over an amount with tax or over parts of lines as they are priced; by default over
 * all that is left. `refund` refunds a paid invoice; `credit` adds to the balance of the customer, or reduces what an
 * open invoice still asks for. Errors: `invoice_not_found`, `invoice_not_finalized`, `invoice_not_paid`,
 * `invoice_not_open`, `invoice_line_not_found`, `credit_too_large`, `refund_too_large`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`, `validation_failed`, `payment_failed`, `unavailable`.
 */
export async function createCreditNote(tenant: SteppedTenant, input: unknown): Promise<CreditNoteRow> {
  const wanted = parseInput(newCreditNote, input);
  if (wanted.lines && wanted.amount)
    refuse('validation_failed', { path: 'amount', message: 'cannot be given together with lines' });
  const { value } = await tenant.checkpoint('credit note issued', (unit) => beginNote(unit, wanted));
  if (value.due) await settleRefund(tenant, value.due);
  return findCreditNote(tenant.read, value.noteId);
}

async function beginNote(
  unit: UnitOfWork,
  wanted: NewCreditNote,
): Promise<{ noteId: string; due?: DueRefund }> {
  const invoice = await ensureFinal(unit, await findInvoice(unit, wanted.invoiceId));
  refuseStatus(invoice, wanted.kind);
  const lines = await listInvoiceLines(unit, invoice);
  const noteLines = chooseLines(await listCreditable(unit, invoice.id, lines), invoice.currency, wanted);
  if (wanted.kind === 'refund') return beginNotedRefund(unit, { invoice, lines }, noteLines, wanted);
  return { noteId: (await creditLines(unit, invoice, noteLines, wanted)).id };
}

/** Credits lines of an invoice to the customer's balance, or reduces what an open invoice still asks for. */
async function creditLines(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  noteLines: CreditNoteLine[],
  terms: NoteTerms,
): Promise<CreditNoteRow> {
  await countNote(unit, 'creditedMinor', noteLines);
  const totalMinor = sumNote(noteLines);
  const note = await issueCreditNote(unit, invoice, noteLines, terms);
  const creditedMinor = (invoice.creditedMinor ?? 0n) + totalMinor;
  if (invoice.status === 'paid') {
    const credited = await unit.change(
      'invoices',
      invoice,
      { creditedMinor },
      { action: 'credited', causedBy: note.id },
    );
    await grantCredit(unit, credited, totalMinor);
  } else await reduceOwed(unit, invoice, { creditedMinor, totalMinor, noteId: note.id });
  return note;
}

/** Credits an amount of a paid invoice, tax included, to the customer's balance by a credit note. */
export async function creditPaidInvoice(
  unit: UnitOfWork,
  paid: InvoiceRow,
  amountMinor: bigint,
  { reason }: { reason: string },
): Promise<void> {
  const invoice = await ensureFinal(unit, paid);
  const left = await listCreditable(unit, invoice.id, await listInvoiceLines(unit, invoice));
  const noteLines = creditTotal(left, amountMinor, invoice.currency);
  await creditLines(unit, invoice, noteLines, { kind: 'credit', reason });
}

/**
 * Reduces what an open invoice asks for; without a rest it is settled. What the note credits beyond that was paid by
 * credits for unused time, which becomes balance, and by the balance, to which it returns.
 */
async function reduceOwed(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  { creditedMinor, totalMinor, noteId }: { creditedMinor: bigint; totalMinor: bigint; noteId: string },
): Promise<void> {
  const lessMinor = computeReduction(invoice, totalMinor);
  const unchargedMinor = (invoice.unchargedMinor ?? 0n) + lessMinor;
  const changes = { creditedMinor, unchargedMinor };
  const reduced = await unit.change('invoices', invoice, changes, { action: 'credited', causedBy: noteId });
  const excessMinor = totalMinor - lessMinor;
  const forTimeMinor = excessMinor > 0n ? sumCreditsForTime(await listInvoiceLines(unit, invoice)) : 0n;
  const grantedMinor = forTimeMinor < excessMinor ? forTimeMinor : excessMinor;
  if (grantedMinor > 0n) await grantCredit(unit, reduced, grantedMinor);
  if (excessMinor > grantedMinor) await returnCredits(unit, reduced, excessMinor - grantedMinor);
  if (computeOwed(reduced) === 0n) await payOpenInvoice(unit, reduced, noteId);
}

function refuseStatus(invoice: InvoiceRow, kind: NewCreditNote['kind']): void {
  const { status, chargeStartedAt } = invoice;
  if (kind === 'refund' && status !== 'paid')
    refuse('invoice_not_paid', { path: 'invoiceId', ...inState(status) });
  if (status === 'void' || status === 'uncollectible')
    refuse('invoice_not_open', { path: 'invoiceId', ...inState(status) });
  if (status !== 'open') return;
  if (chargeStartedAt !== null)
    refuse('invoice_not_open', { path: 'invoiceId', message: 'is being charged: try again later' });
  if (startsOnPayment(invoice) || invoice.intentId !== null)
    refuse('invoice_not_open', {
      path: 'invoiceId',
      message: 'waits for its payment: cancel the intent instead',
    });
}

function chooseLines(
  left: Creditable[],
  currency: string,
  { lines: parts, amount }: NewCreditNote,
): CreditNoteLine[] {
  const noteLines = parts
    ? creditParts(
        left,
        parts.map(({ lineId, amount: part }, index) => ({
          lineId,
          amountMinor: toPositive(part, currency, `lines.${index}.amount`),
        })),
        currency,
      )
    : creditTotal(left, amount ? toPositive(amount, currency, 'amount') : sumLeft(left), currency);
  if (noteLines.length === 0)
    refuse('credit_too_large', {
      path: 'amount',
      message: 'nothing is left of the invoice',
      code: 'nothing_left',
    });
  return noteLines;
}

const sumLeft = (left: { leftMinor: bigint }[]): bigint =>
  left.reduce((sum, { leftMinor }) => sum + leftMinor, 0n);

function toPositive(amount: AmountInput, currency: string, path: string): bigint {
  const amountMinor = parseMoneyIn(amount, currency, path);
  return amountMinor > 0n ? amountMinor : refuse('validation_failed', { path, ...notPositive });
}
