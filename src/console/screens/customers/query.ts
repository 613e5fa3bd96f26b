import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CustomersQuery = graphql(
  `
    query Customers(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $vatIdStatus: VatIdCheckStatus
    ) {
      customers(first: $first, after: $after, order: $order, search: $search, vatIdStatus: $vatIdStatus) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          ...CustomerName
          email
          associatedId
          createdAt
          balance {
            decimal
            currency
          }
          address {
            country
          }
          activeSubscriptions {
            id
            productName
            status
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type CustomerRow = NonNullable<ResultOf<typeof CustomersQuery>['customers']>['nodes'][number];
