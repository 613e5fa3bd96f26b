import type { Outcome } from '../providers/provider.ts';
import { addMs } from '../lib/time.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { awaitTransfer, scheduleRetryOrCancel } from './dunning.ts';
import { getFailureReason, markChargePending, recordAttempt } from '../invoicing/payments.ts';
import type { DueRefund } from '../invoicing/refunds.ts';
import type { DueCharge } from './beginRenewal.ts';
import { recordLateOutcome } from './latePayments.ts';
import { payRenewalInvoice } from './payRenewalInvoice.ts';

const askAgainMs = 86_400_000;

/**
 * The second half of a renewal: records the outcome of the charge and moves the subscription to its next period, or
 * into dunning. An outcome that is recorded already changes nothing. Returns the refund to make if the invoice was
 * closed in the meantime.
 */
export async function recordChargeOutcome(
  unit: UnitOfWork,
  { invoiceId, attempt, method }: Pick<DueCharge, 'invoiceId' | 'attempt' | 'method'>,
  outcome: Outcome,
): Promise<DueRefund | undefined> {
  const invoice = (await unit.one('invoices', { id: invoiceId }))!;
  const attempted = {
    kind: 'charge' as const,
    customerId: invoice.customerId,
    provider: method?.provider ?? 'none',
    amountMinor: invoice.totalMinor,
    currency: invoice.currency,
    invoiceId,
  };
  if (invoice.status !== 'open') return recordLateOutcome(unit, attempted, outcome, invoiceId);
  const isKnown = invoice.attempts !== attempt || invoice.chargeStartedAt === null;
  if (outcome.status === 'succeeded') {
    // The outcome is late: another attempt is under way.
    if (isKnown) await markChargePending(unit, invoice);
    const paid = { status: 'succeeded' as const, reference: outcome.reference };
    const payment = await recordAttempt(unit, { ...attempted, ...paid }, invoiceId);
    await payRenewalInvoice(unit, invoice, payment.id);
    return undefined;
  }
  if (isKnown) return undefined;
  const subscription = (await unit.one('subscriptions', { id: invoice.subscriptionId! }))!;
  if (outcome.status === 'pending' && outcome.reference !== null) {
    // The money is on its way, as with a bank debit. A second charge would take it twice, so ask about this one again.
    const { pausedAt, cancelAtPeriodEnd } = subscription;
    const dueAt = pausedAt && !cancelAtPeriodEnd ? null : addMs(unit.now, askAgainMs);
    await unit.change('subscriptions', subscription, { dueAt });
    return undefined;
  }
  if (outcome.status === 'pending') {
    await awaitTransfer(unit, subscription, invoice, invoiceId);
    return undefined;
  }
  const failed = { ...attempted, status: 'failed' as const, failureReason: getFailureReason(outcome) };
  const payment = await recordAttempt(unit, failed, invoiceId);
  await scheduleRetryOrCancel(unit, subscription, invoice, payment.id);
  return undefined;
}
