import { EInvoiceFields } from '../../billing/EInvoice.tsx';
import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CreditNoteQuery = graphql(
  `
    query CreditNote($id: ID!) {
      creditNote(id: $id) {
        id
        documentNumber
        kind
        status
        reason
        memo
        issuedAt
        customerId
        total {
          decimal
          currency
        }
        tax {
          decimal
          currency
        }
        remaining {
          decimal
          currency
        }
        lines {
          lineId
          description
          amount {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
        }
        eInvoiceDelivery {
          ...EInvoiceFields
        }
        invoice {
          id
          documentNumber
          number
          customer {
            ...CustomerName
            documentFormat
          }
        }
      }
    }
  `,
  [CustomerName, EInvoiceFields],
);

export type CreditNoteData = NonNullable<ResultOf<typeof CreditNoteQuery>['creditNote']>;

export const CreditNoteDocumentQuery = graphql(`
  query CreditNoteDocument($id: ID!, $format: DocumentFormat!) {
    creditNote(id: $id) {
      id
      document(format: $format) {
        base64
        contentType
        fileName
      }
    }
  }
`);
