/** Tells when the usage of a subscription has cost an amount in its period. */
import { BillingError } from '../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR, toMajor } from '../../lib/money.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeUsageBill } from '../invoices/usageBill.ts';
import type { Period } from '../pricing/schedule.ts';
import type { UsageReader } from '../usage/totals.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';
import { findUsePeriod } from './grants.ts';

/** A subscription whose usage in a period has cost an amount, in minor units. */
export interface Spent {
  subscriptionId: string;
  period: Period;
  spentMinor: bigint;
}

/** Lists what the subscriptions of a customer that have alerts have spent in their period. */
export async function measureSpending(
  tenant: UsageReader,
  customerId: string,
  now: string,
): Promise<Spent[]> {
  if (tenant.record.spendAlertsSince === null) return [];
  const where = { customerId, cancelledAt: null, spendAlerts: { isSet: true as const } };
  const spent: Spent[] = [];
  for (const subscription of await tenant.read.many('subscriptions', { where })) {
    const period = findUsePeriod(subscription, tenant.record.timezone, now);
    const spentMinor = await computeSpent(tenant, subscription, period);
    if (listReached(subscription, spentMinor).length > 0)
      spent.push({ subscriptionId: subscription.id, period, spentMinor });
  }
  return spent;
}

/**
 * Returns what the usage of a subscription costs in a period, billed or not, before discounts, credits and tax, in minor units.
 * Usage that costs too much for an invoice counts as the largest amount.
 */
async function computeSpent(
  { read, record }: UsageReader,
  subscription: SubscriptionRow,
  { start, end }: Period,
): Promise<bigint> {
  const begun = await read.many('usagePeriods', {
    where: { subscriptionId: subscription.id, startsAt: { from: start, before: end } },
    orderBy: ['id'],
  });
  // Without its charges a period has lines for all of its usage.
  const periods = begun.map((row) => ({ ...row, charges: [] }));
  const request = { subscription, periods, until: end, isInterim: true };
  try {
    const { lines } = await computeUsageBill(read, record, request);
    return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  } catch (error) {
    if (error instanceof BillingError && error.reason === 'validation_failed') return LARGEST_AMOUNT_MINOR;
    throw error;
  }
}

/** Lists the amounts of a subscription's alerts that are reached, the lowest first. */
const listReached = ({ spendAlerts }: SubscriptionRow, spentMinor: bigint): bigint[] =>
  (spendAlerts ?? []).map(BigInt).filter((amountMinor) => amountMinor <= spentMinor);

/** Returns the highest amount that was told in a period, in minor units; 0 for none. */
export const findTold = ({ spendAlerted }: SubscriptionRow, { start }: Period): bigint =>
  spendAlerted?.periodStart === start ? BigInt(spendAlerted.amountMinor) : 0n;

/** Lists the amounts that are reached above the highest that was told, the lowest first. */
export function listUntoldAmounts(subscription: SubscriptionRow, { period, spentMinor }: Spent): bigint[] {
  const told = findTold(subscription, period);
  return listReached(subscription, spentMinor).filter((amountMinor) => amountMinor > told);
}

/** Records an event for each amount that has had none in the period. */
export async function tellSpending(unit: UnitOfWork, spent: Spent): Promise<void> {
  const { subscriptionId, period, spentMinor } = spent;
  const subscription = await unit.one('subscriptions', { id: subscriptionId });
  if (!subscription || subscription.cancelledAt !== null) return;
  const { currency } = subscription;
  const untold = listUntoldAmounts(subscription, spent);
  const highest = untold.at(-1);
  if (highest === undefined) return;
  const spendAlerted = { periodStart: period.start, amountMinor: String(highest) };
  const changed = await unit.change('subscriptions', subscription, { spendAlerted });
  for (const amountMinor of untold)
    await unit.recordEvent('subscriptions', changed, 'spend_alert', {
      amount: toMajor(amountMinor, currency),
      spent: toMajor(spentMinor, currency),
      currency,
      periodStart: period.start,
      periodEnd: period.end,
    });
}
