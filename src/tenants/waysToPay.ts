/** Whether the customers of a tenant have a way to pay. */
import { refuse } from '../lib/errors.ts';
import { manual } from '../providers/manual.ts';
import { canCharge, listProviderNames, type Providers } from '../providers/registry.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

/** Whether payers are offered bank transfers: they are not switched off, and there is an account to transfer to. */
export const takesTransfers = (providers: Providers, tenant: Row<'tenants'>): boolean =>
  tenant.bankAccount !== null && listProviderNames(providers, tenant).includes(manual.name);

/** Whether a tenant has a payment provider, the test cards of a test tenant among them, or takes transfers. */
export async function canBePaid(tenant: Pick<TenantScope, 'loadProviders' | 'record'>): Promise<boolean> {
  const providers = await tenant.loadProviders();
  return canCharge(providers, tenant.record) || takesTransfers(providers, tenant.record);
}

/** Refuses to ask for a payment that nobody could make. Error: `payments_not_set_up`. */
export const refuseUnpayable = (): never =>
  refuse('payments_not_set_up', {
    path: 'input',
    message: 'set up a payment provider, or a bank account for transfers',
  });
