const modelFields = 'model tiers { upTo unitAmount flatAmount } packageSize minQuantity maxQuantity nickname';

/** The selection of a price in routes. */
export const priceFields =
  'id productId createdAt updatedAt recurring { executionDate period frequency } ' +
  `details { amount currency } ${modelFields}`;

/** Fields that the response omits for a flat price. */
export const optionalOfPrice: readonly string[] = [
  'model',
  'tiers',
  'packageSize',
  'minQuantity',
  'maxQuantity',
  'nickname',
];

/** Returns the price as REST shows it: a flat price only has the fields of the interface. */
export function showPrice(price: any): unknown {
  if (price.model !== 'flat') return price;
  return Object.fromEntries(Object.entries(price).filter(([field]) => !optionalOfPrice.includes(field)));
}
