import type { Charge, Outcome, PaymentProvider, RefundOutcome } from '../../../src/providers/provider.ts';
import type { Fate } from './fate.ts';
import type { Random } from '../../../src/lib/random.ts';
import { openDesk, type Desk, type Movement } from './takeBack.ts';

/** A payment provider with random outcomes. It stores every idempotency key with its outcome, as the interface demands. */
export interface Bank extends PaymentProvider {
  movements: Map<string, Movement>;
  /** Requests that the service must never send. */
  faults: string[];
  /** The probability that a request or a response is lost. */
  loss: number;
  /** What the bank takes back by itself. */
  desk: Desk;
}

/** How likely each kind of card is declined, with its holder present and without. */
const cards: Record<string, { present: number; absent: number }> = {
  card_good: { present: 0.02, absent: 0.03 },
  card_weak: { present: 0.1, absent: 0.4 },
  card_poor: { present: 0.1, absent: 0.95 },
  card_careful: { present: 0, absent: 0.05 },
};

export const cardNames = Object.keys(cards);

/** Opens a bank whose moods come from `random`; `fate` may end the service before or after the bank has acted. */
export function openBank(random: Random, fate: Fate): Bank {
  const movements = new Map<string, Movement>();
  const answers = new Map<string, { request: string; answer: unknown }>();
  const refunded = new Map<string, bigint>();
  const faults: string[] = [];

  const move = (movement: Movement) => {
    if (movement.amountMinor <= 0n) return;
    if (movements.has(movement.key)) faults.push(`${movement.key} moved money twice`);
    movements.set(movement.key, movement);
  };

  /** What was decided for a question is decided for good; the question or the answer may be lost. */
  async function respond<Answer>(question: string, request: string, reply: () => Answer): Promise<Answer> {
    fate.tick();
    if (random.chance(bank.loss)) throw new Error('the request was lost');
    const known = answers.get(question);
    if (known && known.request !== request) faults.push(`${question}: ${known.request}, then ${request}`);
    const answer = known ? (known.answer as Answer) : reply();
    if (!isOpen(answer)) answers.set(question, { request, answer });
    fate.tick();
    if (random.chance(bank.loss)) throw new Error('the answer was lost');
    return answer;
  }

  function decide(charge: Charge, method: string, present: boolean): Outcome {
    const card = cards[method];
    const declineProbability = card?.[present ? 'present' : 'absent'] ?? 1;
    if (charge.amountMinor > 0n && random.chance(declineProbability)) {
      return { status: 'declined', reason: 'card_declined' };
    }
    const { idempotencyKey: key, tenantAlias, amountMinor, currency } = charge;
    move({ kind: 'charge', key, reference: `bank_${key}`, tenantAlias, amountMinor, currency });
    return { status: 'succeeded', reference: `bank_${key}`, methodReference: method };
  }

  const desk = openDesk(
    random.fork(),
    movements,
    (of) => (movements.get(of)?.amountMinor ?? 0n) - (refunded.get(`bank_${of}`) ?? 0n),
  );
  const bank: Bank = {
    name: 'bank',
    movements,
    faults,
    loss: 0,
    desk,
    start: (charge, method) =>
      respond(`start ${charge.idempotencyKey}`, formatCharge(charge, method), () =>
        method === 'card_careful' && charge.amountMinor > 0n
          ? {
              status: 'requires_action',
              reference: `bank_${charge.idempotencyKey}`,
              actionUrl: 'about:blank',
            }
          : decide(charge, method, true),
      ),
    resume: (charge, reference) =>
      respond(`resume ${charge.idempotencyKey}`, formatCharge(charge, reference), () =>
        random.chance(0.3)
          ? { status: 'requires_action', reference, actionUrl: 'about:blank' }
          : decide(charge, random.pick(['card_careful', 'card_poor', 'card_careful']), true),
      ),
    charge: (charge, method) =>
      respond(`charge ${charge.idempotencyKey}`, formatCharge(charge, method), () =>
        decide(charge, method, false),
      ),
    refund: (refund) =>
      respond<RefundOutcome>(
        `refund ${refund.idempotencyKey}`,
        formatCharge(refund, refund.chargeReference),
        () => {
          if (random.chance(0.1)) return { status: 'declined', reason: 'refund_refused' };
          const { idempotencyKey: key, tenantAlias, amountMinor, currency, chargeReference: of } = refund;
          const reference = `bank_${key}`;
          const chargeKey = of.slice('bank_'.length);
          const chargedMinor = movements.get(chargeKey)?.amountMinor ?? 0n;
          const given = (refunded.get(of) ?? 0n) + amountMinor;
          if (given > chargedMinor) faults.push(`${given} given back of ${of}`);
          // Of what it took back by itself the service may not know yet.
          if (given + desk.sumTaken(chargeKey) > chargedMinor)
            return { status: 'declined', reason: 'charge_already_refunded' };
          refunded.set(of, given);
          move({ kind: 'refund', key, reference, tenantAlias, amountMinor, currency, of });
          return { status: 'succeeded', reference };
        },
      ),
  };
  return bank;
}

const isOpen = (answer: unknown) => (answer as Outcome).status === 'requires_action';

const formatCharge = (respond: { amountMinor: bigint; currency: string }, whom: string) =>
  `${respond.amountMinor} ${respond.currency} ${whom}`;
