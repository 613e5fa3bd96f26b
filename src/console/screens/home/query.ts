import { SnapshotName, TraceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const HomeQuery = graphql(`
  query Home {
    revenueCurrencies
    tenant {
      untaxedCountry
      standardTaxRatesOutdated
      missingExchangeRates {
        documents
      }
    }
    recover: paymentsToRecover(first: 100) {
      totalCount
      nodes {
        nextTryAt
        amount {
          decimal
          currency
        }
      }
    }
    deliveries(status: failed, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
    webhookEndpoints(first: 100) {
      nodes {
        id
        active
        disabledReason
      }
    }
    trials: subscriptions(status: trialing, order: ASC, first: 100) {
      totalCount
      nodes {
        id
        trialEndsAt
        cancelAtPeriodEnd
        agreedPrice {
          decimal
          currency
        }
      }
    }
    drafts: invoices(status: draft, first: 100) {
      totalCount
      nodes {
        id
        total {
          decimal
          currency
        }
      }
    }
    rejected: invoices(eInvoiceStatus: rejected, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
    rejectedNotes: creditNotes(eInvoiceStatus: rejected, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
    unsentNotes: creditNotes(eInvoiceStatus: failed, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
    unsent: invoices(eInvoiceStatus: failed, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
    vatIds: customers(vatIdStatus: invalid, first: 1) {
      totalCount
    }
    bounced: mailDeliveries(status: bounced, first: 100) {
      totalCount
      nodes {
        id
        createdAt
      }
    }
  }
`);

/** Where the seller is. */
export const SellerCountryQuery = graphql(`
  query SellerCountry {
    tenant {
      alias
      seller {
        address {
          country
        }
      }
    }
  }
`);

/** What the steps of a new tenant are read from. */
export const SetUpQuery = graphql(`
  query SetUp {
    tenant {
      alias
      canBePaid
      untaxedCountry
      seller {
        chargesNoTax
        taxExemption {
          kind
        }
        logoId
        address {
          line1
        }
        taxIds {
          type
        }
      }
      branding {
        displayName
        color
      }
      mail {
        enabled
      }
    }
    products(first: 20) {
      nodes {
        id
        prices {
          id
        }
      }
    }
    customers(first: 1) {
      nodes {
        id
      }
    }
    invoices(first: 1, status: paid) {
      nodes {
        id
      }
    }
  }
`);

export type SetUpData = ResultOf<typeof SetUpQuery>;

export type HomeData = ResultOf<typeof HomeQuery>;

/** The last 30 days and those before by day, the last 24 months, and the next 12. */
export const FiguresQuery = graphql(`
  query HomeFigures(
    $currency: Currency!
    $until: DateTime!
    $days: DateTime!
    $before: DateTime!
    $beforeUntil: DateTime!
    $months: DateTime!
  ) {
    days: revenue(currency: $currency, from: $days, until: $until, by: day) {
      points {
        ...HomeDay
      }
      total {
        ...HomeDay
      }
    }
    before: revenue(currency: $currency, from: $before, until: $beforeUntil, by: day) {
      points {
        ...HomeDay
      }
      total {
        ...HomeDay
      }
    }
    months: revenue(currency: $currency, from: $months, until: $until, by: month) {
      points {
        start
        new {
          decimal
        }
        expansion {
          decimal
        }
        reactivation {
          decimal
        }
        contraction {
          decimal
        }
        churn {
          decimal
        }
        mrrEnd {
          decimal
          currency
        }
        failedPayments {
          count
          amount {
            decimal
          }
        }
        recoveredPayments {
          count
          amount {
            decimal
          }
        }
      }
    }
    revenueForecast(currency: $currency) {
      usageEstimated
      start
      invoices
      invoiced {
        decimal
        currency
      }
      committedMrr {
        decimal
      }
    }
  }

  fragment HomeDay on RevenuePoint {
    start
    mrrStart {
      decimal
      currency
    }
    mrrEnd {
      decimal
      currency
    }
    netRevenue {
      decimal
      currency
    }
    activeCustomers
    customerChurnRate
  }
`);

export type FiguresData = ResultOf<typeof FiguresQuery>;
export type Day = NonNullable<FiguresData['days']>['total'];
export type MonthFigures = NonNullable<FiguresData['months']>['points'][number];

export const FeedQuery = graphql(
  `
    query HomeFeed {
      traces(first: 12) {
        nodes {
          ...TraceFields
          event {
            customer {
              ...SnapshotName
            }
          }
        }
      }
    }
  `,
  [SnapshotName, TraceFields],
);

export type FeedEntry = NonNullable<ResultOf<typeof FeedQuery>['traces']>['nodes'][number];
