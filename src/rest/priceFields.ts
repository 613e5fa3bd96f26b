const modelFields = new Set(['model', 'tiers', 'packageSize', 'minQuantity', 'maxQuantity', 'nickname']);
const startFields = new Set(['trialDays', 'setupFee']);
const taxField = 'taxBehavior';
const keyField = 'lookupKey';

/** The selection of a price in routes. */
export const priceFields =
  'id productId createdAt updatedAt recurring { executionDate period frequency } details { amount currency } ' +
  'model tiers { upTo unitAmount flatAmount } packageSize minQuantity maxQuantity nickname ' +
  `trialDays setupFee { amount currency } ${taxField} ${keyField}`;

/**
 * Fields that the response omits: the model of a flat price, a trial, a set-up fee and a lookup key that it does not have, and
 * that tax is charged on top.
 */
export const optionalOfPrice: readonly string[] = [...modelFields, ...startFields, taxField, keyField];

/** Returns the price as REST shows it: a plain price has the fields of the interface only. */
export function showPrice(price: any): unknown {
  const shown: Record<string, unknown> = {};
  for (const field in price) {
    const value = price[field];
    const isOmitted =
      (price.model === 'flat' && modelFields.has(field)) ||
      (value === null && (startFields.has(field) || field === keyField)) ||
      (field === taxField && value === 'exclusive');
    if (!isOmitted) shown[field] = value;
  }
  return shown;
}
