/** Follows the usage events of a tenant as they are recorded. */
import { refuse } from '../../lib/errors.ts';
import { isGiven } from '../../lib/validation.ts';
import { followPages, type FollowedPage } from '../../runtime/followPages.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findLatestUsage } from '../../tenancy/usageRecorder.ts';
import type { UsageEventRow } from './usageEvents.ts';

/** A filter for usage events; all given conditions must match. */
interface UsageFollowing {
  customerId?: string | null;
  event?: string | null;
}

const rowsAtOnce = 1000;
const allButId = allColumnsBut('usageEvents', 'id');

/**
 * Follows usage events, after the event `after` (an id of ours) or from now on. Each is returned once, in the order of commits,
 * which is that of ids. Errors: `customer_not_found`, `validation_failed` if `after` is not an event of the tenant.
 */
export async function followUsage(
  tenant: TenantScope,
  filter: UsageFollowing,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<UsageEventRow>> {
  const { customerId } = filter;
  if (isGiven(customerId) && !(await tenant.primaryReads.one('customers', { id: customerId })))
    refuse('customer_not_found', { path: 'customerId', message: 'is not the id of a customer' });
  const start = isGiven(after) ? await findEventId(tenant.primaryReads, after) : undefined;
  const past = start ?? (await findLatestUsage(tenant.primaryReads)) ?? '';
  return followPages(
    (position) => readPage(tenant, filter, position),
    (stop) => tenant.waitForUsage(stop),
    past,
  );
}

async function findEventId(reads: Reads, id: string): Promise<string> {
  const found = await reads.one('usageEvents', { id }, allButId);
  const issue = { path: 'after', message: 'is not the id of a usage event' };
  return (found ?? refuse('validation_failed', issue)).id;
}

async function readPage(
  { primaryReads }: TenantScope,
  { customerId, event }: UsageFollowing,
  past: string,
): Promise<FollowedPage<UsageEventRow>> {
  const found = await primaryReads.many('usageEvents', {
    where: {},
    orderBy: ['id'],
    past: [past],
    limit: rowsAtOnce,
  });
  const rows = found.filter(
    (row) =>
      (!isGiven(customerId) || row.customerId === customerId) && (!isGiven(event) || row.event === event),
  );
  return { rows, past: found.at(-1)?.id ?? past, isLast: found.length < rowsAtOnce };
}
