/** Which thresholds of subscriptions, and alerts of limits, new usage may have reached. */
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Reads, TenantWrites } from '../../storage/store.ts';
import type { UsageRecorder } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { countFor, type MeterRow } from './counting.ts';

const allButId = allColumnsBut('subscriptions', 'id');
const allButCustomer = allColumnsBut('subscriptions', 'customerId');

/** Finds the subscriptions of customers that have a threshold. */
const findSubscriptions = async (reads: Reads | TenantWrites, customerId: string[]): Promise<string[]> => {
  const where = { customerId, cancelledAt: null, billingThresholdMinor: { isSet: true as const } };
  return (await reads.many('subscriptions', { where, leaveOut: allButId })).map(({ id }) => id);
};

const listCustomers = (events: readonly Row<'usageEvents'>[]): string[] => [
  ...new Set(events.flatMap(({ customerId }) => customerId ?? [])),
];

/** Finds the customers of subscriptions that have alerts. */
async function findSpending(reads: Reads | TenantWrites, customerId: string[]): Promise<string[]> {
  if (customerId.length === 0) return [];
  const where = { customerId, cancelledAt: null, spendAlerts: { isSet: true as const } };
  const found = await reads.many('subscriptions', { where, leaveOut: allButCustomer });
  return found.map((subscription) => subscription.customerId);
}

/**
 * Notes beside new events whose subscriptions are to be checked. Each recording inserts rows of its own: who removes a row has read
 * the events that were committed with it.
 */
export async function noteGrowth(
  { rows, tenant, ids }: UsageRecorder,
  events: readonly Row<'usageEvents'>[],
): Promise<void> {
  if (tenant.thresholdsSince === null) return;
  const customers = listCustomers(events);
  if (customers.length === 0) return;
  const found = await findSubscriptions(rows, customers);
  if (found.length === 0) return;
  await rows.insertAll(
    'usageChecks',
    found.map((subscriptionId) => ({ tenantAlias: tenant.alias, id: ids.next('usc'), subscriptionId })),
  );
}

/** Lets the usage so far of a subscription be compared with its threshold, which has changed, or with its prices. */
export async function requestCheck(unit: UnitOfWork, subscriptionId: string): Promise<void> {
  await unit.insertUntraced('usageChecks', { id: unit.id('usc'), subscriptionId });
}

/** Lets the usage so far of the subscriptions of a customer be compared with their thresholds and alerts. */
export async function requestChecksOf(unit: UnitOfWork, customerId: string): Promise<void> {
  if (unit.tenant.spendAlertsSince !== null) await requestLimitCheck(unit, customerId);
  if (unit.tenant.thresholdsSince === null) return;
  for (const id of await findSubscriptions(unit, [customerId])) await requestCheck(unit, id);
}

/** Lists the oldest checks. */
export const listChecks = async (reads: Reads, limit: number): Promise<Row<'usageChecks'>[]> =>
  reads.many('usageChecks', { where: {}, orderBy: ['id'], limit });

/** Whether a limit that a meter counts may have alerts: its own, or those of the tenant. */
export const hasAlerts = (
  { alertsSince, totalsSince }: MeterRow,
  { usageAlertPercents }: Pick<Row<'tenants'>, 'usageAlertPercents'>,
): boolean => alertsSince !== null || (totalsSince !== null && usageAlertPercents !== null);

/**
 * Notes beside new events which customers are to be compared with their alerts: those of a limit that one of the meters counts, and
 * those of the amounts of subscriptions.
 */
export async function noteAlerts(
  { rows, tenant, ids }: UsageRecorder,
  meters: readonly MeterRow[],
  events: readonly Row<'usageEvents'>[],
): Promise<void> {
  const alerting = meters.filter((meter) => hasAlerts(meter, tenant));
  const counted = events.filter((event) => alerting.some((meter) => countFor(meter, event)));
  const spending = tenant.spendAlertsSince === null ? [] : await findSpending(rows, listCustomers(events));
  const customers = new Set([...listCustomers(counted), ...spending]);
  if (customers.size === 0) return;
  await rows.insertAll(
    'limitChecks',
    [...customers].map((customerId) => ({
      tenantAlias: tenant.alias,
      id: ids.next('lic'),
      customerId,
      failures: null,
      dueAt: null,
    })),
  );
}

/** Lets the use of the limits of a customer, and what their usage costs, be compared with their alerts. */
export async function requestLimitCheck(unit: UnitOfWork, customerId: string): Promise<void> {
  await unit.insertUntraced('limitChecks', { id: unit.id('lic'), customerId });
}

/** Lists the oldest checks of customers that are due. */
export const listLimitChecks = async (
  reads: Reads,
  now: string,
  limit: number,
): Promise<Row<'limitChecks'>[]> =>
  reads.many('limitChecks', { where: { dueAt: { unlessAfter: now } }, orderBy: ['id'], limit });
