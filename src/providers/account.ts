import type { Clock } from '../lib/clock.ts';
import type { PaymentProvider } from './provider.ts';

/** The settings of an account at a payment provider, secrets included. */
interface ProviderAccount {
  provider: string;
  settings: Record<string, string>;
  secrets: Record<string, string>;
  /** The tenant, if the account is its own and not that of the server. */
  tenantAlias?: string;
}

/** Creates the provider that uses an account. */
export type OpenProvider = (account: ProviderAccount) => Promise<PaymentProvider>;

interface ProviderSurroundings {
  /** The base URLs of the providers' APIs. */
  stripeUrl: string;
  /** The URL of Stripe's script for the card form. */
  stripeScriptUrl: string;
  /** The public URL of this server. */
  publicUrl: string;
  clock: Clock;
}

/** Creates the function that opens accounts. The SDKs are loaded on first use, because that takes time. */
export function createProviderOpener(surroundings: ProviderSurroundings): OpenProvider {
  const { stripeUrl: url, stripeScriptUrl: scriptUrl, publicUrl, clock } = surroundings;
  return async ({ provider, settings, secrets }) => {
    if (provider !== 'stripe') throw new Error(`There is no payment provider ${provider}.`);
    const { createStripe } = await import('./stripe/stripe.ts');
    const { secretKey = '', webhookSecret = '' } = secrets;
    const { publishableKey } = settings;
    return createStripe({ secretKey, webhookSecret, publishableKey, scriptUrl, url, publicUrl, clock });
  };
}
