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

// Mollie's page lists the methods of the account; the payer goes there without a script.
const mollie: Method = { id: 'mollie', label: 'mollie', hint: 'mollieHint' };

/** Lists the payment methods that the page shows to the payers of a tenant. */
export async function listMethods(tenant: TenantScope): Promise<Method[]> {
  const { record } = tenant;
  const names = listProviderNames(await tenant.loadProviders(), record);
  return [
    ...(record.test ? testMethods : []),
    ...(names.includes('mollie') ? [mollie] : []),
    ...(names.includes(manual.name) ? [transfer] : []),
  ];
}

/** Returns whether the tenant has a provider whose methods cannot be chosen on this page. */
export async function hasOtherMethods(tenant: TenantScope): Promise<boolean> {
  const { record } = tenant;
  const others = (await tenant.loadProviders()).filter(({ page }) => page === undefined);
  return !record.test && canCharge(others, record);
}
