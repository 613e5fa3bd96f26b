import type { Outcome } from '../providers/provider.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { getFailureReason, recordAttempt, type PaymentAttempt } from './payments.ts';
import { startRefund, type DueRefund } from './refunds.ts';

/**
 * Records the outcome of a charge whose invoice or intent was closed in the meantime. Money that came is refunded:
 * returns the refund to make, which is recorded already. An outcome that is recorded already changes nothing.
 */
export async function recordLateOutcome(
  unit: UnitOfWork,
  attempted: Omit<PaymentAttempt, 'status'>,
  outcome: Outcome,
  causedBy: string,
): Promise<DueRefund | undefined> {
  if (outcome.status === 'pending') return undefined;
  const { invoiceId, intentId } = attempted;
  const subject = invoiceId ? { invoiceId } : { intentId };
  const pending = await unit.one('payments', { ...subject, kind: 'charge', status: 'pending' });
  if (outcome.status !== 'succeeded') {
    const failed = { status: 'failed' as const, failureReason: getFailureReason(outcome) };
    if (pending) await unit.change('payments', pending, failed, { action: 'failed' });
    return undefined;
  }
  const { reference } = outcome;
  const known = await unit.one('payments', { ...subject, kind: 'charge', status: 'succeeded', reference });
  if (known) return undefined;
  const paid = { status: 'succeeded' as const, reference };
  const payment = pending
    ? await unit.change('payments', pending, paid, { action: 'succeeded' })
    : await recordAttempt(unit, { ...attempted, ...paid }, causedBy);
  return startRefund(unit, payment, payment.amountMinor);
}
