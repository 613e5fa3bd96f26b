/** The amounts of usage in a period of which events tell. */
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { refuse } from '../../lib/errors.ts';
import { parseMoneyIn, refuseField, type AmountInput } from '../catalog/amounts.ts';
import { requestLimitCheck } from '../usage/usageChecks.ts';
import type { SubscriptionRow } from './subscriptions.ts';

const path = 'spendAlerts';
const mostAlerts = 5;

/**
 * Returns amounts in minor units, from the lowest to the highest; null for none. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export function parseSpendAlerts(
  given: readonly AmountInput[] | null | undefined,
  currency: string,
): string[] | null {
  if (!given?.length) return null;
  if (given.length > mostAlerts)
    refuse('validation_failed', {
      path,
      message: `must be at most ${mostAlerts} amounts`,
      code: 'too_many',
      limit: mostAlerts,
    });
  const amounts = given.map((amount, index) => {
    const minor = parseMoneyIn(amount, currency, `${path}.${index}`);
    return minor > 0n ? minor : refuseField(`${path}.${index}`, 'must be more than 0');
  });
  return [...new Set(amounts)].toSorted((a, b) => (a < b ? -1 : 1)).map(String);
}

/** Notes that the tenant has alerts, before the first one: from then on recordings of usage look for them. */
export async function beginSpendAlerts(unit: UnitOfWork): Promise<void> {
  if (unit.tenant.spendAlertsSince === null)
    await unit.change('tenants', unit.tenant, { spendAlertsSince: unit.now });
}

/** Changes the alerts of a subscription; its usage so far is compared with them at once. Errors: those of `parseSpendAlerts`. */
export async function changeSpendAlerts(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  given: readonly AmountInput[] | null,
): Promise<SubscriptionRow> {
  const spendAlerts = parseSpendAlerts(given, subscription.currency);
  if (spendAlerts) {
    await beginSpendAlerts(unit);
    await requestLimitCheck(unit, subscription.customerId);
  }
  return unit.change('subscriptions', subscription, { spendAlerts });
}
