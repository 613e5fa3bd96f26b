import type { Row } from '../../storage/model/rowTypes.ts';
import { addMs } from '../../lib/time.ts';
import { manual } from '../../providers/manual.ts';
import { findPaymentTermsDays } from '../../tenants/settings.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { dayMs } from '../../lib/durations.ts';

/** Returns the due date of an invoice issued now and paid manually, by the tenant's payment terms. */
export const computeDueAt = ({ now, tenant }: UnitOfWork): string =>
  addMs(now, findPaymentTermsDays(tenant) * dayMs);

/** Returns the due date of the next invoice of a subscription; null if its payment method is charged automatically. */
export async function findDueAt(
  unit: UnitOfWork,
  { paymentMethodId }: Row<'subscriptions'>,
): Promise<string | null> {
  if (paymentMethodId === null) return null;
  const method = await unit.one('paymentMethods', { id: paymentMethodId });
  return method?.provider === manual.name ? computeDueAt(unit) : null;
}

/** Whether an invoice is open after its due date. */
export const isOverdue = ({ status, dueAt }: Row<'invoices'>, now: string): boolean =>
  status === 'open' && dueAt !== null && dueAt <= now;

/** Whether an invoice waits for the bank transfer that starts its subscription. */
export const startsOnPayment = ({ status, billingReason, intentId, dueAt }: Row<'invoices'>): boolean =>
  status === 'open' && billingReason === 'subscription_start' && intentId !== null && dueAt !== null;

/**
 * Whether the first period of an order is known before its payment: one up to a fixed day is, and any other begins with
 * the payment.
 */
export const hasFixedPeriod = ({
  executionDate,
  trialDays,
}: Pick<Row<'intents'>, 'executionDate' | 'trialDays'>): boolean =>
  executionDate !== null && trialDays === null;

const checkModulus = 97n;

/**
 * Builds the payment reference of an invoice: an ISO 11649 creditor reference of its number. Its check digits let banks
 * reject mistyped references. Format: `RF` and digits, without spaces.
 */
export function buildPaymentReference({ number }: Pick<Row<'invoices'>, 'number'>): string {
  const body = String(number).padStart(6, '0');
  // ISO 11649: R counts as 27 and F as 15; the check digits make the whole number 1 modulo 97.
  const check = checkModulus + 1n - (BigInt(`${body}271500`) % checkModulus);
  return `RF${String(check).padStart(2, '0')}${body}`;
}
