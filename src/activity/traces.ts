import { refuse } from '../lib/errors.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { parseInstant, parseLastInstant } from '../lib/time.ts';
import { readPage, type Page, type PageArgs } from '../tenancy/pagination.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { ActivityType } from '../traces/eventTypes.ts';

export type TraceRow = Row<'traces'>;

/** The trace of an event; its trace id and time are verified where they are given. Error: `trace_not_found`. */
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
 * The tenant's traces, newest first unless ordered otherwise; both ends of the time frame belong to it.
 * Errors: `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export async function listTraces(
  tenant: TenantScope,
  filter: TraceFilter,
  args: PageArgs,
  leaveOut?: (keyof TraceRow)[],
): Promise<Page<TraceRow>> {
  const { timezone } = tenant.record;
  const executorId = filter.executorId ?? undefined;
  const activityType = filter.activityType ?? undefined;
  // An index serves one of the two; the other is looked for among its rows.
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
