/** Removes the usage of an erased customer: events, their ids, and what was counted of them. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantWrites } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { listIdSpans } from './quarters.ts';

const eventsAtOnce = 1000;

const countedTables = [
  'usageBuckets',
  'usageValues',
  'usageTotals',
  'backfillBuckets',
  'backfillValues',
] as const;

/** Removes events and their ids, which may be used again; what was counted of them stays. */
export async function removeEvents(rows: TenantWrites, events: readonly Row<'usageEvents'>[]): Promise<void> {
  if (events.length === 0) return;
  const id = events.map((event) => event.id);
  const eventId = events.map((event) => event.eventId);
  const span = [...new Set(events.map(({ receivedAt }) => listIdSpans(receivedAt)[0]))];
  await rows.remove('usageIds', { span, eventId });
  await rows.remove('usageEvents', { id });
}

/** Removes the usage of a customer, and the events that wait for a customer of these `names`. */
export async function eraseUsage(
  unit: UnitOfWork,
  customerId: string,
  names: Iterable<string>,
): Promise<void> {
  await unit.removeUntraced('usagePeriods', { customerId });
  await unit.removeUntraced('commitmentWindows', { customerId });
  await unit.removeUntraced('limitAlerts', { customerId });
  if (unit.tenant.usageSince === null) return;
  await unit.lockUsage();
  const { usage } = unit;
  await usage.remove('limitChecks', { customerId });
  for (const where of [{ customerId }, { customerId: null, associatedId: [...names] }])
    for (;;) {
      const events = await usage.many('usageEvents', { where, limit: eventsAtOnce });
      if (events.length === 0) break;
      await removeEvents(usage, events);
    }
  const meters = await usage.many('meters', { where: {} });
  for (const { id: meterId } of meters)
    for (const table of countedTables) await usage.remove(table, { meterId, customerId });
}
