import { manual } from '../../providers/manual.ts';
import { canCharge, providerNamesOf } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

/** A way to pay, as the page offers it. */
export interface Method {
  id: string;
  label: string;
  hint: string;
}

const testMethods: Method[] = [
  { id: 'sandbox_ok', label: 'Test card that pays', hint: 'Pays now and later.' },
  { id: 'sandbox_declined', label: 'Test card that is declined', hint: 'Never pays.' },
  {
    id: 'sandbox_ok_then_declined',
    label: 'Test card that is declined later',
    hint: 'Pays now; later charges fail.',
  },
  {
    id: 'sandbox_requires_action',
    label: 'Test card that asks for a confirmation',
    hint: 'Pays once you have confirmed.',
  },
];

const transfer: Method = {
  id: manual.name,
  label: 'I pay by bank transfer',
  hint: 'It takes effect when the money has arrived.',
};

/** The ways to pay that the page offers to a tenant's payers. */
export function listMethods({ payments, record }: TenantScope): Method[] {
  const takesTransfers = providerNamesOf(payments, record).includes(manual.name);
  return [...(record.test ? testMethods : []), ...(takesTransfers ? [transfer] : [])];
}

/** Whether there is a provider whose methods cannot be chosen on a page without scripts. */
export function hasOtherMethods({ payments, record }: TenantScope): boolean {
  return !record.test && canCharge(payments, record);
}
