const modelFields = ['model', 'tiers', 'packageSize', 'minQuantity', 'maxQuantity', 'nickname'];
const startFields = ['trialDays', 'setupFee'];

/** The selection of a price in routes. */
export const priceFields =
  'id productId createdAt updatedAt recurring { executionDate period frequency } details { amount currency } ' +
  'model tiers { upTo unitAmount flatAmount } packageSize minQuantity maxQuantity nickname ' +
  'trialDays setupFee { amount currency }';

/** Fields that the response omits: the model of a flat price, and a trial and a set-up fee that it does not have. */
export const optionalOfPrice: readonly string[] = [...modelFields, ...startFields];

/** Returns the price as REST shows it: a flat price without a trial and a set-up fee has the fields of the interface only. */
export function showPrice(price: any): unknown {
  const isOmitted = ([field, value]: [string, unknown]) =>
    (price.model === 'flat' && modelFields.includes(field)) ||
    (value === null && startFields.includes(field));
  return Object.fromEntries(Object.entries(price).filter((entry) => !isOmitted(entry)));
}
