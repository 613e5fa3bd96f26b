import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const InvoicesQuery = graphql(
  `
    query Invoices(
      $first: Int
      $after: String
      $order: Order
      $status: InvoiceStatus
      $overdue: Boolean
      $collection: InvoiceCollectionMethod
    ) {
      invoices(
        first: $first
        after: $after
        order: $order
        status: $status
        overdue: $overdue
        collection: $collection
      ) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          id
          number
          documentNumber
          status
          overdue
          billingReason
          collection
          createdAt
          issuedAt
          dueAt
          paidAt
          total {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
          amountDue {
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

export type InvoiceRow = NonNullable<ResultOf<typeof InvoicesQuery>['invoices']>['nodes'][number];
