import { PriceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf, type VariablesOf } from '../../data/graphql.ts';

export const PriceQuery = graphql(
  `
    query Price($id: ID!, $productId: ID!) {
      price(id: $id, productId: $productId) {
        ...PriceFields
        active
        updatedAt
        warnings {
          code
        }
        product {
          id
          name
        }
      }
    }
  `,
  [PriceFields],
);

export type PriceData = NonNullable<ResultOf<typeof PriceQuery>['price']>;

export const MetersQuery = graphql(`
  query MetersToBill {
    meters(first: 100, order: DESC) {
      nodes {
        id
        name
        groupBy
        archivedAt
      }
    }
  }
`);

export const ProductNameQuery = graphql(`
  query ProductName($id: ID!) {
    product(id: $id) {
      id
      name
      prices {
        id
        details {
          currency
        }
      }
    }
  }
`);

export const PreviewPrice = graphql(`
  query PreviewPrice($price: CreatePriceInput!, $quantities: [Int!]!) {
    previewPrice(price: $price, quantities: $quantities) {
      quantity
      total {
        decimal
        currency
      }
      average {
        decimal
        currency
      }
    }
  }
`);

export type PriceInput = VariablesOf<typeof PreviewPrice>['price'];
export type Quote = NonNullable<ResultOf<typeof PreviewPrice>['previewPrice']>[number];

export const CreatePrice = graphql(`
  mutation CreatePrice($productId: ID!, $price: CreatePriceInput!) {
    createPrices(input: { productId: $productId, prices: [$price] }) {
      id
      warnings {
        code
      }
    }
  }
`);

export const UpdatePrice = graphql(`
  mutation UpdatePrice($id: ID!, $input: UpdatePriceInput!) {
    updatePrice(id: $id, input: $input) {
      id
      lookupKey
      details {
        decimal
        currency
      }
    }
  }
`);

export const ArchivePrice = graphql(`
  mutation ArchivePrice($id: ID!) {
    archivePrice(id: $id) {
      id
      active
    }
  }
`);

export const UnarchivePrice = graphql(`
  mutation UnarchivePrice($id: ID!) {
    unarchivePrice(id: $id) {
      id
      active
    }
  }
`);
