import type { TraceRow } from '../activity/traces.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';

/**
 * Lists the traces of a customer and of the records that belong to them in commit order, newest first by default. Errors:
 * `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export function listTimeline(
  tenant: TenantScope,
  customerId: string,
  activityType: ActivityType | null | undefined,
  args: PageArgs,
  leaveOut?: readonly (keyof TraceRow)[],
): Promise<Page<TraceRow>> {
  const filter = { activityType: activityType ?? undefined };
  const list = { name: 'timeline', table: 'traces', where: { customerId }, filter, leaveOut } as const;
  return readPage(tenant, { ...list, isScan: filter.activityType !== undefined, by: ['eventId'] }, args);
}
