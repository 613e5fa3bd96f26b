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

// Mollie's page lists the methods of the account; the payer goes there without a script.
const mollie: Method = {
  id: 'mollie',
  label: 'Card, iDEAL, PayPal and others',
  hint: 'You pay on the page of Mollie and come back here.',
};

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
