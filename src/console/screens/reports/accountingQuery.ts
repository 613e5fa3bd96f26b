import { graphql, type ResultOf } from '../../data/graphql.ts';

export const AccountingQuery = graphql(`
  query Accounting {
    tenant {
      alias
      accounting {
        chart
        consultantNumber
        clientNumber
        fiscalYearStart
        accountLength
        debtorAccount
        debtorMetadataKey
        moneyAccount
        revenueAccounts {
          treatment
          category
          percent
          country
          account
          taxKey
          taxAccount
        }
      }
    }
  }
`);

export type Accounting = NonNullable<ResultOf<typeof AccountingQuery>['tenant']>['accounting'];

export const SetAccounting = graphql(`
  mutation SetAccounting($input: SetAccountingInput!) {
    setAccounting(input: $input) {
      alias
    }
  }
`);

export const AccountingExportQuery = graphql(`
  query AccountingExport($input: AccountingExportInput!, $after: String) {
    accountingExport(input: $input, after: $after) {
      fileName
      contentType
      base64
      nextCursor
      otherCurrencies {
        currency
        documents
      }
    }
  }
`);

export type AccountingPart = NonNullable<ResultOf<typeof AccountingExportQuery>['accountingExport']>;
