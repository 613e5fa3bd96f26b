/** Removes the ids of events that were received more than 35 days ago: they may be used again. */
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listIdSpans } from './quarters.ts';

const idsAtOnce = 1000;

/** Removes some of the ids of past spans; returns how many. */
export async function purgeUsageIds(tenant: TenantScope): Promise<number> {
  if (tenant.record.usageSince === null) return 0;
  const [, before] = listIdSpans(tenant.now());
  const old = await tenant.read.many('usageIds', { where: { span: { before } }, limit: idsAtOnce });
  const [first] = old;
  if (!first) return 0;
  const { span } = first;
  const eventId = old.filter((each) => each.span === span).map((each) => each.eventId);
  await tenant.recordUsage(({ rows }) => rows.remove('usageIds', { span, eventId }));
  return eventId.length;
}
