import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ReportQuery = graphql(`
  query Report(
    $currency: Currency!
    $from: DateTime!
    $until: DateTime!
    $by: RevenueInterval
    $definition: MrrDefinitionInput
    $compare: Boolean!
    $beforeFrom: DateTime!
    $beforeUntil: DateTime!
  ) {
    revenue(currency: $currency, from: $from, until: $until, by: $by, definition: $definition) {
      points {
        ...ReportPoint
      }
      total {
        ...ReportPoint
      }
    }
    before: revenue(
      currency: $currency
      from: $beforeFrom
      until: $beforeUntil
      by: $by
      definition: $definition
    ) @include(if: $compare) {
      points {
        ...ReportPoint
      }
    }
  }

  fragment ReportPoint on RevenuePoint {
    start
    end
    mrrStart {
      decimal
      currency
    }
    new {
      decimal
      currency
    }
    expansion {
      decimal
      currency
    }
    reactivation {
      decimal
      currency
    }
    contraction {
      decimal
      currency
    }
    churn {
      decimal
      currency
    }
    mrrEnd {
      decimal
      currency
    }
    newCustomers
    churnedCustomers
    reactivatedCustomers
    activeSubscriptions
    activeCustomers
    netRevenue {
      decimal
      currency
    }
    invoiced {
      decimal
      currency
    }
    refunded {
      decimal
      currency
    }
    credited {
      decimal
      currency
    }
    breakage {
      decimal
      currency
    }
    failedPayments {
      count
      amount {
        decimal
        currency
      }
    }
    recoveredPayments {
      count
      amount {
        decimal
        currency
      }
    }
    trialsStarted
    trialsConverted
    trialsLost
    trialConversionRate
    customerChurnRate
    grossMrrChurnRate
    netMrrChurnRate
    nrr
    quickRatio
    arpu {
      decimal
      currency
    }
    ltv {
      decimal
      currency
    }
  }
`);

export type ReportData = ResultOf<typeof ReportQuery>;
export type Point = NonNullable<ReportData['revenue']>['total'];

export const CurrenciesQuery = graphql(`
  query ReportCurrencies {
    revenueCurrencies
  }
`);

export const CohortsQuery = graphql(`
  query Cohorts($currency: Currency!, $from: DateTime!, $until: DateTime!, $definition: MrrDefinitionInput) {
    cohorts(currency: $currency, from: $from, until: $until, definition: $definition) {
      month
      customers
      mrr {
        decimal
        currency
      }
      ages {
        age
        customers
        mrr {
          decimal
          currency
        }
        customerRetention
        mrrRetention
      }
    }
  }
`);

export type Cohort = NonNullable<ResultOf<typeof CohortsQuery>['cohorts']>[number];

export const ForecastQuery = graphql(`
  query RevenueForecast($currency: Currency!) {
    revenueForecast(currency: $currency) {
      usageEstimated
      start
      end
      invoices
      invoiced {
        decimal
        currency
      }
      committedMrr {
        decimal
        currency
      }
    }
  }
`);

export const MovementsQuery = graphql(
  `
    query MrrMovements(
      $first: Int
      $after: String
      $order: Order
      $kind: MrrMovementKind
      $currency: Currency
      $from: DateTime
      $until: DateTime
    ) {
      mrrMovements(
        first: $first
        after: $after
        order: $order
        kind: $kind
        currency: $currency
        from: $from
        until: $until
      ) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          id
          at
          kind
          amount {
            decimal
            currency
          }
          mrrAfter {
            decimal
            currency
          }
          customerId
          customer {
            ...CustomerName
          }
          subscription {
            id
            productName
          }
        }
      }
    }
  `,
  [CustomerName],
);

export type MovementRow = NonNullable<ResultOf<typeof MovementsQuery>['mrrMovements']>['nodes'][number];
