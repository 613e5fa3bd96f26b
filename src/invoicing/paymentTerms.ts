import type { Row } from '../storage/model/rowTypes.ts';
import { addMs } from '../lib/time.ts';
import { manual } from '../providers/manual.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

const dayMs = 86_400_000;

/** Until when an invoice that is issued now must be paid by hand: the tenant's payment terms from now. */
export const computeDueAt = ({ now, tenant }: UnitOfWork): string =>
  addMs(now, (tenant.paymentTermsDays ?? 0) * dayMs);

/** The same for the next invoice of a subscription; null where its method is charged. */
export async function findDueAt(
  unit: UnitOfWork,
  { paymentMethodId }: Row<'subscriptions'>,
): Promise<string | null> {
  if (paymentMethodId === null) return null;
  const method = await unit.one('paymentMethods', { id: paymentMethodId });
  return method?.provider === manual.name ? computeDueAt(unit) : null;
}

/** Whether an invoice has not been paid in time. */
export const isOverdue = ({ status, dueAt }: Row<'invoices'>, now: string): boolean =>
  status === 'open' && dueAt !== null && dueAt <= now;

/** Whether an invoice waits for the transfer with which its subscription begins. */
export const startsOnPayment = ({ status, billingReason, intentId, dueAt }: Row<'invoices'>): boolean =>
  status === 'open' && billingReason === 'subscription_start' && intentId !== null && dueAt !== null;

const checkModulus = 97n;

/**
 * The reference that a payer gives with a transfer: an ISO 11649 creditor reference of the invoice's number, whose
 * check digits let banks refuse a mistyped one. `RF` and digits, without spaces.
 */
export function buildPaymentReference({ number }: Pick<Row<'invoices'>, 'number'>): string {
  const body = String(number).padStart(6, '0');
  // R is 27 and F is 15; the check digits make the whole 1 modulo 97.
  const check = checkModulus + 1n - (BigInt(`${body}271500`) % checkModulus);
  return `RF${String(check).padStart(2, '0')}${body}`;
}
