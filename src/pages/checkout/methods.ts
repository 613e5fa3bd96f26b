import { canCharge } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { takesTransfers } from '../../tenants/waysToPay.ts';
import { listOfferedMethods, type OfferedMethod } from '../shared/cardForm.ts';
import { checkoutTexts } from './texts.ts';

const testMethods = [
  'sandbox_ok',
  'sandbox_declined',
  'sandbox_ok_then_declined',
  'sandbox_requires_action',
] as const;

/** Returns a method of the sandbox, or a bank transfer, as the pages show it. */
export function describeMethod(id: (typeof testMethods)[number] | 'manual'): OfferedMethod {
  const texts = Object.entries(checkoutTexts).map(
    ([language, own]) => [language, { label: own[id], hint: own[`${id}Hint`] }] as const,
  );
  return { id, texts: Object.fromEntries(texts) as OfferedMethod['texts'] };
}

/** Lists the payment methods that the page shows to the payers of a tenant. */
export async function listMethods(tenant: TenantScope): Promise<OfferedMethod[]> {
  const { record } = tenant;
  const offered = await listOfferedMethods(tenant);
  const byTransfer = takesTransfers(await tenant.loadProviders(), record);
  return [
    ...(record.test ? testMethods.map(describeMethod) : []),
    ...offered,
    ...(byTransfer ? [describeMethod('manual')] : []),
  ];
}

/** Returns whether the tenant has a provider whose methods the page does not offer. */
export async function hasOtherMethods(tenant: TenantScope): Promise<boolean> {
  const { record } = tenant;
  if (record.test || !canCharge(await tenant.loadProviders(), record)) return false;
  return (await listOfferedMethods(tenant)).length === 0;
}
