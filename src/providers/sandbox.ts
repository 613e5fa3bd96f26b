import type { Charge, Outcome, PaymentProvider } from './provider.ts';

/**
 * The provider for trying things out: no money moves, and the outcome is in the name of the method.
 * `sandbox_ok` pays, `sandbox_declined` never does, `sandbox_ok_then_declined` pays while the payer is present and
 * declines later, `sandbox_requires_action` asks for a confirmation and pays once it is asked again.
 */
export const sandbox: PaymentProvider = {
  name: 'sandbox',
  start: async (charge, method) => {
    if (method === 'sandbox_requires_action') {
      return { status: 'requires_action', reference: makeReference(charge), actionUrl: 'about:blank' };
    }
    const pays = method === 'sandbox_ok' || method === 'sandbox_ok_then_declined';
    return pays ? paid(charge, method) : declined(method);
  },
  resume: async (charge) => paid(charge, 'sandbox_ok'),
  charge: async (charge, methodReference) =>
    methodReference === 'sandbox_ok' ? paid(charge, methodReference) : declined('sandbox_declined'),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `sandbox_${idempotencyKey}` }),
};

const makeReference = ({ idempotencyKey }: Charge) => `sandbox_${idempotencyKey}`;

const paid = (charge: Charge, methodReference: string): Outcome => ({
  status: 'succeeded',
  reference: makeReference(charge),
  methodReference,
});

const declined = (method: string): Outcome => ({
  status: 'declined',
  reason: method === 'sandbox_declined' ? 'card_declined' : 'unknown_payment_method',
});
