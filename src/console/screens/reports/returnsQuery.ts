import { graphql, type ResultOf } from '../../data/graphql.ts';

export const TaxReturnQuery = graphql(`
  query TaxReturn($input: TaxReturnInput!) {
    taxReturn(input: $input) {
      kind
      from
      until
      untaxedDocuments
      rows {
        code
        label
        leftOut
        country
        category
        percent
        reason
        rateType
        currency
        correctedFrom
        correctedUntil
        documents
        taxable {
          decimal
          currency
        }
        tax {
          decimal
          currency
        }
        declaredTaxable {
          decimal
          currency
        }
        declaredTax {
          decimal
          currency
        }
      }
    }
  }
`);

export type TaxReturn = NonNullable<ResultOf<typeof TaxReturnQuery>['taxReturn']>;
export type TaxReturnRow = TaxReturn['rows'][number];
