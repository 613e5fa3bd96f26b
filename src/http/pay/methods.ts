import { manual } from '../../payments/manual.ts';
import { sandbox } from '../../payments/sandbox.ts';
import type { Tenant } from '../../tenants/tenant.ts';

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
  hint: 'Your subscription starts when the money has arrived.',
};

/** Whether a tenant's payers may choose test methods, with which no money moves. */
export function isSandbox({ payments, record }: Tenant): boolean {
  return record.test || payments.standard.name === sandbox.name;
}

/** The ways to pay that the page offers to a tenant's payers. */
export function methodsOf(tenant: Tenant): Method[] {
  return isSandbox(tenant) ? [...testMethods, transfer] : [transfer];
}

/** Whether there is a provider whose methods cannot be chosen on a page without scripts. */
export function hasOtherMethods(tenant: Tenant): boolean {
  return !isSandbox(tenant) && tenant.payments.standard.name !== manual.name;
}
