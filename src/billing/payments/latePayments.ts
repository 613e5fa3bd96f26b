import type { Outcome, Sum } from '../../providers/provider.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { describeDecline, getFailureReason, recordAttempt, type AttemptedCharge } from './payments.ts';
import { startRefund, type DueRefund } from './dueRefunds.ts';

/** What came in place of the amount and currency charged. The reason distinguishes it from a charge that pays. */
export interface OtherSum extends Sum {
  failureReason: string;
}

/** Returns what came if it is another amount or currency than was charged; undefined if it is that, or not reported. */
export function findOtherSum(charged: Sum, outcome: Outcome): OtherSum | undefined {
  const received = outcome.status === 'succeeded' ? outcome.received : undefined;
  if (!received) return undefined;
  const { amountMinor, currency, stepMinor = 1n } = received;
  const moreMinor = amountMinor - charged.amountMinor;
  const isRounded = moreMinor < stepMinor && -moreMinor < stepMinor;
  if (currency === charged.currency && isRounded) return undefined;
  return { amountMinor, currency, failureReason: 'other_amount_received' };
}

/**
 * Records the outcome of a charge whose invoice or intent was closed in the meantime. Money that came is refunded:
 * returns the refund to make, which is recorded already. An outcome that is recorded already changes nothing. `other` is what came if
 * it is another sum than was charged.
 */
export async function recordLateOutcome(
  unit: UnitOfWork,
  charge: AttemptedCharge,
  outcome: Outcome,
  causedBy: string,
  other?: OtherSum,
): Promise<DueRefund | undefined> {
  if (outcome.status === 'pending') return undefined;
  const { invoiceId, intentId } = charge;
  const subject = invoiceId ? { invoiceId } : { intentId };
  const pending = await unit.one('payments', { ...subject, kind: 'charge', status: 'pending' });
  if (outcome.status !== 'succeeded') {
    if (!pending) return undefined;
    const failed = describeDecline(pending.provider, getFailureReason(outcome));
    await unit.change('payments', pending, failed, { action: 'failed' });
    return undefined;
  }
  if ((other ?? charge).amountMinor === 0n) return undefined;
  const { reference } = outcome;
  const known = await unit.one('payments', { ...subject, kind: 'charge', status: 'succeeded', reference });
  if (known) return undefined;
  const paid = { status: 'succeeded' as const, reference, ...other };
  const payment = pending
    ? await unit.change('payments', pending, paid, { action: 'succeeded' })
    : await recordAttempt(unit, { ...charge, ...paid }, causedBy);
  return startRefund(unit, payment, payment.amountMinor);
}
