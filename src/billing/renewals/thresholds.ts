/** Bills usage that has reached the threshold of its subscription, as soon as it was recorded. */
import { groupBy } from '../../lib/groupBy.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { billThreshold } from '../invoices/finalInvoices.ts';
import { listChecks } from '../usage/usageChecks.ts';
import { parkOnError } from './renewSubscription.ts';

const mostChecks = 1000;

/**
 * Compares the usage of subscriptions that have had new events with their thresholds. Each is billed in a unit of work that also
 * removes the checks that were read before, so a crash or another server repeats a check, but no bill. Returns the number of
 * checks.
 */
export async function billThresholds(tenant: SteppedTenant): Promise<number> {
  if (tenant.record.thresholdsSince === null) return 0;
  const checks = await listChecks(tenant.read, mostChecks);
  for (const [subscriptionId, own] of groupBy(checks, (row) => row.subscriptionId)) {
    const ids = own.map(({ id }) => id);
    const isDone = await parkOnError(tenant, subscriptionId, () =>
      tenant.writeStep((unit) => check(unit, subscriptionId, ids)),
    );
    if (!isDone) await tenant.writeStep((unit) => unit.removeUntraced('usageChecks', { id: ids }));
  }
  return checks.length;
}

async function check(unit: UnitOfWork, subscriptionId: string, ids: string[]): Promise<true> {
  await unit.removeUntraced('usageChecks', { id: ids });
  const subscription = await unit.one('subscriptions', { id: subscriptionId });
  if (subscription) await billThreshold(unit, subscription);
  return true;
}
