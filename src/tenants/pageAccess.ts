/** Opens tenants for the visitors of their pages: payers with the link to an intent, and customers in the portal. */
import { refuse } from '../lib/errors.ts';
import { opensIntent, parseLink } from '../tenancy/paymentLinks.ts';
import { openTenant } from '../tenancy/openTenant.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { TenantParts, Stored } from '../tenancy/service.ts';
import { findTenant } from '../tenancy/tenants.ts';
import { isStorable } from '../lib/storableText.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { findPortalSettings } from './portalSettings.ts';

const payer = 'system:payer';

/**
 * Opens the tenant of an intent for a payer who has the link to its page. The link is the payer's capability: its token cannot
 * be derived from the intent, whose id everybody sees who may read. This is the only look-up of a request without a tenant in
 * its predicate; an id found in two tenants opens neither. Error: `intent_not_found`.
 */
export async function openPayer(
  service: TenantParts,
  link: string,
  traceId: string,
): Promise<{ tenant: TenantScope; intentId: string }> {
  const parsed = parseLink(link);
  const { intentId } = parsed;
  const found = await service.store.fresh.select('intents', { where: { id: intentId }, limit: 2 });
  const [intent] = found.length === 1 ? found : [];
  const record = intent && (await findTenant(service, intent.tenantAlias));
  if (!record) return refuse('intent_not_found');
  const tenant = openTenant(
    service,
    { tenant: record, keyId: payer, scope: 'write' },
    { traceId, executorId: payer },
    // The page after a form shows the form's changes, which a replica may not have yet.
    { readFrom: 'primary' },
  );
  return opensIntent(tenant, intent, parsed) ? { tenant, intentId } : refuse('intent_not_found');
}

/** Finds the tenant that an address names, whose text may contain what the database cannot store. */
const findTenantOfAddress = async (service: Stored, alias: string): Promise<Row<'tenants'> | undefined> =>
  isStorable(alias) ? findTenant(service, alias) : undefined;

/** Returns the tenant with this alias; undefined if there is none or its portal is switched off. */
export async function findPortalTenant(service: Stored, alias: string): Promise<Row<'tenants'> | undefined> {
  const record = await findTenantOfAddress(service, alias);
  return record && findPortalSettings(record).enabled ? record : undefined;
}

/**
 * Opens a tenant for a visitor of its portal. A customer who has signed in is the executor of their acts:
 * `customer:` and their id.
 */
export function openPortal(
  service: TenantParts,
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

const documentReader = 'system:document-link';

/** Opens a tenant for whoever has the link to one of its documents; undefined if there is none with this alias. */
export async function openDocumentTenant(
  service: TenantParts,
  alias: string,
  traceId: string,
): Promise<TenantScope | undefined> {
  const record = await findTenantOfAddress(service, alias);
  if (!record) return undefined;
  const principal = { tenant: record, keyId: documentReader, scope: 'read' } as const;
  return openTenant(service, principal, { traceId, executorId: documentReader });
}
