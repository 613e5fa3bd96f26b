import { computeCycleAmount } from '../pricing/priceModel.ts';
import { largestQuantity } from '../catalog/priceModels.ts';
import { refuse } from '../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR } from '../lib/money.ts';
import type { Row } from '../storage/model/rowTypes.ts';

/** The terms of a price for a quantity, as stored in an intent and its subscription. */
type PriceAgreement = Pick<
  Row<'intents'>,
  | 'productId'
  | 'priceId'
  | 'groupId'
  | 'productName'
  | 'amountMinor'
  | 'currency'
  | 'frequency'
  | 'period'
  | 'quantity'
  | 'pricing'
>;

/**
 * Returns the terms of a new agreement. The quantity is the requested one, otherwise that of the changed subscription,
 * otherwise the minimum of the price. The amount is that of a whole cycle. Error: `validation_failed` at `quantity`.
 */
export function agreeToPrice(
  product: Row<'products'>,
  price: Row<'prices'>,
  quantity: number | null | undefined,
  changed: Pick<Row<'subscriptions'>, 'quantity'> | undefined,
): PriceAgreement {
  const { currency, frequency, period, pricing } = price;
  const agreed = pricing === null ? refuseQuantityOfFlat(quantity) : chooseQuantity(price, quantity, changed);
  const { amountMinor } = computeCycleAmount(price, agreed ?? 1);
  if (amountMinor > LARGEST_AMOUNT_MINOR) refuseQuantity('results in an amount that is too large');
  return {
    productId: product.id,
    priceId: price.id,
    groupId: product.groupId,
    productName: product.name,
    amountMinor,
    currency,
    frequency,
    period,
    quantity: agreed,
    pricing,
  };
}

/** Returns the quantity of an agreement; 1 for a flat price. */
export const findQuantity = ({ quantity }: Pick<PriceAgreement, 'quantity'>): number => quantity ?? 1;

function refuseQuantityOfFlat(quantity: number | null | undefined): null {
  if (quantity === 1 || quantity === null || quantity === undefined) return null;
  return refuseQuantity('must be 1: a flat price has no quantity');
}

function chooseQuantity(
  { minQuantity, maxQuantity }: Row<'prices'>,
  requested: number | null | undefined,
  changed: Pick<Row<'subscriptions'>, 'quantity'> | undefined,
): number {
  const [least, most] = [minQuantity ?? 1, maxQuantity ?? largestQuantity];
  const quantity = requested ?? changed?.quantity ?? least;
  if (quantity >= least && quantity <= most) return quantity;
  return refuseQuantity(`must be from ${least} to ${most}`);
}

const refuseQuantity = (message: string): never => refuse('validation_failed', { path: 'quantity', message });
