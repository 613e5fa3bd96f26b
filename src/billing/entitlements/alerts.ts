/** Tells when the use of a limit has reached a share of it, or usage has cost an amount, soon after it was recorded. */
import { compareDecimals, multiplyDecimals, readDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { BillingError } from '../../lib/errors.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { measureLimits, type MeasuredLimit } from './entitlements.ts';
import { listLimitChecks } from '../usage/usageChecks.ts';
import { measureSpending, tellSpending, type Spent } from './spendAlerts.ts';

const mostChecks = 1000;

/** A limit of which shares are used. */
interface Reached extends MeasuredLimit {
  /** The shares in percent, the lowest first. */
  percents: number[];
}

/**
 * Compares the limits and the spending of customers who have had new events with their alerts. One unit of work tells what is reached and removes
 * the checks that were read before the usage, so a crash or another server repeats a check, but no event. Returns the number of
 * checks.
 */
export async function sendAlerts(tenant: SteppedTenant, now: string): Promise<number> {
  if (tenant.record.usageSince === null) return 0;
  const checks = await listLimitChecks(tenant.read, mostChecks);
  if (checks.length === 0) return 0;
  const reached: Reached[] = [];
  const spent: Spent[] = [];
  for (const customerId of new Set(checks.map((check) => check.customerId))) {
    reached.push(...(await findReached(tenant, customerId, now).catch(passOverMissing)));
    spent.push(...(await measureSpending(tenant, customerId, now)));
  }
  await tenant.writeStep(async (unit) => {
    await unit.removeUntraced('limitChecks', { id: checks.map(({ id }) => id) });
    for (const each of reached) await tell(unit, each);
    for (const each of spent) await tellSpending(unit, each);
  });
  return checks.length;
}

/** A customer who was deleted meanwhile has no limits any more. */
function passOverMissing(error: unknown): Reached[] {
  if (error instanceof BillingError && error.reason === 'customer_not_found') return [];
  throw error;
}

async function findReached(tenant: SteppedTenant, customerId: string, now: string): Promise<Reached[]> {
  const measured = await measureLimits(tenant, customerId, now);
  return measured
    .map((each) => ({ ...each, percents: each.alertPercents.filter((percent) => isReached(each, percent)) }))
    .filter(({ percents }) => percents.length > 0);
}

/** Whether the use of a limit has reached a percentage of it; a limit of 0 has none. Reservations do not count: they may be released. */
function isReached({ used, limit }: MeasuredLimit, percent: number): boolean {
  const units = readDecimal(limit);
  if (units.digits <= 0n) return false;
  const share = multiplyDecimals(units, wholeDecimal(percent));
  return compareDecimals(multiplyDecimals(readDecimal(used), wholeDecimal(100)), share) >= 0;
}

/** Records an event for each percentage that has had none in the period. */
async function tell(unit: UnitOfWork, { percents, ...limit }: Reached): Promise<void> {
  const { customerId, feature, used, period } = limit;
  const key = { customerId, feature, periodStart: period.start };
  const customer = await unit.one('customers', { id: customerId });
  const told = await unit.one('limitAlerts', key);
  const untold = percents.filter((percent) => percent > (told?.percent ?? 0));
  const highest = untold.at(-1);
  if (!customer || highest === undefined) return;
  if (told) await unit.updateUntraced('limitAlerts', { id: told.id }, { percent: highest });
  else await unit.insertUntraced('limitAlerts', { id: unit.id('lia'), ...key, percent: highest });
  for (const percent of untold)
    await unit.recordEvent('customers', customer, 'usage_alert', {
      feature,
      percent,
      used,
      limit: limit.limit,
      periodStart: period.start,
      periodEnd: period.end,
    });
}
