import { manual } from './manual.ts';
import type { PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** The providers that a service has; `standard` takes every method that names no other. */
export interface Providers {
  standard: PaymentProvider;
}

/**
 * Who takes a payment method: `manual` is always there, `sandbox_…` where the sandbox is the standard or the
 * tenant is a test tenant, and all else goes to the standard provider. No method of a test tenant reaches a
 * provider that moves real money.
 */
export function providerOf({ standard }: Providers, method: string, isTestTenant: boolean): PaymentProvider {
  if (method === manual.name) return manual;
  return isTestTenant && (standard.isLive || method.startsWith('sandbox_')) ? sandbox : standard;
}

/** The provider that keeps a method, by its name. */
export function providerNamed({ standard }: Providers, name: string): PaymentProvider {
  const known = [standard, sandbox, manual].find((provider) => provider.name === name);
  return known ?? unknown(name);
}

// A provider that was switched off cannot be reached. It does not decline: a charge that it was asked for may have
// been made, and a server that was started with the wrong settings must not cancel anybody.
function unknown(name: string): PaymentProvider {
  const answer = async () => {
    throw new Error(`There is no payment provider ${name}.`);
  };
  return { name, start: answer, resume: answer, charge: answer, refund: answer };
}
