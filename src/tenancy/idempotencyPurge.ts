import { addMs } from '../lib/time.ts';
import { interruptedBefore, releaseClaims } from './idempotency.ts';
import { scheduledTenant, type TenantScope } from './tenantScope.ts';
import { findTenant, type Service } from './tenants.ts';

const keptMs = 24 * 60 * 60 * 1000;
const forgottenAtOnce = 200;

/** Forgets requests that were named more than a day before `now`, a few at a time; answers how many. */
export async function forgetRequests(tenant: TenantScope, now: string): Promise<number> {
  const createdAt = { before: addMs(now, -keptMs) };
  const old = await tenant.read.many('idempotency', { where: { createdAt }, limit: forgottenAtOnce });
  if (old.length === 0) return 0;
  const idempotencyKey = [...new Set(old.map((request) => request.idempotencyKey))];
  await tenant.write((unit) => unit.removeUntraced('idempotency', { idempotencyKey, createdAt }));
  return old.length;
}

/**
 * Ends the claims of keyed mutations whose execution was interrupted, so that repeats of their requests go on with them;
 * answers how many there were. `now` is the service's own.
 */
export async function releaseInterrupted(tenant: TenantScope, now: string): Promise<number> {
  const left = await tenant.read.many('idempotency', {
    where: interruptedBefore(now),
    limit: forgottenAtOnce,
  });
  if (left.length > 0) await tenant.write((unit) => releaseClaims(unit, now));
  return left.length;
}

const farthest = '9999-12-31T23:59:59.999Z';

/**
 * Does so for all tenants when the server starts on a database that no other server uses: whoever performed anything on
 * it is gone, however long its claim would have lasted.
 */
export async function releaseAllInterrupted(service: Service): Promise<void> {
  if (service.store.isShared) return;
  const left = await service.store.fresh.select('idempotency', { where: interruptedBefore(farthest) });
  for (const alias of new Set(left.map(({ tenantAlias }) => tenantAlias))) {
    const record = await findTenant(service, alias);
    if (record) await scheduledTenant(service, record).write((unit) => releaseClaims(unit, farthest));
  }
}
