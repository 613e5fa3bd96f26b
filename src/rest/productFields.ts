/** The selection of a product in routes. */
export const productFields =
  'id groupId tenantAlias name active description metadata expiresAt createdAt updatedAt kind';

/** What is sold, which the response omits of a product of no kind. */
export const optionalOfProduct: readonly string[] = ['kind'];

/** Returns the product as REST shows it: one of no kind has the fields of the interface only. */
export const showProduct = ({ kind, ...product }: any): unknown =>
  kind === null ? product : { ...product, kind };

/** Returns a page of products, or a group with its products. */
export const showProducts =
  (field: 'data' | 'products') =>
  ({ [field]: products, ...others }: any): unknown => ({ ...others, [field]: products.map(showProduct) });
