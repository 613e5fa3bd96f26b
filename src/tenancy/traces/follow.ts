import { followPages, type FollowedPage } from '../../runtime/followPages.ts';
import type { Match } from '../../storage/query/queries.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import { refuse } from '../../lib/errors.ts';
import type { TenantScope } from '../tenantScope.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ActivityType } from './eventTypes.ts';

type TraceRow = Row<'traces'>;

/** A filter for traces; all given conditions must match. */
interface LiveFilter {
  activityType?: ActivityType | null;
  executorId?: string | null;
  resourceId?: string | null;
  customerId?: string | null;
}

const allButEventId = allColumnsBut('traces', 'eventId');
const rowsAtOnce = 100;
/** The number of traces that one query examines if no index has the filter in event order. */
const rowsLookedThrough = 1000;

/**
 * Follows the traces of a tenant as they are recorded, after the event `after` or from now on. Each is returned
 * once, in commit order, which is the order of event ids. Following stops when the iterator is returned. Error:
 * `trace_not_found` if `after` is not an event of the tenant.
 */
export async function followTraces(
  tenant: TenantScope,
  filter: LiveFilter,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<TraceRow>> {
  const past = after ? await findEvent(tenant, after) : await findLatestEvent(tenant);
  return followPages(createPageReader(tenant, filter), (stop) => tenant.waitForEvents(stop), past);
}

async function findEvent(tenant: TenantScope, eventId: string): Promise<string> {
  const found = await tenant.primaryReads.one('traces', { eventId });
  return (found ?? refuse('trace_not_found', { path: 'after', message: 'is not an event' })).eventId;
}

/** Returns the id of the event that was recorded last; '' for none. */
export async function findLatestEvent(tenant: TenantScope): Promise<string> {
  const selection = { where: {}, orderBy: ['eventId' as const], direction: 'desc' as const, limit: 1 };
  return (await tenant.primaryReads.many('traces', selection))[0]?.eventId ?? '';
}

/**
 * Returns a function that reads the next page of matching traces. Each of its queries examines a limited number of
 * traces.
 */
function createPageReader(
  tenant: TenantScope,
  filter: LiveFilter,
): (past: string) => Promise<FollowedPage<TraceRow>> {
  const where: Match<'traces'> = {};
  if (filter.activityType) where.activityType = filter.activityType;
  if (filter.executorId) where.executorId = filter.executorId;
  if (filter.resourceId) where.resourceId = filter.resourceId;
  if (filter.customerId) where.customerId = filter.customerId;
  const orderBy = ['eventId'] as const;
  const page = (past: string, rows: TraceRow[]): FollowedPage<TraceRow> => {
    const isLast = rows.length < rowsAtOnce;
    return { rows, past: rows.at(-1)?.eventId ?? past, isLast };
  };
  // There are indexes in event order for all traces, and for those of one resource or one customer.
  if (Object.keys(where).every((name) => name === 'resourceId' || name === 'customerId')) {
    return async (past) =>
      page(
        past,
        await tenant.primaryReads.many('traces', { where, orderBy, past: [past], limit: rowsAtOnce }),
      );
  }
  return async (past) => {
    const reads = tenant.primaryReads;
    const step = { where: {}, orderBy, past: [past] };
    const skip = rowsLookedThrough - 1;
    const [edge] = await reads.many('traces', { ...step, skip, limit: 1, leaveOut: allButEventId });
    const upTo = edge && [edge.eventId];
    const rows = await reads.many('traces', { ...step, filter: where, upTo, limit: rowsAtOnce });
    const isFull = rows.length === rowsAtOnce;
    if (edge && !isFull) return { rows, past: edge.eventId, isLast: false };
    return page(past, rows);
  };
}
