import { manual } from '../../providers/manual.ts';
import { canCharge, listProviderNames } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TextKey } from './texts.ts';

/** A payment method as shown on the page. */
export interface Method {
  id: string;
  label: TextKey;
  hint: TextKey;
}

const testMethods: Method[] = [
  { id: 'sandbox_ok', label: 'sandbox_ok', hint: 'sandbox_okHint' },
  { id: 'sandbox_declined', label: 'sandbox_declined', hint: 'sandbox_declinedHint' },
  {
    id: 'sandbox_ok_then_declined',
    label: 'sandbox_ok_then_declined',
    hint: 'sandbox_ok_then_declinedHint',
  },
  { id: 'sandbox_requires_action', label: 'sandbox_requires_action', hint: 'sandbox_requires_actionHint' },
];

const transfer: Method = { id: manual.name, label: 'manual', hint: 'manualHint' };

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
