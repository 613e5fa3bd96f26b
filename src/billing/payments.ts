import type { Row } from '../db/schema.ts';
import type { Unit } from '../tenants/unit.ts';

type PaymentRow = Row<'payments'>;

/** One try to move money, as the provider answered it. */
export interface Try {
  kind: PaymentRow['kind'];
  status: PaymentRow['status'];
  customerId: string;
  provider: string;
  amountMinor: bigint;
  currency: string;
  intentId?: string | null;
  invoiceId?: string | null;
  reference?: string | null;
  failureReason?: string;
  receivedAt?: string;
}

/** Records a try: each is one PaymentEvent, caused by what it was for. */
export function recordTry(unit: Unit, attempt: Try, because: string): Promise<PaymentRow> {
  const {
    intentId = null,
    invoiceId = null,
    reference = null,
    failureReason = null,
    receivedAt = null,
  } = attempt;
  const action = attempt.kind === 'refund' ? `refund_${attempt.status}` : attempt.status;
  return unit.create(
    'payments',
    {
      id: unit.id('pay'),
      ...attempt,
      intentId,
      invoiceId,
      reference,
      failureReason,
      receivedAt,
      createdAt: unit.now,
    },
    { action, because },
  );
}
