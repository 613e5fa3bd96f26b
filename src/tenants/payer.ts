import type { Row } from '../db/schema.ts';
import { refuse } from '../errors.ts';
import { openTenant, type Tenant } from './tenant.ts';
import { findTenant, type Service } from './tenants.ts';

const executorId = 'system:payer';

/**
 * The tenant of an intent, in the hands of whoever has the intent's id: the id is the payer's capability, cannot be
 * guessed, and names no tenant. This is the one look-up for a request that has no tenant in its predicate; an id
 * that two tenants had would open neither. Error: `intent_not_found`.
 */
export async function openPayer(service: Service, intentId: string, traceId: string): Promise<Tenant> {
  const found = await service.store.committed.select('intents', { where: { id: intentId }, limit: 2 });
  const [intent] = found.length === 1 ? found : [];
  const tenant = intent && (await findTenant(service, intent.tenantAlias));
  return tenant ? open(service, tenant, traceId) : refuse('intent_not_found');
}

const open = (service: Service, tenant: Row<'tenants'>, traceId: string) =>
  openTenant(service, { tenant, keyId: executorId, scope: 'write' }, { traceId, executorId });
