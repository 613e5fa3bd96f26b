import type { Charge, Outcome, PaymentProvider } from './provider.ts';

/**
 * Money that arrives by bank or cash: nothing is charged, an operator records what has come
 * (`recordPayment`), and gives back by hand what is refunded.
 */
export const manual: PaymentProvider = {
  name: 'manual',
  start: async (charge) => waiting(charge),
  resume: async (charge) => waiting(charge),
  charge: async (charge) => waiting(charge),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `manual_${idempotencyKey}` }),
};

/** To keep the method costs nothing, and so there is nothing to wait for. */
const waiting = ({ amountMinor, idempotencyKey }: Charge): Outcome =>
  amountMinor === 0n
    ? { status: 'succeeded', reference: `manual_${idempotencyKey}`, methodReference: 'manual' }
    : { status: 'pending', reference: null, methodReference: 'manual' };
