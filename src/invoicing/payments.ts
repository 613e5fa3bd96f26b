import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Outcome } from '../providers/provider.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

type PaymentRow = Row<'payments'>;

/** One try to move money, as the provider answered it. */
export interface PaymentAttempt {
  kind: PaymentRow['kind'];
  status: PaymentRow['status'];
  customerId: string;
  provider: string;
  amountMinor: bigint;
  currency: string;
  intentId?: string | null;
  invoiceId?: string | null;
  chargeId?: string | null;
  reference?: string | null;
  failureReason?: string;
  receivedAt?: string;
  toBalanceMinor?: bigint;
}

/** Records a try: each is one PaymentEvent, caused by what it was for. */
export function recordAttempt(
  unit: UnitOfWork,
  attempt: PaymentAttempt,
  causedBy: string,
): MaybePromise<PaymentRow> {
  const {
    intentId = null,
    invoiceId = null,
    chargeId = null,
    reference = null,
    failureReason = null,
    receivedAt = null,
    toBalanceMinor = null,
  } = attempt;
  const action = attempt.kind === 'refund' ? (`refund_${attempt.status}` as const) : attempt.status;
  return unit.create(
    'payments',
    {
      id: unit.id('pay'),
      ...attempt,
      intentId,
      invoiceId,
      chargeId,
      reference,
      failureReason,
      receivedAt,
      toBalanceMinor,
      createdAt: unit.now,
    },
    { action, causedBy },
  );
}

/**
 * Sets aside the charge that is under way for an invoice which is closed otherwise: it is asked about until its
 * outcome is known, and what it brings is given back.
 */
export async function markChargePending(unit: UnitOfWork, invoice: Row<'invoices'>): Promise<void> {
  const {
    id: invoiceId,
    chargeStartedAt,
    chargeProvider: provider,
    totalMinor,
    customerId,
    currency,
  } = invoice;
  if (chargeStartedAt === null || provider === null) return;
  const left = { kind: 'charge' as const, status: 'pending' as const, amountMinor: totalMinor, invoiceId };
  await recordAttempt(unit, { ...left, customerId, provider, currency }, invoiceId);
}

/** Why a try failed: a payer who is away cannot confirm anything, which for this try is a decline. */
export const getFailureReason = (outcome: Outcome) =>
  outcome.status === 'declined' ? outcome.reason : 'action_required';
