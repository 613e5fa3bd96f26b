import { graphql, type ResultOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';

/** The credit types with their rates, the meters that rates name, and how paid credit of money is sold. */
export const CreditTypesQuery = graphql(`
  query CreditTypes {
    tenant {
      alias
      creditVouchers
    }
    creditTypes(first: 100) {
      nodes {
        id
        name
        createdAt
        rates {
          meterId
          units
          credits
        }
      }
    }
    meters(first: 100) {
      nodes {
        id
        name
        archivedAt
      }
    }
  }
`);

type CreditTypes = ResultOf<typeof CreditTypesQuery>;
export type CreditType = NonNullable<CreditTypes['creditTypes']>['nodes'][number];
export type CreditMeter = NonNullable<CreditTypes['meters']>['nodes'][number];

/** Loads the credit types and the meters. */
export const useCreditTypes = () =>
  useScreenQuery(CreditTypesQuery, {}, { types: ['CreditTypeEvent', 'MeterEvent'] });

export const CreateCreditType = graphql(`
  mutation CreateCreditType($input: CreateCreditTypeInput!) {
    createCreditType(input: $input) {
      id
    }
  }
`);

export const UpdateCreditType = graphql(`
  mutation UpdateCreditType($id: ID!, $input: UpdateCreditTypeInput!) {
    updateCreditType(id: $id, input: $input) {
      id
      name
    }
  }
`);

export const AutoTopUpsQuery = graphql(`
  query AutoTopUps($id: ID!) {
    customer(id: $id) {
      id
      autoTopUps {
        id
        name
        currency
        costBasis
        monthlyLimit
        soldThisMonth
        threshold {
          decimal
          currency
        }
        amount {
          decimal
          currency
        }
        creditThreshold
        credits
        creditType {
          id
          name
        }
        expiresAfter {
          frequency
          period
        }
        lastInvoice {
          id
          documentNumber
          status
          payments {
            id
            status
          }
        }
      }
    }
  }
`);

export type AutoTopUp = NonNullable<ResultOf<typeof AutoTopUpsQuery>['customer']>['autoTopUps'][number];

export const SetAutoTopUp = graphql(`
  mutation SetAutoTopUp($input: SetAutoTopUpInput!) {
    setAutoTopUp(input: $input) {
      id
    }
  }
`);

export const RemoveAutoTopUp = graphql(`
  mutation RemoveAutoTopUp($id: ID!) {
    removeAutoTopUp(id: $id) {
      id
    }
  }
`);
