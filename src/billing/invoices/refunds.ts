import * as z from 'zod';
import { BillingError, notPositive, refuse } from '../../lib/errors.ts';
import { formatMoney, moreThanLeft } from '../../lib/money.ts';
import { parseInput } from '../../lib/validation.ts';
import { printedName } from '../../tenants/parties.ts';
import { parseMoneyIn, type AmountInput } from '../catalog/amounts.ts';
import type { Refund, RefundOutcome } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { returnCredits, returnGrants } from './credits.ts';
import { takeBackTopUp } from './creditGrants.ts';
import { computePaid, computeRefundable, sumKept, uncountRefund } from '../payments/returns.ts';
import {
  countNote,
  countNoteSales,
  issueCreditNote,
  listCreditable,
  type CreditNoteRow,
  type NoteTerms,
} from './creditNotes.ts';
import { ensureFinal } from './finalization.ts';
import { listLineUses } from '../pricing/creditGrants.ts';
import { creditAmount, sumNote } from '../pricing/creditNotes.ts';
import type { CreditNoteLine } from '../../storage/model/common.ts';
import { findInvoice, listInvoiceLines, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';
import { computeMoneyLeft, findPaidCharge, coverWithdrawn } from './reversals.ts';
import { startRefund, type DueRefund } from '../payments/dueRefunds.ts';

type PaymentRow = Row<'payments'>;

/** How much is refunded, by default all that is left, and why. */
interface RefundTerms {
  amount?: AmountInput | null | undefined;
  reason?: string | null | undefined;
}

const refundReason = z.object({ reason: printedName.nullish() });

/**
 * Refunds an invoice in full, or `amount` of it; the credit note has the `reason`. Money is refunded first, to its source; the part paid
 * from the customer's balance returns to the balance. Never refunds more than was paid less credits from plan changes,
 * even if called repeatedly. Errors: `invoice_not_found`, `invoice_not_paid`, `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`, `refund_too_large`, `payment_failed`, `unavailable` (the refund is recorded
 * and made later).
 */
export async function refundInvoice(
  tenant: SteppedTenant,
  id: string,
  { amount, reason: given }: RefundTerms = {},
): Promise<InvoiceRow> {
  const { reason } = parseInput(refundReason, { reason: given });
  const { value: due } = await tenant.checkpoint('refund begun', (unit) =>
    beginRefund(unit, id, { amount, reason }),
  );
  if (due) await settleRefund(tenant, due);
  return findInvoice(tenant.read, id);
}

/** Makes a refund that was begun. Errors: `payment_failed`, `unavailable` (it is made later). */
export async function settleRefund(tenant: SteppedTenant, due: DueRefund): Promise<void> {
  const outcome = await makeRefund(tenant, due);
  if (!outcome)
    throw new BillingError(
      'unavailable',
      [{ path: 'id', message: 'the payment provider could not be reached' }],
      5,
    );
  if (outcome.status === 'declined') refuse('payment_failed', { path: 'id', message: outcome.reason });
}

async function beginRefund(
  unit: UnitOfWork,
  id: string,
  { amount, reason }: RefundTerms,
): Promise<DueRefund | undefined> {
  const found = await findInvoice(unit, id);
  const lines = await listInvoiceLines(unit, found);
  if (computePaid(found, lines) === 0n) return refuse('invoice_not_paid');
  const amountMinor = computeRefundAmount(found, lines, amount);
  const invoice = await ensureFinal(unit, found);
  const noteLines = creditAmount(await listCreditable(unit, id, lines), amountMinor);
  return (await beginNotedRefund(unit, { invoice, lines }, noteLines, { kind: 'refund', reason })).due;
}

/** A credit note, and the refund that pays it out; none if it goes to the balance alone. */
interface NotedRefund {
  noteId: string;
  due?: DueRefund;
}

/**
 * Counts a refund and issues its credit note before it is made, so that concurrent refunds cannot exceed the amount paid.
 * A refund that goes to the balance alone is completed here. Error: `refund_too_large`.
 */
export async function beginNotedRefund(
  unit: UnitOfWork,
  { invoice, lines }: { invoice: InvoiceRow; lines: InvoiceLineRow[] },
  noteLines: CreditNoteLine[],
  terms: NoteTerms,
): Promise<NotedRefund> {
  const amountMinor = sumNote(noteLines);
  if (amountMinor > computeRefundable(invoice, lines)) refuseLarge(invoice, lines);
  if (invoice.topUp !== null) await takeBackTopUp(unit, invoice, amountMinor === invoice.totalMinor);
  await countNote(unit, 'refundedMinor', noteLines);
  const charge = await findPaidCharge(unit, invoice);
  const moneyLeftMinor = charge ? await computeMoneyLeft(unit, charge) : 0n;
  const moneyMinor = amountMinor < moneyLeftMinor ? amountMinor : moneyLeftMinor;
  const counted = {
    refundedMinor: invoice.refundedMinor + amountMinor,
    creditedMinor: (invoice.creditedMinor ?? 0n) + amountMinor,
  };
  if (!charge || moneyMinor === 0n) {
    await unit.change('invoices', invoice, counted, { action: 'refunded_to_balance' });
    await returnCredits(unit, invoice, amountMinor);
    await returnGrantsOfRefunded(unit, invoice);
    return { noteId: (await issueCreditNote(unit, invoice, noteLines, terms)).id };
  }
  await unit.change('invoices', invoice, counted, { action: 'refund_started' });
  const due = await startRefund(unit, charge, moneyMinor, amountMinor - moneyMinor);
  const note = await issueCreditNote(unit, invoice, noteLines, { ...terms, paymentId: due.payment.id });
  return { noteId: note.id, due };
}

function computeRefundAmount(
  invoice: InvoiceRow,
  lines: InvoiceLineRow[],
  amount?: AmountInput | null,
): bigint {
  const { currency } = invoice;
  const leftMinor = computeRefundable(invoice, lines);
  const amountMinor = amount ? parseMoneyIn(amount, currency, 'amount') : leftMinor;
  if (amount && amountMinor === 0n) refuse('validation_failed', { path: 'amount', ...notPositive });
  if (amountMinor > 0n && amountMinor <= leftMinor) return amountMinor;
  return refuseLarge(invoice, lines);
}

function refuseLarge(invoice: InvoiceRow, lines: InvoiceLineRow[]): never {
  const { currency, refundedMinor } = invoice;
  const leftMinor = computeRefundable(invoice, lines);
  const creditedMinor = lines.reduce((sum, line) => sum + (line.creditedMinor ?? 0n), 0n);
  const format = (minor: bigint) => formatMoney(minor, currency);
  return refuse('refund_too_large', {
    path: 'amount',
    ...moreThanLeft(leftMinor, currency),
    message: `at most ${format(leftMinor)} is left: ${format(refundedMinor)} was refunded, ${format(creditedMinor)} credited`,
  });
}

/** Makes a refund and records the outcome. Returns undefined if the provider could not be reached. */
export async function makeRefund(
  tenant: SteppedTenant,
  { refund, payment }: DueRefund,
): Promise<RefundOutcome | undefined> {
  const outcome = await requestRefund(tenant, payment.provider, refund);
  if (outcome) await tenant.writeStep((unit) => recordRefundOutcome(unit, payment.id, outcome));
  return outcome;
}

async function requestRefund(tenant: SteppedTenant, provider: string, refund: Refund) {
  try {
    return await findProvider(await tenant.loadProviders(), provider, tenant.record).refund(refund);
  } catch {
    // The refund may have been made. It stays pending, and reconciliation repeats it with the same key.
    return undefined;
  }
}

/**
 * Records the outcome of a refund. A refund that the provider has not paid out yet stays pending. A refund that fails,
 * even after it was reported as made, may be made again. A repeated outcome, or one for an unknown payment, changes
 * nothing.
 */
export async function recordRefundOutcome(
  unit: UnitOfWork,
  paymentId: string,
  outcome: RefundOutcome,
): Promise<void> {
  // What the provider made by itself has its reference, and is not a refund of this server.
  const payment = await unit.one('payments', { id: paymentId, kind: 'refund', reference: null });
  if (!payment || outcome.status === 'pending') return;
  if (outcome.status === 'declined') return recordFailedRefund(unit, payment);
  if (payment.status !== 'pending') return;
  await unit.change('payments', payment, { status: 'succeeded' }, { action: 'refund_succeeded' });
  if (payment.invoiceId === null) return;
  const invoice = await findInvoice(unit, payment.invoiceId);
  if (payment.toBalanceMinor) await returnCredits(unit, invoice, payment.toBalanceMinor);
  await returnGrantsOfRefunded(unit, invoice);
}

/** Returns what credit grants took off the lines of an invoice before tax, once nothing of it is kept. */
async function returnGrantsOfRefunded(unit: UnitOfWork, invoice: InvoiceRow): Promise<void> {
  const lines = await listInvoiceLines(unit, invoice);
  if (lines.some((line) => listLineUses(line).length > 0) && sumKept(lines) === 0n)
    await returnGrants(unit, invoice);
}

async function recordFailedRefund(unit: UnitOfWork, payment: PaymentRow): Promise<void> {
  if (payment.status === 'failed') return;
  await unit.change('payments', payment, { status: 'failed' }, { action: 'refund_failed' });
  if (payment.invoiceId === null) return;
  const invoice = await findInvoice(unit, payment.invoiceId);
  const charge = await findPaidCharge(unit, invoice);
  if (!charge || charge.id !== payment.chargeId) return;
  // The part returned to the balance stays there: it was returned when the provider reported the refund as made.
  const unreturnedMinor = payment.status === 'pending' ? (payment.toBalanceMinor ?? 0n) : 0n;
  const failedMinor = payment.amountMinor + unreturnedMinor;
  const note = await unit.one('creditNotes', { paymentId: payment.id, status: 'issued' });
  if (note) await voidNote(unit, invoice, note, failedMinor);
  // A refund of a release without credit notes has none.
  else await uncountRefund(unit, await listInvoiceLines(unit, invoice), failedMinor);
  const uncounted = {
    refundedMinor: invoice.refundedMinor - failedMinor,
    creditedMinor: note ? (invoice.creditedMinor ?? 0n) - failedMinor : invoice.creditedMinor,
  };
  await unit.change('invoices', invoice, uncounted, { action: 'refund_failed', causedBy: payment.id });
  await coverWithdrawn(unit, charge);
}

/** Voids the credit note of a failed refund. The part that returned to the balance gets a credit note of its own. */
async function voidNote(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  failedMinor: bigint,
): Promise<void> {
  const { paymentId, totalMinor, reason, memo } = note;
  await unit.change(
    'creditNotes',
    note,
    { status: 'void' },
    { action: 'voided', causedBy: paymentId ?? undefined },
  );
  await countNote(unit, 'refundedMinor', note.lines, -1n);
  await countNoteSales(unit, note, invoice, 1n);
  const keptMinor = totalMinor - failedMinor;
  if (keptMinor === 0n) return;
  const left = await listCreditable(unit, invoice.id, await listInvoiceLines(unit, invoice));
  const noteLines = creditAmount(left, keptMinor);
  await countNote(unit, 'refundedMinor', noteLines);
  await issueCreditNote(unit, invoice, noteLines, { kind: 'refund', reason, memo });
}
