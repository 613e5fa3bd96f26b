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
  mollieUrl: string;
  /** The URL of Stripe's script for the card form. */
  stripeScriptUrl: string;
  /** The public URL of this server. */
  publicUrl: string;
  clock: Clock;
}

/** Creates the function that opens accounts. The SDKs are loaded on first use, because that takes time. */
export function createProviderOpener(surroundings: ProviderSurroundings): OpenProvider {
  const { stripeUrl, stripeScriptUrl: scriptUrl, mollieUrl, publicUrl, clock } = surroundings;
  return async ({ provider, settings, secrets, tenantAlias }) => {
    switch (provider) {
      case 'stripe': {
        const { createStripe } = await import('./stripe/stripe.ts');
        const { secretKey = '', webhookSecret = '' } = secrets;
        const { publishableKey } = settings;
        return createStripe({
          secretKey,
          webhookSecret,
          publishableKey,
          scriptUrl,
          url: stripeUrl,
          publicUrl,
          clock,
        });
      }
      case 'mollie': {
        const { createMollie } = await import('./mollie/mollie.ts');
        const { apiKey = '' } = secrets;
        const callbackPath = `/callbacks/mollie${tenantAlias === undefined ? '' : `/${tenantAlias}`}`;
        return createMollie({ apiKey, url: mollieUrl, publicUrl, callbackPath });
      }
      default:
        throw new Error(`There is no payment provider ${provider}.`);
    }
  };
}
