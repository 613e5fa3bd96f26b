import type { Row } from '../storage/model/rowTypes.ts';
import { refuse } from '../lib/errors.ts';
import { manual } from './manual.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** The providers of a server; `standard` is the sandbox if no provider that moves money is configured. */
export interface Providers {
  standard: PaymentProvider;
}

/** The columns of a tenant that determine its providers. */
type PayingTenant = Pick<Row<'tenants'>, 'test' | 'paymentProviders'>;

const sandboxPrefix = 'sandbox_';

/**
 * Returns the provider for a newly chosen payment method: `manual` by its name, the sandbox for `sandbox_…` (test
 * tenants only), otherwise the standard provider. Test tenants never use a provider that moves real money. Error:
 * `validation_failed` if the tenant does not accept the method.
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
  if (!isEnabled(tenant, provider.name))
    return refuseMethod(`${provider.name} is switched off for this tenant`);
  return provider;
}

/** Whether new payments of a tenant can be charged, as opposed to bank transfers only. */
export const canCharge = (providers: Providers, tenant: PayingTenant): boolean =>
  listProviderNames(providers, tenant).some((name) => name !== manual.name);

/** Lists the names of the providers that new payments of a tenant may use. */
export function listProviderNames({ standard }: Providers, tenant: PayingTenant): string[] {
  const isCharging = standard.name !== sandbox.name && !(tenant.test && standard.isLive);
  const names = [...(isCharging ? [standard.name] : []), manual.name];
  return [...(tenant.test ? [sandbox.name] : []), ...names.filter((name) => isEnabled(tenant, name))];
}

/** The sandbox cannot be disabled; test tenants always have it. */
const isEnabled = ({ paymentProviders }: PayingTenant, name: string) =>
  paymentProviders === null || name === sandbox.name || paymentProviders.includes(name);

/**
 * Returns the provider of a saved method by name, even if the tenant no longer offers it to payers. Declines sandbox
 * methods of live tenants and live methods of test tenants.
 */
export function findProvider({ standard }: Providers, name: string, tenant: PayingTenant): PaymentProvider {
  const known = [standard, sandbox, manual].find((provider) => provider.name === name);
  if (!known) return buildUnreachableProvider(name);
  if (name === sandbox.name && !tenant.test) return buildDecliningProvider(known, sandboxOnLiveTenant);
  return known.isLive && tenant.test ? buildDecliningProvider(known, 'live_provider_on_test_tenant') : known;
}

/** The reason of a declined sandbox charge on a live tenant. */
const sandboxOnLiveTenant = 'sandbox_method_on_live_tenant';

/** Declines every charge with a reason; refunds of earlier charges still work. */
function buildDecliningProvider(provider: PaymentProvider, reason: string): PaymentProvider {
  const decline = async (): Promise<Outcome> => ({ status: 'declined', reason });
  return { ...provider, start: decline, resume: decline, charge: decline };
}

// A provider that is not configured counts as unreachable and does not decline: a charge may already have been made,
// and a server started with the wrong settings must not cancel subscriptions.
function buildUnreachableProvider(name: string): PaymentProvider {
  const fail = async () => {
    throw new Error(`There is no payment provider ${name}.`);
  };
  return { name, start: fail, resume: fail, charge: fail, refund: fail };
}
