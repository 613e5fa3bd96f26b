import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const SubscriptionsQuery = graphql(
  `
    query Subscriptions(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $status: SubscriptionStatus
      $productId: ID
    ) {
      subscriptions(
        first: $first
        after: $after
        order: $order
        search: $search
        status: $status
        productId: $productId
      ) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          id
          status
          customerId
          productName
          quantity
          createdAt
          nextInvoiceAt
          pausedAt
          trialEndsAt
          cancelAt
          cancelledAt
          pastDueSince
          agreedPrice {
            decimal
            currency
          }
          customer {
            ...CustomerName
            email
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type SubscriptionRow = NonNullable<
  ResultOf<typeof SubscriptionsQuery>['subscriptions']
>['nodes'][number];
