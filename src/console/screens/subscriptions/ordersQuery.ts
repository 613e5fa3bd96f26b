import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const OrdersQuery = graphql(
  `
    query Orders(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $customerId: ID
      $status: IntentStatus
      $currency: Currency
      $createdAfter: DateTime
      $createdBefore: DateTime
    ) {
      intents(
        first: $first
        after: $after
        order: $order
        search: $search
        customerId: $customerId
        status: $status
        currency: $currency
        createdAfter: $createdAfter
        createdBefore: $createdBefore
      ) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          id
          status
          productName
          quantity
          orderNumber
          createdAt
          expiresAt
          customerId
          subscriptionId
          declineCode
          failureReason
          price {
            decimal
            currency
          }
          customer {
            ...CustomerName
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type OrderRow = NonNullable<ResultOf<typeof OrdersQuery>['intents']>['nodes'][number];
