import { computeCycleAmount } from '../../pricing/priceModel.ts';
import { largestQuantity } from '../../catalog/priceModels.ts';
import { refuse } from '../../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR } from '../../../lib/money.ts';
import type { Pricing } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';

/** The terms of a price for a quantity, as stored in an intent and its subscription. */
export type PriceAgreement = Pick<
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
  | 'taxBehavior'
>;

/**
 * Returns the terms of a new agreement. The quantity is the requested one, otherwise that of the changed subscription,
 * otherwise the minimum of the price. The amount is that of a whole cycle. Error: `validation_failed` at `path`.
 */
export function agreeToPrice(
  product: Row<'products'>,
  price: Row<'prices'>,
  quantity: number | null | undefined,
  changed: Pick<Row<'subscriptions'>, 'quantity'> | undefined,
  path = 'quantity',
): PriceAgreement {
  const { currency, frequency, period, pricing, taxBehavior } = price;
  const wanted = quantity ?? (pricing === null || pricing.usage ? null : changed?.quantity);
  return {
    productId: product.id,
    priceId: price.id,
    groupId: product.groupId,
    productName: product.name,
    currency,
    frequency,
    period,
    taxBehavior,
    ...agreeToQuantity(price, price, wanted, path),
  };
}

/** The bounds of a price; none if it was deleted. */
type Bounds = Pick<Row<'prices'>, 'minQuantity' | 'maxQuantity'> | undefined;

/**
 * Returns the columns of an agreement for a quantity, by default the minimum of the price. Error: `validation_failed`
 * at `path`.
 */
export function agreeToQuantity(
  terms: Pick<PriceAgreement, 'amountMinor' | 'currency' | 'pricing'>,
  bounds: Bounds,
  wanted: number | null | undefined,
  path: string,
): Pick<PriceAgreement, 'quantity' | 'pricing' | 'amountMinor'> {
  const { pricing } = terms;
  const quantity =
    pricing === null ? refuseQuantityOfFlat(wanted, path) : chooseQuantity(pricing, bounds, wanted, path);
  const { amountMinor } = computeCycleAmount(terms, quantity ?? 1);
  if (amountMinor > LARGEST_AMOUNT_MINOR) refuseQuantity('results in an amount that is too large', path);
  return { quantity, pricing, amountMinor };
}

/** Returns the quantity of an agreement; 1 for a flat price. */
export const findQuantity = ({ quantity }: Pick<PriceAgreement, 'quantity'>): number => quantity ?? 1;

function refuseQuantityOfFlat(quantity: number | null | undefined, path: string): null {
  if (quantity === 1 || quantity === null || quantity === undefined) return null;
  return refuseQuantity('must be 1: a flat price has no quantity', path);
}

function chooseQuantity(
  { usage }: Pricing,
  bounds: Bounds,
  requested: number | null | undefined,
  path: string,
): number {
  if (usage && (requested ?? 1) !== 1)
    refuseQuantity('must be 1: a meter counts the units of this price', path);
  const [least, most] = [bounds?.minQuantity ?? 1, bounds?.maxQuantity ?? largestQuantity];
  const quantity = requested ?? least;
  if (quantity >= least && quantity <= most) return quantity;
  return refuseQuantity(`must be from ${least} to ${most}`, path);
}

const refuseQuantity = (message: string, path: string): never =>
  refuse('validation_failed', { path, message });
