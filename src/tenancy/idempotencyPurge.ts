import { addMs } from '../lib/time.ts';
import { matchInterrupted, releaseClaims } from './idempotency.ts';
import { openScheduledTenant } from './openTenant.ts';
import type { TenantScope } from './tenantScope.ts';
import type { Service } from './service.ts';
import { findTenant } from './tenants.ts';
import { dayMs } from '../lib/durations.ts';

const keptMs = dayMs;
const keysPerBatch = 200;

/** Deletes records of requests created more than a day before `now`, in batches; returns how many were deleted. */
export async function purgeExpiredKeys(tenant: TenantScope, now: string): Promise<number> {
  const createdAt = { before: addMs(now, -keptMs) };
  const old = await tenant.read.many('idempotency', { where: { createdAt }, limit: keysPerBatch });
  if (old.length === 0) return 0;
  const idempotencyKey = [...new Set(old.map((request) => request.idempotencyKey))];
  await tenant.write((unit) => unit.removeUntraced('idempotency', { idempotencyKey, createdAt }));
  return old.length;
}

/**
 * Releases the claims of interrupted mutations, so that repeats of their requests can continue them; returns how many
 * were released. `now` is the service's clock, not the tenant's.
 */
export async function releaseInterrupted(tenant: TenantScope, now: string): Promise<number> {
  const left = await tenant.read.many('idempotency', {
    where: matchInterrupted(now),
    limit: keysPerBatch,
  });
  if (left.length > 0) await tenant.write((unit) => releaseClaims(unit, now));
  return left.length;
}

const farthest = '9999-12-31T23:59:59.999Z';

/**
 * Releases the claims of all tenants. Call it at the start of a server that alone uses its database: every earlier
 * execution has ended, even if its claim has not expired.
 */
export async function releaseAllInterrupted(service: Service): Promise<void> {
  if (service.store.isShared) return;
  const left = await service.store.fresh.select('idempotency', { where: matchInterrupted(farthest) });
  for (const alias of new Set(left.map(({ tenantAlias }) => tenantAlias))) {
    const record = await findTenant(service, alias);
    if (record) await openScheduledTenant(service, record).write((unit) => releaseClaims(unit, farthest));
  }
}
