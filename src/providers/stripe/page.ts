import type { PageOffer } from '../provider.ts';
import { toStripeAmount } from './amounts.ts';
import { redirectMethod } from './sessions.ts';
import { texts } from './texts.ts';

// https://docs.stripe.com/js/appendix/supported_locales
const locales = ['en', 'de', 'fr', 'es', 'ar', 'he'];
const confirmationForm = /^ctoken_\w{1,100}$/;

/** Whether a text has the form of the id of a confirmation token. */
export const isConfirmation = (text: string): boolean => confirmationForm.test(text);

/** Returns the options of the Payment Element before there is an intent. */
const buildOptions = (amountMinor: bigint, currency: string) =>
  amountMinor === 0n
    ? { mode: 'setup', currency }
    : {
        mode: 'payment',
        amount: toStripeAmount(amountMinor, currency),
        currency,
        setupFutureUsage: 'off_session',
      };

const apiOrigin = 'https://api.stripe.com';

/**
 * Returns what Stripe offers on a page: its own page, and with a publishable key the Payment Element, whose origins are
 * those of https://docs.stripe.com/security/guide#content-security-policy.
 */
export function buildPageOffer({
  publishableKey,
  scriptUrl,
}: {
  publishableKey?: string;
  scriptUrl: string;
}): PageOffer {
  if (publishableKey === undefined) return { redirectMethod, texts };
  const { origin, protocol, host } = new URL(scriptUrl);
  // An address without a domain has no subdomains.
  const script = protocol === 'https:' ? [origin, `https://*.${host}`] : [origin];
  const origins = {
    script,
    frame: [...script, 'https://hooks.stripe.com'],
    connect: [apiOrigin],
    img: ['https://*.stripe.com'],
  };
  const form = { scriptUrl, publishableKey, locales, buildOptions, isConfirmation, origins };
  return { redirectMethod, texts, form };
}
