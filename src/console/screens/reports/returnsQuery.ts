import { graphql, type ResultOf } from '../../data/graphql.ts';

export const TaxReturnQuery = graphql(`
  query TaxReturn($input: TaxReturnInput!) {
    taxReturn(input: $input) {
      kind
      from
      until
      untaxedDocuments
      currency
      missingRates {
        day
        currency
        documents
      }
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
        unconvertedDocuments
        rateDate
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

export const EcSalesListQuery = graphql(`
  query EcSalesList($input: EcSalesListInput!) {
    ecSalesList(input: $input) {
      from
      until
      rows {
        vatId
        kind
        country
        currency
        documents
        taxable {
          decimal
          currency
        }
        declaredTaxable {
          decimal
          currency
        }
      }
    }
  }
`);

export type EcSalesList = NonNullable<ResultOf<typeof EcSalesListQuery>['ecSalesList']>;
export type EcSalesRow = EcSalesList['rows'][number];
