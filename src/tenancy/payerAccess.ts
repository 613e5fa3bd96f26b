import { refuse } from '../lib/errors.ts';
import { openTenant, type TenantScope } from './tenantScope.ts';
import { findTenant, type Service } from './tenants.ts';

const executorId = 'system:payer';

/**
 * Opens the tenant of an intent for a payer who has the intent's id: the id is the payer's capability, cannot be
 * guessed, and names no tenant. No other look-up of a request lacks the tenant in its predicate; an id that two
 * tenants share opens neither. Error: `intent_not_found`.
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
    // The page after a form shows what the form has changed, which a replica may not have yet.
    { readFrom: 'primary' },
  );
}
