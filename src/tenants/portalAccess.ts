import { isStorable } from '../lib/storableText.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { openTenant, type TenantScope } from '../tenancy/tenantScope.ts';
import type { Service, Stored } from '../tenancy/service.ts';
import { findTenant } from '../tenancy/tenants.ts';
import { findPortalSettings } from './portalSettings.ts';

/** Returns the tenant with this alias; undefined if there is none or its portal is switched off. */
export async function findPortalTenant(service: Stored, alias: string): Promise<Row<'tenants'> | undefined> {
  // Text from an address may contain what the database cannot store.
  if (!isStorable(alias)) return undefined;
  const record = await findTenant(service, alias);
  return record && findPortalSettings(record).enabled ? record : undefined;
}

/**
 * Opens a tenant for a visitor of its portal. A customer who has signed in is the executor of their acts:
 * `customer:` and their id.
 */
export function openPortal(
  service: Service,
  record: Row<'tenants'>,
  traceId: string,
  customerId?: string,
): TenantScope {
  const executorId = customerId === undefined ? 'system:portal' : `customer:${customerId}`;
  return openTenant(
    service,
    { tenant: record, keyId: 'system:portal', scope: 'write' },
    { traceId, executorId },
    // The page after a form shows the form's changes, which a replica may not have yet.
    { readFrom: 'primary' },
  );
}
