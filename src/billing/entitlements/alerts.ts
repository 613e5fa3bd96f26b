/** Tells when the use of a limit has reached a share of it, or usage has cost an amount, soon after it was recorded. */
import { compareDecimals, multiplyDecimals, readDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { BillingError } from '../../lib/errors.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { UsageReader } from '../usage/totals.ts';
import { listLimitChecks } from '../usage/usageChecks.ts';
import {
  findPostponed,
  isolate,
  planRetry,
  postponeChecks,
  type FailedChecks,
  type LimitCheck,
} from './alertRetries.ts';
import { findAlertPeriod } from '../usage/alertPeriods.ts';
import { measureLimits, type MeasuredLimit } from './entitlements.ts';
import { measureSpending, tellSpending, type Spent } from './spendAlerts.ts';

const mostChecks = 1000;

/** A limit of which shares are used. */
export interface Reached extends MeasuredLimit {
  /** The shares in percent, the lowest first. */
  percents: number[];
}

/** What is to be told of a customer, and the checks that asked for it. */
interface Measured {
  customerId: string;
  checks: LimitCheck[];
  reached: Reached[];
  spent: Spent[];
}

/** The number of checks, and the customers of whom they failed. */
interface ComparedAlerts {
  compared: number;
  failures: FailedChecks[];
}

/**
 * Compares the limits and the spending of customers who have had new events with their alerts. One unit of work tells what is reached and removes
 * the checks that were read before the usage, so a crash or another server repeats a check, but no event. A customer of whom it
 * fails is tried again later, and delays no other. Error: `unavailable`.
 */
export async function sendAlerts(tenant: SteppedTenant, now: string): Promise<ComparedAlerts> {
  const failures: FailedChecks[] = [];
  const { usageSince, spendAlertsSince } = tenant.record;
  // Setting alerts of amounts asks for a comparison before there is usage.
  if (usageSince === null && spendAlertsSince === null) return { compared: 0, failures };
  const due = await listLimitChecks(tenant.read, now, mostChecks);
  if (due.length === 0) return { compared: 0, failures };
  const byCustomer = groupBy(due, ({ customerId }) => customerId);
  const postponed = await findPostponed(tenant.read, [...byCustomer.keys()], now);
  const measured: Measured[] = [];
  for (const [customerId, checks] of byCustomer) {
    if (postponed.has(customerId)) continue;
    const own = { customerId, checks };
    const found = await isolate(own, () => measure(tenant, own, now));
    if ('error' in found) failures.push(found);
    else measured.push(found);
  }
  failures.push(...(await tellAll(tenant, measured)));
  if (failures.length + postponed.size > 0)
    await tenant.writeStep(async (unit) => {
      for (const { customerId, checks } of failures)
        await postponeChecks(unit, customerId, checks, planRetry(checks, now));
      for (const [customerId, waiting] of postponed)
        await postponeChecks(unit, customerId, [...byCustomer.get(customerId)!, waiting], waiting);
    });
  return { compared: due.length, failures };
}

/** Measures what a customer has used of limits and spent. A customer who was deleted meanwhile has no limits any more. */
async function measure(
  tenant: SteppedTenant,
  own: Pick<Measured, 'customerId' | 'checks'>,
  now: string,
): Promise<Measured> {
  const reached = await findReached(tenant, own.customerId, now).catch(passOverMissing);
  return { ...own, reached, spent: await measureSpending(tenant, own.customerId, now) };
}

function passOverMissing(error: unknown): Reached[] {
  if (error instanceof BillingError && error.reason === 'customer_not_found') return [];
  throw error;
}

/** Tells what is reached: of all customers in one unit of work, and if that fails, of each in their own. Returns those that fail. */
async function tellAll(tenant: SteppedTenant, measured: readonly Measured[]): Promise<FailedChecks[]> {
  if (measured.length === 0) return [];
  const [first] = measured;
  const outcome = await isolate(first!, () => tellTogether(tenant, measured));
  if (!outcome) return [];
  if (measured.length === 1) return [outcome];
  const failures: FailedChecks[] = [];
  for (const each of measured) failures.push(...(await tellAll(tenant, [each])));
  return failures;
}

const tellTogether = (tenant: SteppedTenant, measured: readonly Measured[]): Promise<undefined> =>
  tenant.writeStep(async (unit) => {
    await unit.removeUntraced('limitChecks', {
      id: measured.flatMap(({ checks }) => checks.map(({ id }) => id)),
    });
    for (const { reached } of measured) for (const each of reached) await tell(unit, each);
    for (const { spent } of measured) for (const each of spent) await tellSpending(unit, each);
    return undefined;
  });

/**
 * Finds the limits of a customer of which shares are used, and those that no period resets, whose use may have fallen below what was
 * told. Error: `customer_not_found`.
 */
export async function findReached(tenant: UsageReader, customerId: string, now: string): Promise<Reached[]> {
  const measured = await measureLimits(tenant, customerId, now);
  return measured
    .map((each) => ({ ...each, percents: each.alertPercents.filter((percent) => isReached(each, percent)) }))
    .filter(({ percents, resets }) => percents.length > 0 || !resets);
}

/** Whether the use of a limit has reached a percentage of it; a limit of 0 has none. Reservations do not count: they may be released. */
function isReached({ used, limit }: MeasuredLimit, percent: number): boolean {
  const units = readDecimal(limit);
  if (units.digits <= 0n) return false;
  const share = multiplyDecimals(units, wholeDecimal(percent));
  return compareDecimals(multiplyDecimals(readDecimal(used), wholeDecimal(100)), share) >= 0;
}

/** Lists the percentages above the highest that was told. */
export const listUntold = (percents: readonly number[], told: Row<'limitAlerts'> | undefined): number[] =>
  percents.filter((percent) => percent > (told?.percent ?? 0));

/**
 * Records an event for each percentage that has had none in the period. Where no period resets the use, a share is told again only
 * after the use has been below it.
 */
async function tell(unit: UnitOfWork, { percents, ...limit }: Reached): Promise<void> {
  const { customerId, feature, used, period, resets } = limit;
  const key = { customerId, feature, periodStart: findAlertPeriod(resets ? period.start : null) };
  const customer = await unit.one('customers', { id: customerId });
  const told = await unit.one('limitAlerts', key);
  if (told && !resets && !isReached(limit, told.percent)) {
    const percent = percents.at(-1) ?? 0;
    await unit.updateUntraced('limitAlerts', { id: told.id }, { percent });
    return;
  }
  const untold = listUntold(percents, told);
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
      periodStart: resets ? period.start : null,
      periodEnd: resets ? period.end : null,
    });
}
