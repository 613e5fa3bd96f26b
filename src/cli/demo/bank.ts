import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { Charge, Outcome, PaymentProvider } from '../../providers/provider.ts';
import { sandbox } from '../../providers/sandbox.ts';

/** The methods of the demo's customers, and how often a charge without its holder is declined. */
const declineProbability: Record<string, number> = {
  card_good: 0.018,
  card_weak: 0.75,
  sepa_good: 0.01,
};

/** The method of the sandbox that continues a method after the history: weak cards are declined from then on. */
const continuations: Record<string, string> = {
  card_good: 'sandbox_ok',
  sepa_good: 'sandbox_ok',
  card_weak: 'sandbox_ok_then_declined',
};

const declines = [
  'insufficient_funds',
  'insufficient_funds',
  'card_declined',
  'expired_card',
  'processing_error',
];

/**
 * Creates the provider of the history. It has the name of the sandbox, which takes its methods over afterwards, and
 * declines charges at random.
 */
export function openBank(random: Random, clock: Clock): PaymentProvider {
  const start = async (charge: Charge, method: string): Promise<Outcome> => {
    const methodReference = continuations[method];
    if (methodReference === undefined) return { status: 'declined', reason: random.pick(declines) };
    const reference = `sandbox_${charge.idempotencyKey}`;
    return { status: 'succeeded', reference, methodReference, method: inventDetails(random, clock, method) };
  };
  const charge = async (due: Charge, methodReference: string): Promise<Outcome> => {
    const isWeak = methodReference === continuations['card_weak'];
    if (random.chance(declineProbability[isWeak ? 'card_weak' : 'card_good']!))
      return { status: 'declined', reason: random.pick(declines) };
    return { status: 'succeeded', reference: `sandbox_${due.idempotencyKey}`, methodReference };
  };
  return { ...sandbox, start, charge };
}

function inventDetails(random: Random, clock: Clock, method: string) {
  const last4 = `${random.whole(1000, 9999)}`;
  if (method === 'sepa_good')
    return { type: 'sepa_debit', brand: null, last4, expiresAt: null, fingerprint: null };
  const brand = random.pick(['visa', 'visa', 'visa', 'mastercard', 'mastercard', 'amex']);
  const month = `${random.whole(1, 12)}`.padStart(2, '0');
  const year = new Date(clock.nowMs()).getUTCFullYear() + random.whole(2, 5);
  const expiresAt = `${year}-${month}-01T00:00:00.000Z`;
  return { type: 'card', brand, last4, expiresAt, fingerprint: null };
}
