/** Lists the events that were received. */
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export type UsageEventRow = Row<'usageEvents'>;

/** Returns the event with this id of ours; undefined if there is none. */
export const findUsageEvent = (reads: Reads, id: string): MaybePromise<UsageEventRow | undefined> =>
  reads.one('usageEvents', { id });

/**
 * Lists events: all of them by their receipt, those of a customer by `at`; the newest first by default. Error:
 * `cursor_invalid`.
 */
export function listUsageEvents(
  tenant: TenantScope,
  { customerId }: { customerId?: string | null },
  args: PageArgs,
): Promise<Page<UsageEventRow>> {
  const list = { name: 'usageEvents', table: 'usageEvents' as const };
  if (customerId === null || customerId === undefined)
    return readPage(tenant, { ...list, where: {}, by: ['id'] }, args);
  return readPage(tenant, { ...list, where: { customerId }, by: ['at', 'id'] }, args);
}
