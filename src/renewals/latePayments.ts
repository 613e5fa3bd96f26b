import type { Outcome } from '../providers/provider.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { getFailureReason, recordAttempt, type PaymentAttempt } from '../invoicing/payments.ts';
import { startRefund, type DueRefund } from '../invoicing/refunds.ts';

/**
 * Keeps what became of a charge that nobody owes any more, because its invoice or intent was closed meanwhile.
 * Money that came is to be given back: answers the refund to make, which is on record already. What is known
 * changes nothing.
 */
export async function settleUnowed(
  unit: UnitOfWork,
  told: Omit<PaymentAttempt, 'status'>,
  outcome: Outcome,
  causedBy: string,
): Promise<DueRefund | undefined> {
  if (outcome.status === 'pending') return undefined;
  const { invoiceId, intentId } = told;
  const whose = invoiceId ? { invoiceId } : { intentId };
  const left = await unit.one('payments', { ...whose, kind: 'charge', status: 'pending' });
  if (outcome.status !== 'succeeded') {
    const failed = { status: 'failed' as const, failureReason: getFailureReason(outcome) };
    if (left) await unit.change('payments', left, failed, { action: 'failed' });
    return undefined;
  }
  const { reference } = outcome;
  const known = await unit.one('payments', { ...whose, kind: 'charge', status: 'succeeded', reference });
  if (known) return undefined;
  const paid = { status: 'succeeded' as const, reference };
  const payment = left
    ? await unit.change('payments', left, paid, { action: 'succeeded' })
    : await recordAttempt(unit, { ...told, ...paid }, causedBy);
  return startRefund(unit, payment, payment.amountMinor);
}
