import { refuse } from '../lib/errors.ts';
import { openTenant, type TenantScope } from './tenantScope.ts';
import { findTenant, type Service } from './tenants.ts';

const executorId = 'system:payer';

/**
 * Opens the tenant of an intent for a payer who has the intent's id. The id is the payer's capability: it cannot be
 * guessed and does not name the tenant. This is the only look-up of a request without a tenant in its predicate; an id
 * found in two tenants opens neither. Error: `intent_not_found`.
 */
export async function openPayer(service: Service, intentId: string, traceId: string): Promise<TenantScope> {
  const found = await service.store.fresh.select('intents', { where: { id: intentId }, limit: 2 });
  const [intent] = found.length === 1 ? found : [];
  const record = intent && (await findTenant(service, intent.tenantAlias));
  if (!record) return refuse('intent_not_found');
  return openTenant(
    service,
    { tenant: record, keyId: executorId, scope: 'write' },
    { traceId, executorId },
    // The page after a form shows the form's changes, which a replica may not have yet.
    { readFrom: 'primary' },
  );
}
