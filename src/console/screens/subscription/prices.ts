import { listAddOns, type PriceChoice, type PriceToChoose } from '../../billing/prices.ts';
import type { SubscriptionData } from './query.ts';

interface PriceChoices {
  plans: PriceChoice[];
  addOns: PriceChoice[];
  all: PriceChoice[];
}

/** Lists the prices of the product or its group, for the plan; and those with the same interval, for add-ons. */
export function listPriceChoices(
  every: PriceToChoose[],
  { productId, productName, priceId, product, agreedPrice, items }: SubscriptionData,
): PriceChoices {
  const { currency } = agreedPrice;
  const main = items.find(({ isMain }) => isMain)?.price;
  const plans = every
    .filter(({ price }) => price.details.currency === currency)
    .filter(
      (each) =>
        each.product.id === productId ||
        (product?.groupId !== null && each.product.groupId === product?.groupId),
    )
    .map(({ choice }) => choice);
  const current = { id: priceId, label: productName, model: main?.model ?? 'flat' };
  const siblings = new Set(plans.map(({ id }) => id));
  const addOns = listAddOns(every, { productId, currency, recurring: main?.recurring });
  return {
    plans: siblings.has(priceId) ? plans : [current, ...plans],
    addOns: addOns.filter(({ id }) => !siblings.has(id)),
    all: every.map(({ choice }) => choice),
  };
}
