import type { Charge, Outcome, PaymentProvider } from './provider.ts';

/** Methods whose outcome is in their name; no money moves. */
const outcomes: Record<string, (charge: Charge) => Outcome> = {
  sandbox_ok: ({ idempotencyKey }) => ({
    status: 'succeeded',
    reference: `sandbox_${idempotencyKey}`,
    methodReference: 'sandbox_ok',
  }),
  sandbox_declined: () => ({ status: 'declined', reason: 'card_declined' }),
};

/** The provider for trying things out. */
export const sandbox: PaymentProvider = {
  name: 'sandbox',
  start: async (charge, method) =>
    outcomes[method]?.(charge) ?? { status: 'declined', reason: 'unknown_payment_method' },
};
