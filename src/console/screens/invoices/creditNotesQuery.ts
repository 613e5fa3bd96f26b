import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CreditNotesQuery = graphql(
  `
    query CreditNotes(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $customerId: ID
      $kind: CreditNoteKind
      $status: CreditNoteStatus
      $eInvoiceStatus: EInvoiceStatus
      $currency: Currency
      $minAmount: MoneyInput
      $maxAmount: MoneyInput
      $createdAfter: DateTime
      $createdBefore: DateTime
    ) {
      creditNotes(
        first: $first
        after: $after
        order: $order
        search: $search
        customerId: $customerId
        kind: $kind
        status: $status
        eInvoiceStatus: $eInvoiceStatus
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
          documentNumber
          kind
          status
          reason
          issuedAt
          invoiceId
          customerId
          total {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
          invoice {
            id
            documentNumber
            number
            customer {
              ...CustomerName
            }
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type CreditNoteRow = NonNullable<ResultOf<typeof CreditNotesQuery>['creditNotes']>['nodes'][number];
