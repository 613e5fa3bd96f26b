import { manual } from './manual.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** The providers that a service has; `standard` takes every method that names no other. */
export interface Providers {
  standard: PaymentProvider;
}

/**
 * Who takes a payment method: `manual` is always there, `sandbox_…` where the sandbox is the standard or the
 * tenant is a test tenant, and all else goes to the standard provider.
 */
export function providerOf({ standard }: Providers, method: string, isTestTenant: boolean): PaymentProvider {
  if (method === manual.name) return manual;
  return isTestTenant && method.startsWith('sandbox_') ? sandbox : standard;
}

/** The provider that keeps a method, by its name. */
export function providerNamed({ standard }: Providers, name: string): PaymentProvider {
  const known = [standard, sandbox, manual].find((provider) => provider.name === name);
  return known ?? unknown(name);
}

// A provider that was switched off: what it kept can no longer be charged.
function unknown(name: string): PaymentProvider {
  const answer = async (): Promise<Outcome & { status: 'declined' }> => ({
    status: 'declined',
    reason: 'payment_provider_unavailable',
  });
  return { name, start: answer, resume: answer, charge: answer, refund: answer };
}
