import { CustomerName } from '../../data/fragments.ts';
import { graphql, type FragmentOf } from '../../data/graphql.ts';

const PaymentFields = graphql(
  `
    fragment PaymentFields on Payment {
      id
      kind
      status
      declineCode
      failureReason
      provider
      reference
      createdAt
      receivedAt
      customerId
      invoiceId
      amount {
        decimal
        currency
      }
      dispute {
        status
        reason
        evidenceDueAt
      }
      customer {
        ...CustomerName
      }
      invoice {
        id
        documentNumber
        number
      }
    }
  `,
  [CustomerName],
);

export const PaymentsQuery = graphql(
  `
    query Payments(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $customerId: ID
      $kind: PaymentKind
      $status: PaymentStatus
      $declineCode: DeclineCode
      $currency: Currency
      $minAmount: MoneyInput
      $maxAmount: MoneyInput
      $createdAfter: DateTime
      $createdBefore: DateTime
    ) {
      payments(
        first: $first
        after: $after
        order: $order
        search: $search
        customerId: $customerId
        kind: $kind
        status: $status
        declineCode: $declineCode
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
          ...PaymentFields
        }
      }
    }
  `,
  [PaymentFields],
);

export const DisputesQuery = graphql(
  `
    query Disputes(
      $first: Int
      $after: String
      $order: Order
      $search: String
      $customerId: ID
      $status: DisputeStatus
      $currency: Currency
      $minAmount: MoneyInput
      $maxAmount: MoneyInput
      $createdAfter: DateTime
      $createdBefore: DateTime
    ) {
      disputes(
        first: $first
        after: $after
        order: $order
        search: $search
        customerId: $customerId
        status: $status
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
          ...PaymentFields
        }
      }
    }
  `,
  [PaymentFields],
);

export type PaymentRow = FragmentOf<typeof PaymentFields>;
