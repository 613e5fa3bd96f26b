import { computeCycleAmount } from '../pricing/priceModel.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Books } from './auditSnapshot.ts';

type Agreement = Pick<
  Row<'subscriptions'>,
  'id' | 'amountMinor' | 'currency' | 'quantity' | 'pricing' | 'priceId' | 'paymentIntentId'
>;

/**
 * Checks the amount of a cycle: an intent's is computed from its price model and quantity, and a subscription has the
 * terms of the intent that it was agreed to by.
 */
export function auditAgreements(books: Books, blame: (subject: string, found: string) => void): void {
  for (const intent of books.agreements) {
    const expected = computeAmount(intent);
    if (intent.amountMinor !== expected) {
      blame(intent.id, `costs ${intent.amountMinor} per cycle, its price model gives ${expected}`);
    }
  }
  const intents = new Map(books.agreements.map((intent) => [intent.id, intent]));
  for (const subscription of books.subscriptions) {
    const { id, amountMinor } = subscription;
    const expected = computeAmount(subscription);
    if (amountMinor !== expected) {
      blame(id, `costs ${amountMinor} per cycle, its price model gives ${expected}`);
    }
    const intent = intents.get(subscription.paymentIntentId);
    if (intent && describe(intent) !== describe(subscription)) {
      blame(id, `has ${describe(subscription)}, its intent ${describe(intent)}`);
    }
  }
}

/** Returns the amount of a cycle in minor units; for a model that cannot be read, the reason. */
function computeAmount(agreement: Omit<Agreement, 'paymentIntentId'>): bigint | string {
  if ((agreement.pricing === null) !== (agreement.quantity === null)) return 'no amount: it is incomplete';
  try {
    return computeCycleAmount(agreement, agreement.quantity ?? 1).amountMinor;
  } catch (error) {
    return `no amount: ${(error as Error).message}`;
  }
}

const describe = ({ amountMinor, quantity }: Pick<Agreement, 'amountMinor' | 'quantity'>) =>
  `${amountMinor} for a quantity of ${quantity ?? 1}`;
