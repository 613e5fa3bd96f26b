import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CreditGrantsQuery = graphql(`
  query CustomerCreditGrants($id: ID!) {
    creditGrants(customerId: $id, first: 50, order: DESC) {
      nodes {
        id
        name
        category
        status
        effectiveAt
        expiresAt
        priority
        costBasis
        alertedPercent
        alertBelow {
          decimal
          currency
        }
        alertBelowCredits
        alertedBelowAt
        appliesTo {
          priceIds
          meterIds
        }
        rollover {
          percent
          maximum {
            decimal
            currency
          }
          until
        }
        amount {
          decimal
          currency
        }
        remaining {
          decimal
          currency
        }
        credits
        remainingCredits
        creditType {
          id
          name
        }
      }
    }
  }
`);

export const CreditGrantUsesQuery = graphql(`
  query CreditGrantUses($id: ID!) {
    creditGrant(id: $id) {
      id
      creditType {
        id
        name
      }
      uses(first: 50, order: DESC) {
        nodes {
          id
          kind
          createdAt
          amount {
            decimal
            currency
          }
          credits
          invoice {
            id
            documentNumber
          }
          line {
            id
            description
          }
        }
      }
    }
  }
`);

export const VoidCreditGrant = graphql(`
  mutation VoidCreditGrant($id: ID!) {
    voidCreditGrant(id: $id) {
      id
      status
    }
  }
`);

export const SetGrantAlert = graphql(`
  mutation SetGrantAlert($id: ID!, $input: UpdateCreditGrantInput!) {
    updateCreditGrant(id: $id, input: $input) {
      id
      alertedBelowAt
    }
  }
`);

export type Grant = NonNullable<ResultOf<typeof CreditGrantsQuery>['creditGrants']>['nodes'][number];
