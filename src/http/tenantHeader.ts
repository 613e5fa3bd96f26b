import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../lib/errors.ts';
import type { Principal } from '../tenancy/apiKeyCache.ts';

/** The header that chooses the tenant of an operator. For a key, which has one tenant, it is only verified. */
export const tenantHeader = 'perennial-tenant';

/** Returns the alias in the header. */
export const readTenantHeader = (headers: IncomingHttpHeaders): string | undefined =>
  headers[tenantHeader] as string | undefined;

/** Refuses an alias that is not that of the credential's tenant, if one is given. Error: `tenant_mismatch`. */
export function refuseOtherTenant(alias: string | undefined, { tenant }: Pick<Principal, 'tenant'>): void {
  if (alias === undefined || alias === tenant.alias) return;
  refuse('tenant_mismatch', { path: tenantHeader, message: 'is not the tenant of the credential' });
}
