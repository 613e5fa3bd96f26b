/** The amount of usage that is billed within a period, as soon as it is reached. */
import { parseCurrency } from '../../lib/money.ts';
import { isGiven } from '../../lib/validation.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { parseMoneyIn, refuseField, type AmountInput } from '../catalog/amounts.ts';
import { requestCheck } from '../usage/usageChecks.ts';
import type { SubscriptionRow } from './subscriptions.ts';

const path = 'billingThreshold';

/**
 * Returns a threshold in minor units; null for none. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`,
 * `currency_mismatch`.
 */
export function parseThreshold(given: AmountInput | null | undefined, currency: string): bigint | null {
  if (!isGiven(given)) return null;
  parseCurrency(given.currency, `${path}.currency`);
  const thresholdMinor = parseMoneyIn(given, currency, path);
  return thresholdMinor > 0n ? thresholdMinor : refuseField(path, 'must be more than 0');
}

/** Notes that the tenant has thresholds, before the first one: from then on recordings of usage look for them. */
export async function beginThresholds(unit: UnitOfWork): Promise<void> {
  if (unit.tenant.thresholdsSince === null)
    await unit.change('tenants', unit.tenant, { thresholdsSince: unit.now });
}

/** Changes the threshold of a subscription; its usage so far is compared with it at once. Errors: those of `parseThreshold`. */
export async function changeThreshold(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  given: AmountInput | null,
): Promise<SubscriptionRow> {
  const billingThresholdMinor = parseThreshold(given, subscription.currency);
  if (billingThresholdMinor === subscription.billingThresholdMinor) return subscription;
  if (billingThresholdMinor === null)
    return unit.change('subscriptions', subscription, { billingThresholdMinor });
  await beginThresholds(unit);
  await requestCheck(unit, subscription.id);
  return unit.change('subscriptions', subscription, { billingThresholdMinor });
}
