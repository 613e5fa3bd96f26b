import type { Charge, Outcome, PaymentProvider } from './provider.ts';

/**
 * A provider for tests that moves no money; the method's name determines the outcome. `sandbox_ok` succeeds,
 * `sandbox_declined` is declined, `sandbox_ok_then_declined` succeeds while the payer is present and is declined later,
 * `sandbox_requires_action` requires a confirmation and succeeds when resumed.
 */
export const sandbox: PaymentProvider = {
  name: 'sandbox',
  start: async (charge, method) => {
    if (method === 'sandbox_requires_action') {
      return { status: 'requires_action', reference: makeReference(charge), actionUrl: 'about:blank' };
    }
    const pays = method === 'sandbox_ok' || method === 'sandbox_ok_then_declined';
    return pays ? succeed(charge, method) : decline(method);
  },
  resume: async (charge) => succeed(charge, 'sandbox_ok'),
  charge: async (charge, methodReference) =>
    methodReference === 'sandbox_ok' ? succeed(charge, methodReference) : decline('sandbox_declined'),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `sandbox_${idempotencyKey}` }),
};

const makeReference = ({ idempotencyKey }: Charge) => `sandbox_${idempotencyKey}`;

const succeed = (charge: Charge, methodReference: string): Outcome => ({
  status: 'succeeded',
  reference: makeReference(charge),
  methodReference,
});

const decline = (method: string): Outcome => ({
  status: 'declined',
  reason: method === 'sandbox_declined' ? 'card_declined' : 'unknown_payment_method',
});
