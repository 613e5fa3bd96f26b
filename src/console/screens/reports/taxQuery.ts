import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const TaxReportQuery = graphql(`
  query TaxReport($input: TaxReportInput!) {
    taxReport(input: $input) {
      from
      until
      untaxedDocuments
      totals {
        currency
        taxable {
          decimal
          currency
        }
        tax {
          decimal
          currency
        }
      }
      rows {
        start
        end
        country
        treatment
        category
        percent
        reason
        currency
        taxable {
          decimal
          currency
        }
        tax {
          decimal
          currency
        }
        invoiced {
          documents
          taxable {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
        }
        credited {
          documents
          taxable {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
        }
        creditedEarlier {
          documents
          taxable {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
        }
      }
    }
  }
`);

export type TaxReport = NonNullable<ResultOf<typeof TaxReportQuery>['taxReport']>;
export type TaxRow = TaxReport['rows'][number];

export const TaxDocumentsQuery = graphql(
  `
    query TaxDocuments($input: TaxDocumentsInput!, $first: Int, $after: String, $order: Order) {
      taxDocuments(input: $input, first: $first, after: $after, order: $order) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          documentId
          kind
          documentNumber
          issuedAt
          creditedIssuedAt
          customerId
          customer {
            ...CustomerName
            taxIds {
              type
              value
            }
          }
          country
          treatment
          category
          percent
          reason
          currency
          taxable {
            decimal
            currency
          }
          tax {
            decimal
            currency
          }
        }
      }
    }
  `,
  [CustomerName],
);

type TaxDocument = NonNullable<ResultOf<typeof TaxDocumentsQuery>['taxDocuments']>['nodes'][number];
export type TaxDocumentRow = TaxDocument & { id: string };
