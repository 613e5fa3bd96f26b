import type { ProviderKind } from './descriptor.ts';
import type { Charge, Outcome, PaymentProvider } from './provider.ts';
import { hardDeclines } from './stripe/hardDeclines.ts';

/**
 * A provider for tests that moves no money; the method's name determines the outcome. `sandbox_ok` succeeds,
 * `sandbox_declined` is declined, `sandbox_ok_then_declined` succeeds while the payer is present and is declined later,
 * `sandbox_ok_then_lost` likewise, with a decline that stops the retries, `sandbox_requires_action` requires a confirmation and succeeds when resumed.
 */
export const sandbox: PaymentProvider & ProviderKind = {
  name: 'sandbox',
  description: 'Test payment methods that move no money; for test tenants only.',
  // It declines with the codes of Stripe.
  hardDeclines,
  start: async (charge, method) => {
    if (method === 'sandbox_requires_action') {
      return { status: 'requires_action', reference: makeReference(charge), actionUrl: 'about:blank' };
    }
    return payingMethods.includes(method) ? succeed(charge, method) : decline(method);
  },
  resume: async (charge) => succeed(charge, 'sandbox_ok'),
  charge: async (charge, methodReference) => {
    if (methodReference === 'sandbox_ok') return succeed(charge, methodReference);
    return methodReference === 'sandbox_ok_then_lost'
      ? { status: 'declined', reason: 'lost_card' }
      : decline('sandbox_declined');
  },
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `sandbox_${idempotencyKey}` }),
};

const payingMethods = ['sandbox_ok', 'sandbox_ok_then_declined', 'sandbox_ok_then_lost'];

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
  method: testCard,
});

const decline = (method: string): Outcome => ({
  status: 'declined',
  reason: method === 'sandbox_declined' ? 'card_declined' : 'unknown_payment_method',
});
