import type { PageOffer } from '../provider.ts';
import { redirectMethod } from './sessions.ts';

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
  if (publishableKey === undefined) return { redirectMethod };
  const { origin, protocol, host } = new URL(scriptUrl);
  const script = [origin, `${protocol}//*.${host}`];
  const origins = {
    script,
    frame: [...script, 'https://hooks.stripe.com'],
    connect: [apiOrigin],
    img: ['https://*.stripe.com'],
  };
  return { redirectMethod, form: { scriptUrl, publishableKey, origins } };
}
