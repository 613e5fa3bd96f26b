import { addMs } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { dayMs } from '../../lib/durations.ts';

const keptSessionsMs = 30 * dayMs;
const rowsPerBatch = 200;

/**
 * Deletes codes a day after they expired and sessions, those of pages of the tenant too, 30 days after they ended, in
 * batches; returns how many were deleted. `now` is the service's time.
 */
export async function purgePortal(tenant: TenantScope, now: string): Promise<number> {
  const codes = await findExpired(tenant, 'portalCodes', addMs(now, -dayMs));
  const sessions = await findExpired(tenant, 'portalSessions', addMs(now, -keptSessionsMs));
  const others = await findExpired(tenant, 'customerSessions', addMs(now, -keptSessionsMs));
  const found = codes.length + sessions.length + others.length;
  if (found === 0) return 0;
  await tenant.write(async (unit) => {
    if (codes.length > 0) await unit.removeUntraced('portalCodes', { id: codes });
    if (sessions.length > 0) await unit.removeUntraced('portalSessions', { id: sessions });
    if (others.length > 0) await unit.removeUntraced('customerSessions', { id: others });
  });
  return found;
}

async function findExpired(
  { read }: TenantScope,
  table: 'portalCodes' | 'portalSessions' | 'customerSessions',
  before: string,
): Promise<string[]> {
  const rows = await read.many(table, {
    where: { expiresAt: { before } },
    orderBy: ['expiresAt', 'id'],
    limit: rowsPerBatch,
  });
  return rows.map(({ id }) => id);
}
