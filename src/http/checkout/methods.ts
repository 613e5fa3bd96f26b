import { manual } from '../../providers/manual.ts';
import { canCharge, listProviderNames } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listOfferedMethods, type OfferedMethod } from '../pages/cardForm.ts';
import type { TextKey } from './texts.ts';

/** A payment method as shown on the page. */
export interface Method extends OfferedMethod {
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

/** The texts of the methods that providers offer on the page. */
const offerTexts: Record<string, Pick<Method, 'label' | 'hint'>> = {
  card: { label: 'card', hint: 'cardHint' },
  mollie: { label: 'mollie', hint: 'mollieHint' },
};

/** Lists the payment methods that the page shows to the payers of a tenant. */
export async function listMethods(tenant: TenantScope): Promise<Method[]> {
  const { record } = tenant;
  const offered = (await listOfferedMethods(tenant)).map((method) => ({
    ...method,
    ...(offerTexts[method.id] ?? offerTexts['card']!),
  }));
  const takesTransfers = listProviderNames(await tenant.loadProviders(), record).includes(manual.name);
  return [...(record.test ? testMethods : []), ...offered, ...(takesTransfers ? [transfer] : [])];
}

/** Returns whether the tenant has a provider whose methods the page does not offer. */
export async function hasOtherMethods(tenant: TenantScope): Promise<boolean> {
  const { record } = tenant;
  if (record.test || !canCharge(await tenant.loadProviders(), record)) return false;
  return (await listOfferedMethods(tenant)).length === 0;
}
