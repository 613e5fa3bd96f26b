import { EInvoiceFields } from '../../billing/EInvoice.tsx';
import { LocationFields } from '../../billing/LocationEvidence.tsx';
import { LineFields, TaxFields } from '../../billing/fragments.ts';
import { CustomerName, TraceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const InvoiceQuery = graphql(
  `
    query Invoice($id: ID!) {
      invoice(id: $id) {
        id
        number
        documentNumber
        status
        overdue
        billingReason
        collection
        createdAt
        issuedAt
        finalizeAt
        dueAt
        paidAt
        metadata
        paymentReference
        startsOnPayment
        customerId
        subscriptionId
        subtotal {
          decimal
          currency
        }
        discount {
          decimal
          currency
        }
        total {
          decimal
          currency
        }
        amountDue {
          decimal
          currency
        }
        credited {
          decimal
          currency
        }
        refunded {
          decimal
          currency
        }
        refundable {
          decimal
          currency
        }
        withdrawn {
          decimal
          currency
        }
        payments {
          id
          kind
          status
          provider
          reference
          declineCode
          failureReason
          createdAt
          metadata
          amount {
            decimal
            currency
          }
          dispute {
            status
            reason
            evidenceDueAt
          }
        }
        lines {
          ...LineFields
        }
        taxes {
          ...TaxFields
        }
        taxInHomeCurrency {
          currency
          taxDay
          amount {
            decimal
            currency
          }
          rates {
            currency
            rate
          }
          rateDate
          source
        }
        subscription {
          id
          productName
          status
          paymentMethod {
            id
          }
          dunning {
            attempts
            finalAction
            finalAt
            nextRetryAt
            retriesStoppedReason
          }
        }
        eInvoiceDelivery {
          ...EInvoiceFields
        }
        locationEvidence {
          pieces {
            ...LocationFields
          }
          agreeing
          gap
        }
        customer {
          ...CustomerName
          email
          documentFormat
          paymentMethods(first: 1) {
            nodes {
              id
            }
          }
        }
        creditNotes {
          id
          documentNumber
          kind
          status
          reason
          issuedAt
          total {
            decimal
            currency
          }
        }
      }
    }
  `,
  [CustomerName, EInvoiceFields, LineFields, LocationFields, TaxFields],
);

export type InvoiceData = NonNullable<ResultOf<typeof InvoiceQuery>['invoice']>;

/** What happened to the invoices of a customer, and the mails to them. */
export const InvoiceHistoryQuery = graphql(
  `
    query InvoiceHistory($id: ID!, $customerId: ID!, $after: String) {
      invoice(id: $id) {
        id
        mails {
          id
          subject
          kind
          recipient
          status
          createdAt
          finishedAt
        }
      }
      customer(id: $customerId) {
        id
        timeline(first: 50, after: $after) {
          pageInfo {
            endCursor
            hasNextPage
          }
          nodes {
            ...TraceFields
          }
        }
      }
    }
  `,
  [TraceFields],
);

type InvoiceHistory = ResultOf<typeof InvoiceHistoryQuery>;
export type MailData = NonNullable<InvoiceHistory['invoice']>['mails'][number];

export const DocumentQuery = graphql(`
  query InvoiceDocument($id: ID!, $format: DocumentFormat!) {
    invoice(id: $id) {
      id
      document(format: $format) {
        base64
        contentType
        fileName
      }
    }
  }
`);
