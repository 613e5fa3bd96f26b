import { computeCycleAmount } from '../pricing/priceModel.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Books } from './auditSnapshot.ts';

type Agreement = Pick<
  Row<'subscriptions'>,
  'id' | 'amountMinor' | 'currency' | 'quantity' | 'pricing' | 'priceId' | 'paymentIntentId' | 'addOns'
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
    auditAddOns(intent, blame);
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

/** Checks that the amount of each add-on follows from its price model, and that no price is there twice. */
function auditAddOns(
  agreement: Omit<Agreement, 'paymentIntentId'>,
  blame: (subject: string, found: string) => void,
) {
  const { id, addOns, currency, priceId } = agreement;
  const prices = new Set([priceId]);
  for (const addOn of addOns ?? []) {
    const amountMinor = BigInt(addOn.amountMinor);
    const quantity = addOn.pricing === null ? null : addOn.quantity;
    const expected = computeAmount({ ...agreement, ...addOn, amountMinor, quantity, currency });
    if (amountMinor !== expected)
      blame(id, `its add-on ${addOn.priceId} costs ${amountMinor}, its price model gives ${expected}`);
    if (prices.has(addOn.priceId)) blame(id, `bills the price ${addOn.priceId} twice`);
    prices.add(addOn.priceId);
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

const describe = ({
  amountMinor,
  quantity,
  addOns,
}: Pick<Agreement, 'amountMinor' | 'quantity' | 'addOns'>) =>
  [
    `${amountMinor} for a quantity of ${quantity ?? 1}`,
    ...(addOns ?? []).map((addOn) => `${addOn.amountMinor} for ${addOn.quantity} of ${addOn.priceId}`),
  ].join(', ');
