/** Money that a provider takes back without a request of this server: refunds made there, and disputes. */
import { leastOf } from '../../lib/money.ts';
import type { Reversal, ReversalCallback } from '../../providers/provider.ts';
import { creditAmount } from '../pricing/creditNotes.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { EventAction } from '../../tenancy/traces/eventTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { countNote, countNoteSales, issueCreditNote, listCreditable } from './creditNotes.ts';
import { ensureFinal } from './finalization.ts';
import { findInvoice, listInvoiceLines, type InvoiceRow } from './invoices.ts';
import { recordAttempt } from '../payments/payments.ts';
import { sumKept } from '../payments/returns.ts';

type PaymentRow = Row<'payments'>;

const referenceForm = /^[\w-]{1,200}$/;
const longestReason = 200;
const intentPrefix = 'int_';

/**
 * Records what a provider reports about a charge. A repeated, outdated or foreign report changes nothing: `idempotencyKey`
 * and `chargeReference` must be those of a charge of the tenant.
 */
export async function recordReversal(
  unit: UnitOfWork,
  provider: string,
  { idempotencyKey, chargeReference: reference, reversal }: ReversalCallback,
): Promise<void> {
  const id = idempotencyKey.slice(0, idempotencyKey.lastIndexOf('_'));
  const subject = id.startsWith(intentPrefix) ? { intentId: id } : { invoiceId: id };
  const charged = { ...subject, kind: 'charge' as const, status: 'succeeded' as const };
  const charge = await unit.one('payments', { ...charged, provider, reference });
  if (charge) await recordChargeReversal(unit, charge, reversal);
}

/**
 * Records a refund or dispute of a charge, and counts it on the invoice that the charge has paid. Never counts more than
 * the charge. Returns its payment; undefined if there is nothing to record.
 */
export async function recordChargeReversal(
  unit: UnitOfWork,
  charge: PaymentRow,
  reversal: Reversal,
): Promise<PaymentRow | undefined> {
  const { currency, reference } = reversal;
  const described = describeState(reversal);
  const { kind, ...state } = described;
  if (currency !== charge.currency || reversal.amountMinor <= 0n) return undefined;
  if (!referenceForm.test(reference)) return undefined;
  const all = await listReversals(unit, charge);
  const known = all.find((each) => each.kind === kind && each.reference === reference);
  if (known && !isNews(known, reversal)) return known;
  const takenMinor = known ? getTaken(known) : 0n;
  const amountMinor =
    known && takenMinor > 0n
      ? known.amountMinor
      : leastOf(reversal.amountMinor, computeLeft(charge, all, reference));
  if (amountMinor <= 0n && kind === 'refund') return undefined;
  const action = chooseAction(known, reversal);
  const { id: chargeId, customerId, provider, invoiceId, intentId, metadata } = charge;
  const origin = { chargeId, customerId, provider, currency, invoiceId, intentId, metadata, reference };
  const payment = known
    ? await unit.change('payments', known, { ...state, amountMinor }, { action })
    : await recordAttempt(unit, { ...origin, ...described, amountMinor }, chargeId, action);
  if (invoiceId === null) return payment;
  const invoice = await findInvoice(unit, invoiceId);
  if ((await findPaidCharge(unit, invoice))?.id !== chargeId) return payment;
  await count(unit, invoice, payment, takenMinor);
  if (getTaken(payment) < takenMinor) await coverWithdrawn(unit, charge);
  return payment;
}

/**
 * Returns what other refunds and disputes have left of a charge. Refunds that were begun here and have no outcome do not
 * count: the provider refuses them if it has made this one.
 */
function computeLeft(charge: PaymentRow, all: PaymentRow[], reference: string): bigint {
  const certain = all.filter(
    (each) => each.reference !== reference && (each.reference !== null || each.status === 'succeeded'),
  );
  return certain.reduce((left, each) => left - getTaken(each), charge.amountMinor);
}

/** Callbacks arrive in any order: what has failed or was decided is not pending again. */
function isNews(known: PaymentRow, reversal: Reversal): boolean {
  const state = describeState(reversal);
  if (state.kind === 'refund')
    return known.status === 'pending' ? state.status !== 'pending' : state.status === 'failed';
  const { disputeStatus: was } = known;
  const { disputeStatus: is } = state;
  const isDecided = was === 'won' || was === 'lost';
  if (isDecided && is !== 'won' && is !== 'lost') return false;
  if (known.status === 'succeeded' && state.status === 'pending') return false;
  return (
    was !== is || known.disputeReason !== state.disputeReason || known.evidenceDueAt !== state.evidenceDueAt
  );
}

type State =
  | { kind: 'refund'; status: PaymentRow['status']; failureReason?: string }
  | ({ kind: 'dispute' } & Pick<PaymentRow, 'status' | 'disputeStatus' | 'disputeReason' | 'evidenceDueAt'>);

/** Returns the columns of the payment that a provider's report sets. */
function describeState(reversal: Reversal): State {
  const { type: kind } = reversal;
  if (kind === 'refund') {
    const { status, reason } = reversal;
    if (status !== 'declined') return { kind, status };
    return { kind, status: 'failed', failureReason: cleanReason(reason) ?? 'failed' };
  }
  const { status: disputeStatus, reason, evidenceDueAt } = reversal;
  const isBack = disputeStatus === 'won' || disputeStatus === 'inquiry_closed';
  const status = disputeStatus === 'inquiry' ? 'pending' : isBack ? 'failed' : 'succeeded';
  return { kind, status, disputeStatus, disputeReason: cleanReason(reason), evidenceDueAt };
}

/** The secret of an account can sign any text; the reasons of providers are words. */
const cleanReason = (reason: string | null | undefined): string | null =>
  reason?.replace(/[^\w .-]/g, '').slice(0, longestReason) || null;

function chooseAction(known: PaymentRow | undefined, reversal: Reversal): EventAction<'PaymentEvent'> {
  const { status } = describeState(reversal);
  if (reversal.type === 'refund') return `refund_${status}`;
  if (reversal.status === 'lost') return known?.disputeStatus === 'lost' ? 'dispute_updated' : 'dispute_lost';
  if (status === 'failed') return known?.status === 'failed' ? 'dispute_updated' : 'dispute_won';
  return known ? 'dispute_updated' : 'dispute_opened';
}

/**
 * Counts what a refund or dispute takes on its invoice; it took `beforeMinor` before. Refunds and lost disputes get a
 * credit note over what the lines have left; the rest, and open disputes, count as withdrawn.
 */
async function count(
  unit: UnitOfWork,
  found: InvoiceRow,
  payment: PaymentRow,
  beforeMinor: bigint,
): Promise<void> {
  const { id: paymentId, kind, disputeStatus } = payment;
  const takenMinor = getTaken(payment);
  const notes = await unit.many('creditNotes', { where: { paymentId, status: 'issued' } });
  const notedMinor = notes.reduce((sum, { totalMinor }) => sum + totalMinor, 0n);
  const lines = await listInvoiceLines(unit, found);
  const isFinal = kind === 'refund' || disputeStatus === 'lost';
  const targetMinor = isFinal ? leastOf(takenMinor, notedMinor + sumKept(lines)) : 0n;
  const addedMinor = targetMinor - notedMinor;
  const withdrawnMinor =
    (found.withdrawnMinor ?? 0n) + (takenMinor - targetMinor) - (beforeMinor - notedMinor);
  if (addedMinor === 0n && withdrawnMinor === (found.withdrawnMinor ?? 0n)) return;
  const invoice = addedMinor > 0n ? await ensureFinal(unit, found) : found;
  if (addedMinor < 0n)
    for (const note of notes) {
      await unit.change('creditNotes', note, { status: 'void' }, { action: 'voided', causedBy: paymentId });
      await countNote(unit, 'refundedMinor', note.lines, -1n);
      await countNoteSales(unit, note, found, 1n);
    }
  const noteLines =
    addedMinor > 0n ? creditAmount(await listCreditable(unit, invoice.id, lines), addedMinor) : [];
  await countNote(unit, 'refundedMinor', noteLines);
  const counted = {
    refundedMinor: invoice.refundedMinor + addedMinor,
    creditedMinor: (invoice.creditedMinor ?? 0n) + addedMinor,
    withdrawnMinor: withdrawnMinor === 0n ? null : withdrawnMinor,
  };
  const action = chooseInvoiceAction(payment, takenMinor);
  const after = await unit.change('invoices', invoice, counted, { action, causedBy: paymentId });
  if (addedMinor <= 0n) return;
  const reason = kind === 'dispute' ? 'chargeback' : null;
  await issueCreditNote(unit, after, noteLines, { kind: 'refund', reason, paymentId });
}

function chooseInvoiceAction(
  { kind, disputeStatus }: PaymentRow,
  takenMinor: bigint,
): EventAction<'InvoiceEvent'> {
  if (kind === 'refund') return takenMinor > 0n ? 'refund_reported' : 'refund_failed';
  return takenMinor > 0n && disputeStatus !== 'lost' ? 'disputed' : 'dispute_closed';
}

/**
 * Issues the credit notes that exceeded the creditable rest of an invoice's lines, after a refund or dispute gave some back:
 * its provider may have refused a refund of this server because another was made there.
 */
export async function coverWithdrawn(unit: UnitOfWork, charge: PaymentRow): Promise<void> {
  if (charge.invoiceId === null) return;
  for (const payment of await listReversals(unit, charge)) {
    const invoice = await findInvoice(unit, charge.invoiceId);
    if (!invoice.withdrawnMinor) return;
    const isReported = payment.reference !== null && getTaken(payment) > 0n;
    if (isReported) await count(unit, invoice, payment, getTaken(payment));
  }
}

/**
 * Returns the charge that paid an invoice: the first successful one of its amount. Later charges were not owed, and one with a
 * reason brought another amount.
 */
export async function findPaidCharge(
  unit: UnitOfWork,
  { id, status }: Pick<Row<'invoices'>, 'id' | 'status'>,
): Promise<PaymentRow | undefined> {
  if (status !== 'paid') return undefined;
  const [first] = await unit.many('payments', {
    where: { invoiceId: id, kind: 'charge', status: 'succeeded', failureReason: null },
    orderBy: ['createdAt', 'id'],
    limit: 1,
  });
  return first;
}

/** Lists the refunds and disputes of a charge. */
async function listReversals(
  unit: UnitOfWork,
  { id, invoiceId, intentId }: PaymentRow,
): Promise<PaymentRow[]> {
  const subject = invoiceId === null ? { intentId, invoiceId } : { invoiceId };
  const payments = await unit.many('payments', { where: subject, orderBy: ['createdAt', 'id'] });
  return payments.filter(({ chargeId }) => chargeId === id);
}

/** Returns what a refund or a dispute takes from its charge, in minor units. A pending refund counts. */
export const getTaken = ({ kind, status, amountMinor }: PaymentRow): bigint =>
  status === 'succeeded' || (kind === 'refund' && status === 'pending') ? amountMinor : 0n;

/** Returns the part of a charge that was not taken back, in minor units. */
export const computeMoneyLeft = async (unit: UnitOfWork, charge: PaymentRow): Promise<bigint> =>
  (await listReversals(unit, charge)).reduce((left, each) => left - getTaken(each), charge.amountMinor);
