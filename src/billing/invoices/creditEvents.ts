/** Events of customers about their credit, and when they tell that little of a grant is left. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { nameAmount } from '../pricing/creditAmounts.ts';

type Credit = Row<'balanceEntries'>;

/** Records an event of a customer about an amount of a credit, in its unit. */
export async function recordCreditEvent(
  unit: UnitOfWork,
  action:
    | 'credit_granted'
    | 'credit_changed'
    | 'credit_used'
    | 'credit_low'
    | 'credit_expired'
    | 'credit_rolled_over'
    | 'credit_voided',
  {
    id: creditId,
    customerId,
    currency,
    creditTypeId,
  }: Pick<Credit, 'id' | 'customerId' | 'currency' | 'creditTypeId'>,
  amountMinor: bigint,
  more: Record<string, unknown> = {},
): Promise<void> {
  const customer = await unit.one('customers', { id: customerId });
  const amount = nameAmount({ amountMinor, currency, creditTypeId });
  const details = {
    creditId,
    ...(creditTypeId !== null && { creditTypeId }),
    ...amount,
    currency,
    ...more,
  };
  if (customer) await unit.recordEvent('customers', customer, action, details);
}

/**
 * Compares what is left of a credit with the amount below which its grant alerts. An event tells it once, and again only after that
 * much was left in between. Returns the credit.
 */
export async function compareRemaining(unit: UnitOfWork, credit: Credit): Promise<Credit> {
  const { id, remainingMinor, alertBelowMinor } = credit;
  const isLow = alertBelowMinor !== null && remainingMinor < alertBelowMinor;
  const alertedBelowAt = isLow ? (credit.alertedBelowAt ?? unit.now) : null;
  if (alertedBelowAt === credit.alertedBelowAt) return credit;
  await unit.updateUntraced('balanceEntries', { id }, { alertedBelowAt });
  if (isLow) await recordCreditEvent(unit, 'credit_low', credit, remainingMinor, nameAlert(credit));
  return { ...credit, alertedBelowAt };
}

/** Names the amount below which a grant alerts in an event: in major units, or credits; null for none. */
export function nameAlert(grant: Credit): { alertBelow: number | string | null } {
  if (grant.alertBelowMinor === null) return { alertBelow: null };
  const named = nameAmount({ ...grant, amountMinor: grant.alertBelowMinor });
  return { alertBelow: 'amount' in named ? named.amount : named.credits };
}
