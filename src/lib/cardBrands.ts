const brands: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Returns the name of a card brand as its owner writes it; an unknown one is returned unchanged. */
export const nameBrand = (brand: string): string => (Object.hasOwn(brands, brand) ? brands[brand]! : brand);
