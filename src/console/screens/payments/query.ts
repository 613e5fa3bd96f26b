import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const PaymentsToRecoverQuery = graphql(
  `
    query PaymentsToRecover($first: Int, $after: String) {
      paymentsToRecover(first: $first, after: $after) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          failedSince
          declineCode
          reason
          nextTryAt
          amount {
            decimal
            currency
          }
          invoice {
            id
            documentNumber
            number
          }
          subscription {
            id
            productName
            quantity
            customer {
              ...CustomerName
              email
            }
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type RecoverRow = NonNullable<
  ResultOf<typeof PaymentsToRecoverQuery>['paymentsToRecover']
>['nodes'][number];
