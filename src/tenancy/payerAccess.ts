import { refuse } from '../lib/errors.ts';
import { openTenant, type TenantScope } from './tenantScope.ts';
import { findTenant, type Service } from './tenants.ts';

const executorId = 'system:payer';

/**
 * The tenant of an intent, in the hands of whoever has the intent's id: the id is the payer's capability, cannot be
 * guessed, and names no tenant. This is the one look-up for a request that has no tenant in its predicate; an id
 * that two tenants had would open neither. Error: `intent_not_found`.
 */
export async function openPayer(service: Service, intentId: string, traceId: string): Promise<TenantScope> {
  const found = await service.store.fresh.select('intents', { where: { id: intentId }, limit: 2 });
  const [intent] = found.length === 1 ? found : [];
  const record = intent && (await findTenant(service, intent.tenantAlias));
  if (!record) return refuse('intent_not_found');
  const tenant = openTenant(
    service,
    { tenant: record, keyId: executorId, scope: 'write' },
    { traceId, executorId },
  );
  // A page often follows upon a form that has just been sent: it must not be a moment behind.
  tenant.writes++;
  return tenant;
}
