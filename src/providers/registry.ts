import type { Row } from '../storage/model/rowTypes.ts';
import { refuse } from '../lib/errors.ts';
import { manual } from './manual.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** The providers that can charge, in the order in which they are offered; the sandbox and `manual` are not among them. */
export type Providers = readonly PaymentProvider[];

/** The columns of a tenant that determine its providers. */
type PayingTenant = Pick<Row<'tenants'>, 'test' | 'paymentProviders'>;

const sandboxPrefix = 'sandbox_';
/**
 * Returns the provider for a newly chosen payment method: `manual` by its name, the sandbox for `sandbox_…` (test
 * tenants only), otherwise the provider that recognizes the method, or the one that recognizes none by name. Test
 * tenants never use a provider that moves real money: they get the sandbox, also in place of one that is not configured.
 * Error: `validation_failed` if the tenant does not accept the method.
 */
export function selectProvider(providers: Providers, method: string, tenant: PayingTenant): PaymentProvider {
  const refuseMethod = (message: string) => refuse('validation_failed', { path: 'paymentMethod', message });
  const charging =
    providers.find(({ recognizes }) => recognizes?.(method)) ??
    providers.find(({ recognizes }) => recognizes === undefined);
  const isSandboxMethod = method.startsWith(sandboxPrefix);
  if (method !== manual.name && tenant.test && (!charging || charging.isLive || isSandboxMethod))
    return sandbox;
  if (isSandboxMethod) return refuseMethod('sandbox methods are for test tenants only');
  const provider = method === manual.name ? manual : charging;
  if (!provider && providers.length === 0)
    return refuseMethod('no payment provider is configured; only manual is accepted');
  if (!provider) return refuseMethod('no configured payment provider has this method');
  if (!isEnabled(tenant, provider.name))
    return refuseMethod(`${provider.name} is switched off for this tenant`);
  return provider;
}

/**
 * Returns the provider that a newly chosen method names by itself, whatever accounts there are; undefined for other methods.
 */
export function findNamedProvider(method: string, tenant: PayingTenant): PaymentProvider | undefined {
  if (tenant.test && method.startsWith(sandboxPrefix)) return sandbox;
  return method === manual.name && isEnabled(tenant, manual.name) ? manual : undefined;
}

/** Whether new payments of a tenant can be charged, as opposed to bank transfers only. */
export const canCharge = (providers: Providers, tenant: PayingTenant): boolean =>
  listProviderNames(providers, tenant).some((name) => name !== manual.name);

/** Lists the names of the providers that new payments of a tenant may use. */
export function listProviderNames(providers: Providers, tenant: PayingTenant): string[] {
  const charging = providers.filter(({ isLive }) => !(tenant.test && isLive)).map(({ name }) => name);
  const names = [...charging, manual.name].filter((name) => isEnabled(tenant, name));
  return [...(tenant.test ? [sandbox.name] : []), ...names];
}

/** The sandbox cannot be disabled; test tenants always have it. */
const isEnabled = ({ paymentProviders }: PayingTenant, name: string) =>
  paymentProviders === null || paymentProviders.includes(name);

/**
 * Returns the provider of a saved method by name, even if the tenant no longer offers it to payers. Declines sandbox
 * methods of live tenants and live methods of test tenants.
 */
export function findProvider(providers: Providers, name: string, tenant: PayingTenant): PaymentProvider {
  const known = [...providers, sandbox, manual].find((provider) => provider.name === name);
  if (!known) return buildUnreachableProvider(name, `There is no payment provider ${name}.`);
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

/**
 * Builds a provider whose every call fails. A provider that is not configured counts as unreachable and does not
 * decline: a charge may already have been made, and a server started with the wrong settings must not cancel
 * subscriptions.
 */
export function buildUnreachableProvider(name: string, message: string): PaymentProvider {
  const fail = async () => {
    throw new Error(message);
  };
  return { name, start: fail, resume: fail, charge: fail, refund: fail, check: fail };
}
