import { PriceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ProductQuery = graphql(
  `
    query Product($id: ID!) {
      product(id: $id) {
        id
        name
        description
        active
        taxCode
        lookupKey
        kind
        features
        highlighted
        sortOrder
        expiresAt
        createdAt
        updatedAt
        metadata
        group {
          id
          name
        }
        prices {
          ...PriceFields
          active
        }
      }
      groups(first: 100) {
        nodes {
          id
          name
        }
      }
    }
  `,
  [PriceFields],
);

export type ProductData = NonNullable<ResultOf<typeof ProductQuery>['product']>;

export const UpdateProduct = graphql(`
  mutation UpdateProduct($id: ID!, $input: UpdateProductInput!) {
    updateProduct(id: $id, input: $input) {
      id
      name
      description
      active
      taxCode
      lookupKey
      kind
      features
      highlighted
      sortOrder
      group {
        id
        name
      }
    }
  }
`);

export const DeleteProduct = graphql(`
  mutation DeleteProduct($id: ID!) {
    deleteProduct(id: $id) {
      id
    }
  }
`);
