import type { ProviderKind } from './descriptor.ts';
import type { Charge, Outcome, PaymentProvider } from './provider.ts';

/**
 * Payments by bank transfer or cash. Nothing is charged: an operator records received payments (`recordPayment`) and
 * makes refunds by hand.
 */
export const manual: PaymentProvider & ProviderKind = {
  name: 'manual',
  description: 'Bank transfer or cash, recorded by an operator.',
  isInProcess: true,
  start: async (charge) => getOutcome(charge),
  resume: async (charge) => getOutcome(charge),
  charge: async (charge) => getOutcome(charge),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `manual_${idempotencyKey}` }),
};

/** Saving the method has no cost, so it succeeds at once. */
const getOutcome = ({ amountMinor, idempotencyKey }: Charge): Outcome =>
  amountMinor === 0n
    ? { status: 'succeeded', reference: `manual_${idempotencyKey}`, methodReference: 'manual' }
    : { status: 'pending', reference: null, methodReference: 'manual' };
