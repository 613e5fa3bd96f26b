import { declineCodes, type DeclineCode } from '../lib/declineCodes.ts';
import type { ProviderKind } from './descriptor.ts';
import type { Charge, Outcome, PaymentProvider } from './provider.ts';
import { declines, hardDeclines } from './stripe/declines.ts';

/**
 * A provider for tests that moves no money; the method's name determines the outcome. `sandbox_ok` succeeds,
 * `sandbox_declined` is declined, `sandbox_ok_then_declined` succeeds while the payer is present and is declined later,
 * `sandbox_ok_then_lost` likewise, with a decline that stops the retries, `sandbox_requires_action` requires a confirmation and succeeds when resumed.
 * `sandbox_declined_…` and `sandbox_ok_then_declined_…` end in the code of the decline, such as `expired_card`. `sandbox_ok_in_fr` is
 * a card of France, and so on.
 */
export const sandbox: PaymentProvider & ProviderKind = {
  name: 'sandbox',
  description: 'Test payment methods that move no money; for test tenants only.',
  isInProcess: true,
  // It declines with the codes of Stripe.
  declines,
  hardDeclines,
  start: async (charge, method) => {
    if (method === 'sandbox_requires_action') {
      return { status: 'requires_action', reference: makeReference(charge), actionUrl: 'about:blank' };
    }
    const isPaying = isGood(method) || findLaterReason(method) !== undefined;
    return isPaying ? succeed(charge, method) : decline(findReason('sandbox_declined', method));
  },
  resume: async (charge) => succeed(charge, 'sandbox_ok'),
  charge: async (charge, methodReference) =>
    isGood(methodReference)
      ? succeed(charge, methodReference)
      : decline(findLaterReason(methodReference) ?? 'card_declined'),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `sandbox_${idempotencyKey}` }),
};

/** Returns why a method of a kind is declined: by the code that it ends in, with the first reason that Stripe has for it. */
function findReason(kind: string, method: string): string | undefined {
  if (method === kind) return 'card_declined';
  const code = method.startsWith(`${kind}_`) ? method.slice(kind.length + 1) : '';
  return Object.hasOwn(declineCodes, code) ? (declines[code as DeclineCode]?.[0] ?? code) : undefined;
}

/** Returns why later charges of a method are declined; undefined if they are not. */
const findLaterReason = (method: string): string | undefined =>
  method === 'sandbox_ok_then_lost' ? 'lost_card' : findReason('sandbox_ok_then_declined', method);

/** Returns the country of a card; undefined for a method without one. */
const findCountry = (method: string): string | undefined =>
  /^sandbox_ok_in_([a-z]{2})$/.exec(method)?.[1]?.toUpperCase();

const isGood = (method: string): boolean => method === 'sandbox_ok' || findCountry(method) !== undefined;

/** The card that all methods of the sandbox show. */
const testCard = {
  type: 'card',
  brand: 'visa',
  last4: '4242',
  expiresAt: '2035-01-01T00:00:00.000Z',
  fingerprint: null,
};

const makeReference = ({ idempotencyKey }: Charge) => `sandbox_${idempotencyKey}`;

const succeed = (charge: Charge, methodReference: string): Outcome => ({
  status: 'succeeded',
  reference: makeReference(charge),
  methodReference,
  method: { ...testCard, country: findCountry(methodReference) ?? null },
});

const decline = (reason = 'unknown_payment_method'): Outcome => ({ status: 'declined', reason });
