/** Refunds and disputes at the sandbox, which a test tenant plays to try its webhooks. */
import { addMs } from '../../lib/time.ts';
import { moreThanLeft } from '../../lib/money.ts';
import { parseMoneyIn, type AmountInput } from '../catalog/amounts.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { sandbox } from '../../providers/sandbox.ts';
import type { DisputeStatus } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeMoneyLeft, recordChargeReversal } from './reversals.ts';
import { findPayment } from '../payments/payments.ts';
import { dayMs } from '../../lib/durations.ts';

type PaymentRow = Row<'payments'>;

const evidenceMs = 7 * dayMs;

/**
 * Refunds a charge of the sandbox as its dashboard would, by `amount` or all that is left. Errors:
 * `payment_not_found`, `validation_failed`, `amount_precision`, `currency_unsupported`, `currency_mismatch`,
 * `refund_too_large`.
 */
export const simulateRefund = (
  tenant: TenantScope,
  id: string,
  amount?: AmountInput | null,
): Promise<PaymentRow> =>
  tenant.write(async (unit) => {
    const charge = await findSandboxCharge(unit, id);
    const { currency } = charge;
    const leftMinor = await computeMoneyLeft(unit, charge);
    const amountMinor = amount ? parseMoneyIn(amount, currency, 'amount') : leftMinor;
    if (amount && amountMinor === 0n) refuse('validation_failed', { path: 'amount', ...notPositive });
    if (amountMinor === 0n || amountMinor > leftMinor)
      refuse('refund_too_large', {
        path: 'amount',
        ...moreThanLeft(leftMinor, currency),
      });
    const reference = `sandbox_${unit.id('pay')}`;
    const refund = { type: 'refund', status: 'succeeded', reference, amountMinor, currency } as const;
    return (await recordChargeReversal(unit, charge, refund))!;
  });

/**
 * Opens the dispute of a charge of the sandbox over its whole amount, or changes its status. Errors: `payment_not_found`,
 * `validation_failed`.
 */
export const simulateDispute = (
  tenant: TenantScope,
  id: string,
  status: DisputeStatus,
): Promise<PaymentRow> =>
  tenant.write(async (unit) => {
    const charge = await findSandboxCharge(unit, id);
    const { amountMinor, currency, createdAt } = charge;
    const evidenceDueAt = addMs(createdAt, evidenceMs);
    const terms = { reference: `sandbox_${id}`, amountMinor, currency, reason: 'fraudulent', evidenceDueAt };
    return (await recordChargeReversal(unit, charge, { type: 'dispute', status, ...terms }))!;
  });

/** Returns a charge that can be reversed. Errors: `payment_not_found`, `validation_failed`. */
async function findSandboxCharge(unit: UnitOfWork, id: string): Promise<PaymentRow> {
  const payment = await findPayment(unit, id);
  const refusePayment = (message: string) => refuse('validation_failed', { path: 'id', message });
  if (!unit.tenant.test || payment.provider !== sandbox.name)
    return refusePayment('is not of the sandbox of a test tenant');
  if (payment.kind !== 'charge' || payment.status !== 'succeeded')
    return refusePayment('is not a charge that succeeded');
  return payment;
}
