const modelFields = ['model', 'tiers', 'packageSize', 'minQuantity', 'maxQuantity', 'nickname'];
const startFields = ['trialDays', 'setupFee'];
const taxField = 'taxBehavior';

/** The selection of a price in routes. */
export const priceFields =
  'id productId createdAt updatedAt recurring { executionDate period frequency } details { amount currency } ' +
  'model tiers { upTo unitAmount flatAmount } packageSize minQuantity maxQuantity nickname ' +
  `trialDays setupFee { amount currency } ${taxField}`;

/**
 * Fields that the response omits: the model of a flat price, a trial and a set-up fee that it does not have, and that tax is
 * charged on top.
 */
export const optionalOfPrice: readonly string[] = [...modelFields, ...startFields, taxField];

/** Returns the price as REST shows it: a plain price has the fields of the interface only. */
export function showPrice(price: any): unknown {
  const isOmitted = ([field, value]: [string, unknown]) =>
    (price.model === 'flat' && modelFields.includes(field)) ||
    (value === null && startFields.includes(field)) ||
    (field === taxField && value === 'exclusive');
  return Object.fromEntries(Object.entries(price).filter((entry) => !isOmitted(entry)));
}
