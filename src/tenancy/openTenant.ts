import type { Row } from '../storage/model/rowTypes.ts';
import type { Principal } from './apiKeyCache.ts';
import type { ScopeOptions } from './scopeOptions.ts';
import type { TenantParts } from './service.ts';
import { TenantScope } from './tenantScope.ts';
import type { Origin } from './unitOfWork.ts';

/** Opens the tenant that a request's key belongs to. */
export function openTenant(
  service: TenantParts,
  { tenant, keyId, scope, audience, session, limits }: Principal,
  origin: Origin,
  options?: ScopeOptions,
): TenantScope {
  const caller = { keyId, scope, audience, session, limits, executorId: origin.executorId };
  return new TenantScope(service, tenant, origin, scope === 'write', options, caller);
}

/** Opens a tenant on behalf of the service itself, for due work or a notification of a payment provider. */
export function openScheduledTenant(
  service: TenantParts,
  tenant: Row<'tenants'>,
  executorId = 'system:scheduler',
): TenantScope {
  return new TenantScope(service, tenant, { traceId: service.ids.traceId(), executorId }, true);
}
