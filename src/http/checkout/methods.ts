import { manual } from '../../providers/manual.ts';
import { canCharge, listProviderNames } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

/** A payment method as shown on the page. */
export interface Method {
  id: string;
  label: string;
  hint: string;
}

const testMethods: Method[] = [
  { id: 'sandbox_ok', label: 'Test card: succeeds', hint: 'This and all later charges succeed.' },
  { id: 'sandbox_declined', label: 'Test card: declined', hint: 'Every charge is declined.' },
  {
    id: 'sandbox_ok_then_declined',
    label: 'Test card: declined later',
    hint: 'This charge succeeds, later charges are declined.',
  },
  {
    id: 'sandbox_requires_action',
    label: 'Test card: needs confirmation',
    hint: 'Succeeds after you confirm.',
  },
];

const transfer: Method = {
  id: manual.name,
  label: 'Bank transfer',
  hint: 'Takes effect when the money arrives.',
};

/** Lists the payment methods that the page shows to the payers of a tenant. */
export async function listMethods(tenant: TenantScope): Promise<Method[]> {
  const { record } = tenant;
  const takesTransfers = listProviderNames(await tenant.loadProviders(), record).includes(manual.name);
  return [...(record.test ? testMethods : []), ...(takesTransfers ? [transfer] : [])];
}

/** Returns whether the tenant has a provider whose methods need scripts, which the page does not use. */
export async function hasOtherMethods(tenant: TenantScope): Promise<boolean> {
  const { record } = tenant;
  return !record.test && canCharge(await tenant.loadProviders(), record);
}
