import type { Row } from '../storage/model/rowTypes.ts';
import { refuse } from '../lib/errors.ts';
import { manual } from './manual.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** The providers that a server has; `standard` is the sandbox where none that moves money is configured. */
export interface Providers {
  standard: PaymentProvider;
}

/** The columns of a tenant that decide which providers serve it. */
type PayingTenant = Pick<Row<'tenants'>, 'test' | 'paymentProviders'>;

const sandboxPrefix = 'sandbox_';

/**
 * The provider that takes a payment method which is chosen now: `manual` by its name, `sandbox_…` for test tenants
 * alone, and the standard provider for the others. Test tenants never reach a provider that moves real money.
 * Error: `validation_failed` where the tenant does not take the method.
 */
export function selectProvider(providers: Providers, method: string, tenant: PayingTenant): PaymentProvider {
  const { standard } = providers;
  const refuseMethod = (message: string) => refuse('validation_failed', { path: 'paymentMethod', message });
  if (method !== manual.name && tenant.test && (standard.isLive || method.startsWith(sandboxPrefix)))
    return sandbox;
  if (method.startsWith(sandboxPrefix)) return refuseMethod('sandbox methods are for test tenants only');
  const provider = method === manual.name ? manual : standard;
  if (provider.name === sandbox.name && !tenant.test)
    return refuseMethod('no payment provider is configured; only manual is accepted');
  if (!isSwitchedOn(tenant, provider.name))
    return refuseMethod(`${provider.name} is switched off for this tenant`);
  return provider;
}

/** Whether new payments of a tenant can be charged by a provider, and not be transferred alone. */
export const canCharge = (providers: Providers, tenant: PayingTenant): boolean =>
  providerNamesOf(providers, tenant).some((name) => name !== manual.name);

/** The names of the providers that new payments of a tenant may use. */
export function providerNamesOf({ standard }: Providers, tenant: PayingTenant): string[] {
  const isCharging = standard.name !== sandbox.name && !(tenant.test && standard.isLive);
  const names = [...(isCharging ? [standard.name] : []), manual.name];
  return [...(tenant.test ? [sandbox.name] : []), ...names.filter((name) => isSwitchedOn(tenant, name))];
}

/** The sandbox needs no switch: the kind of tenant decides. */
const isSwitchedOn = ({ paymentProviders }: PayingTenant, name: string) =>
  paymentProviders === null || name === sandbox.name || paymentProviders.includes(name);

/**
 * The provider that keeps a method, by its name, whether or not the tenant still offers it to payers. A sandbox
 * method of a live tenant, and a live method of a test tenant, are declined.
 */
export function providerNamed({ standard }: Providers, name: string, tenant: PayingTenant): PaymentProvider {
  const known = [standard, sandbox, manual].find((provider) => provider.name === name);
  if (!known) return unreachable(name);
  if (name === sandbox.name && !tenant.test) return declining(known, sandboxOnLiveTenant);
  return known.isLive && tenant.test ? declining(known, 'live_provider_on_test_tenant') : known;
}

/** Why a charge of a sandbox method fails on a live tenant. */
const sandboxOnLiveTenant = 'sandbox_method_on_live_tenant';

/** Declines every charge for a reason; what was taken earlier can still be given back. */
function declining(provider: PaymentProvider, reason: string): PaymentProvider {
  const decline = async (): Promise<Outcome> => ({ status: 'declined', reason });
  return { ...provider, start: decline, resume: decline, charge: decline };
}

// A provider that was switched off cannot be reached. It does not decline: a charge that it was asked for may have
// been made, and a server that was started with the wrong settings must not cancel anybody.
function unreachable(name: string): PaymentProvider {
  const answer = async () => {
    throw new Error(`There is no payment provider ${name}.`);
  };
  return { name, start: answer, resume: answer, charge: answer, refund: answer };
}
