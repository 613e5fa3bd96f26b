/** The selection of a product in routes. */
export const productFields =
  'id groupId tenantAlias name active description metadata expiresAt createdAt updatedAt kind lookupKey';

/** What the response omits of a product that does not have it. */
export const optionalOfProduct: readonly string[] = ['kind', 'lookupKey'];

/** Returns the product as REST shows it: one of no kind and without a lookup key has the fields of the interface only. */
export const showProduct = ({ kind, lookupKey, ...product }: any): unknown => ({
  ...product,
  ...(kind !== null && { kind }),
  ...(lookupKey !== null && { lookupKey }),
});

/** Returns a page of products, or a group with its products. */
export const showProducts =
  (field: 'data' | 'products') =>
  ({ [field]: products, ...others }: any): unknown => ({ ...others, [field]: products.map(showProduct) });
