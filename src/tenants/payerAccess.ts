import { refuse } from '../lib/errors.ts';
import { opensIntent, parseLink } from '../tenancy/paymentLinks.ts';
import { openTenant, type TenantScope } from '../tenancy/tenantScope.ts';
import type { Service } from '../tenancy/service.ts';
import { findTenant } from '../tenancy/tenants.ts';

const executorId = 'system:payer';

/**
 * Opens the tenant of an intent for a payer who has the link to its page. The link is the payer's capability: its token cannot
 * be derived from the intent, whose id everybody sees who may read. This is the only look-up of a request without a tenant in
 * its predicate; an id found in two tenants opens neither. Error: `intent_not_found`.
 */
export async function openPayer(
  service: Service,
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
    { tenant: record, keyId: executorId, scope: 'write' },
    { traceId, executorId },
    // The page after a form shows the form's changes, which a replica may not have yet.
    { readFrom: 'primary' },
  );
  return opensIntent(tenant, intent, parsed) ? { tenant, intentId } : refuse('intent_not_found');
}
