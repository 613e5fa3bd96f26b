import { refuse } from '../../lib/errors.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { parseInstant, parseLastInstant } from '../../lib/time.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';

export type TraceRow = Row<'traces'>;

/** Finds the trace of an event. Trace id and timestamp are verified if given. Error: `trace_not_found`. */
export async function findTrace(
  tenant: TenantScope,
  exact: { eventId: string; traceId?: string | null; timestamp?: string | null },
): Promise<TraceRow> {
  const { eventId, traceId, timestamp } = exact;
  const createdAt = timestamp ? parseInstant(timestamp, tenant.record.timezone, 'timestamp') : undefined;
  const found = await tenant.read.one('traces', { eventId, traceId: traceId ?? undefined, createdAt });
  return found ?? refuse('trace_not_found');
}

interface TraceFilter {
  executorId?: string | null;
  activityType?: ActivityType | null;
  startDate?: string | null;
  endDate?: string | null;
}

/**
 * Lists a tenant's traces, newest first by default. Both ends of the time range are inclusive. Errors:
 * `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export async function listTraces(
  tenant: TenantScope,
  filter: TraceFilter,
  args: PageArgs,
  leaveOut?: readonly (keyof TraceRow)[],
): Promise<Page<TraceRow>> {
  const { timezone } = tenant.record;
  const executorId = filter.executorId ?? undefined;
  const activityType = filter.activityType ?? undefined;
  // One index serves either condition; with both, the rows of one are filtered by the other.
  const isScan = executorId !== undefined && activityType !== undefined;
  const where = {
    ...(executorId === undefined ? { activityType } : { executorId }),
    createdAt: {
      from: filter.startDate ? parseInstant(filter.startDate, timezone, 'startDate') : undefined,
      to: filter.endDate ? parseLastInstant(filter.endDate, timezone, 'endDate') : undefined,
    },
  };
  const conditions = { where, filter: isScan ? { activityType } : {}, isScan };
  const list = { name: 'traces', table: 'traces', leaveOut, by: ['createdAt', 'eventId'] } as const;
  return readPage(tenant, { ...list, ...conditions }, args);
}
