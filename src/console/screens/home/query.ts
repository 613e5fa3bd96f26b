import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CurrenciesQuery = graphql(`
  query HomeCurrencies {
    revenueCurrencies
  }
`);

export const HomeQuery = graphql(`
  query Home($currency: String!, $from: DateTime!, $until: DateTime!) {
    revenue(currency: $currency, from: $from, until: $until, by: month) {
      points {
        start
        mrrStart {
          decimal
          currency
        }
        mrrEnd {
          decimal
          currency
        }
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
        netRevenue {
          decimal
          currency
        }
        activeSubscriptions
        activeCustomers
        newCustomers
        churnedCustomers
        customerChurnRate
      }
    }
    revenueForecast(currency: $currency, months: 12) {
      start
      committedMrr {
        decimal
        currency
      }
      invoiced {
        decimal
        currency
      }
    }
  }
`);

export type HomeData = ResultOf<typeof HomeQuery>;

export const QueueQuery = graphql(`
  query HomeQueue {
    paymentsToRecover(first: 5) {
      totalCount
      nodes {
        id
        failedSince
        nextTryAt
        reason
        amount {
          decimal
          currency
        }
        subscription {
          id
          productName
          customer {
            id
            firstName
            lastName
            companyName
          }
        }
      }
    }
    deliveries(status: failed, first: 5, order: DESC) {
      totalCount
      nodes {
        id
        type
        createdAt
        attemptCount
      }
    }
    trials: subscriptions(status: trialing, first: 5, order: ASC) {
      totalCount
      nodes {
        id
        productName
        trialEndsAt
        customer {
          id
          firstName
          lastName
          companyName
        }
      }
    }
  }
`);

export type QueueData = ResultOf<typeof QueueQuery>;

export const FeedQuery = graphql(`
  query HomeFeed {
    traces(first: 15, order: DESC) {
      nodes {
        id
        eventId
        activityType
        createdAt
        executorId
        payload
        event {
          eventId
          type
          resourceId
          customer {
            id
            firstName
            lastName
            companyName
          }
        }
      }
    }
  }
`);
