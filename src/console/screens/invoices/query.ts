import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const InvoicesQuery = graphql(
  `
    query Invoices(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $status: InvoiceStatus
      $overdue: Boolean
      $collection: InvoiceCollectionMethod
      $eInvoiceStatus: EInvoiceStatus
      $evidenceGap: LocationEvidenceGap
      $customerId: ID
      $currency: Currency
      $minAmount: MoneyInput
      $maxAmount: MoneyInput
      $createdAfter: DateTime
      $createdBefore: DateTime
    ) {
      invoices(
        first: $first
        after: $after
        order: $order
        search: $search
        status: $status
        overdue: $overdue
        collection: $collection
        eInvoiceStatus: $eInvoiceStatus
        evidenceGap: $evidenceGap
        customerId: $customerId
        currency: $currency
        minAmount: $minAmount
        maxAmount: $maxAmount
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
          customerId
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
