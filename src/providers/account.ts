import type { Clock } from '../lib/clock.ts';
import type { ProviderDescriptor } from './descriptor.ts';
import type { PaymentProvider } from './provider.ts';

/** The settings of an account at a payment provider, secrets included. */
export interface ProviderAccount {
  provider: string;
  settings: Record<string, string>;
  secrets: Record<string, string>;
  /** The tenant, if the account is its own and not that of the server. */
  tenantAlias?: string;
}

/** Creates the provider that uses an account. */
export type OpenProvider = (account: ProviderAccount) => Promise<PaymentProvider>;

interface ProviderSurroundings {
  descriptors: readonly ProviderDescriptor[];
  /** The addresses of each provider, by its name. */
  addresses: Record<string, Record<string, string>>;
  /** The public URL of this server. */
  publicUrl: string;
  clock: Clock;
}

/** Creates the function that opens accounts. */
export function createProviderOpener(surroundings: ProviderSurroundings): OpenProvider {
  const { descriptors, addresses, publicUrl, clock } = surroundings;
  return async ({ provider, settings, secrets, tenantAlias }) => {
    const found = descriptors.find(({ name }) => name === provider);
    if (!found) throw new Error(`There is no payment provider ${provider}.`);
    const callbackPath = `/callbacks/${provider}${tenantAlias === undefined ? '' : `/${tenantAlias}`}`;
    const isLive = found.isLive(secrets);
    const account = { secrets, settings, addresses: addresses[provider]!, publicUrl, callbackPath, clock };
    return { name: provider, isLive, ...(await found.open(account)) };
  };
}
