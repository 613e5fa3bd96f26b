/** Takes events back: they count no longer, and their ids stay taken. */
import { refuse } from '../../lib/errors.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope, UsageRecorder } from '../../tenancy/tenantScope.ts';
import { pickOrigin, recountQuarter } from './buckets.ts';
import { findKeptSince } from './forgetUsage.ts';
import { floorToQuarter, listIdSpans } from './quarters.ts';
import { dropTotals } from './totals.ts';

/** What became of the ids of a request. */
export interface VoidedUsage {
  voided: number;
  /** The ids of events that were taken back before. */
  alreadyVoided: number;
  /** The ids that no event of the last 35 days has. */
  unknownIds: string[];
}

/** Takes back 1 to 1,000 events by the ids that the client gave them. Error: `validation_failed` for their number. */
export async function voidUsage(tenant: TenantScope, { ids }: { ids: string[] }): Promise<VoidedUsage> {
  if (ids.length === 0) refuse('validation_failed', { path: 'ids', message: 'must not be empty' });
  return tenant.recordUsage((recorder) => voidEvents(recorder, [...new Set(ids)]));
}

async function voidEvents({ rows, now, tenant }: UsageRecorder, ids: string[]): Promise<VoidedUsage> {
  const known = await rows.many('usageIds', { where: { span: listIdSpans(now), eventId: ids } });
  const found = known.length
    ? await rows.many('usageEvents', { where: { id: known.map(({ id }) => id) } })
    : [];
  // A quarter of an hour whose other events are gone cannot be counted anew. Only backfilled events are so old.
  const since = findKeptSince(tenant);
  const events = found.filter(({ at }) => since === undefined || floorToQuarter(at) >= since);
  const foundIds = new Set(events.map(({ eventId }) => eventId));
  const counting = events.filter(({ voidedAt }) => voidedAt === null);
  await rows.updateAll(
    'usageEvents',
    ['id'],
    ['voidedAt'],
    counting.map((event) => ({ ...event, voidedAt: now })),
  );
  const meters = await rows.many('meters', {
    where: { event: [...new Set(counting.map(({ event }) => event))] },
  });
  const customers = counting.flatMap(({ customerId }) => customerId ?? []);
  await dropTotals(rows, meters, [...new Set(customers)]);
  if (meters.length > 0)
    for (const origin of ['recorded', 'backfilled'] as const)
      for (const { customerId, startsAt } of listQuarters(pickOrigin(counting, origin)))
        await recountQuarter(rows, meters, customerId, { startsAt, origin });
  return {
    voided: counting.length,
    alreadyVoided: events.length - counting.length,
    unknownIds: ids.filter((id) => !foundIds.has(id)),
  };
}

/** Lists the quarters of an hour of customers in which events are. */
function listQuarters(events: readonly Row<'usageEvents'>[]): { customerId: string; startsAt: string }[] {
  const quarters = new Map<string, { customerId: string; startsAt: string }>();
  for (const { customerId, at } of events) {
    const startsAt = floorToQuarter(at);
    if (customerId !== null) quarters.set(`${customerId} ${startsAt}`, { customerId, startsAt });
  }
  return [...quarters.values()];
}
