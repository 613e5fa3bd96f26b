import type { Refund } from '../../providers/provider.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recordAttempt } from './payments.ts';

type PaymentRow = Row<'payments'>;

/** A recorded refund that the provider has yet to make. */
export interface DueRefund {
  refund: Refund;
  payment: PaymentRow;
}

/** Records a refund of a charge to be made. `toBalanceMinor` returns to the balance together with it. */
export async function startRefund(
  unit: UnitOfWork,
  charge: PaymentRow,
  amountMinor: bigint,
  toBalanceMinor = 0n,
): Promise<DueRefund> {
  const { id: chargeId, customerId, provider, currency, invoiceId, intentId, metadata } = charge;
  const origin = { chargeId, customerId, provider, currency, invoiceId, intentId, metadata };
  const toBalance = toBalanceMinor > 0n ? { toBalanceMinor } : {};
  const refund = { kind: 'refund' as const, status: 'pending' as const, amountMinor, ...toBalance };
  const payment = await recordAttempt(unit, { ...refund, ...origin }, chargeId);
  return toDueRefund(payment, charge);
}

/** Builds the refund for a recorded payment. */
export function toDueRefund(payment: PaymentRow, charge: PaymentRow): DueRefund {
  const { id: idempotencyKey, tenantAlias, amountMinor, currency } = payment;
  const chargeReference = charge.reference ?? charge.id;
  return { payment, refund: { idempotencyKey, tenantAlias, chargeReference, amountMinor, currency } };
}
