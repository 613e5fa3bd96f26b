import { DiscountFields, PreviewLineFields } from '../../billing/fragments.ts';
import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const SubscriptionQuery = graphql(
  `
    query Subscription($id: ID!) {
      subscription(id: $id) {
        id
        status
        productId
        productName
        priceId
        quantity
        billedCount
        metadata
        paymentIntentId
        createdAt
        firstBillingDate
        currentPeriodStart
        currentPeriodEnd
        nextInvoiceAt
        trialEndsAt
        cancelAt
        cancelAtPeriodEnd
        cancelledAt
        cancellationReason
        cancellationComment
        pausedAt
        resumesAt
        parkedReason
        pastDueSince
        agreedPrice {
          decimal
          currency
        }
        spendAlerts {
          decimal
          currency
        }
        spendAlerted {
          decimal
          currency
        }
        access {
          granted
          until
        }
        dunning {
          attempts
          finalAction
          finalAt
          firstFailedAt
          nextRetryAt
          retriesStoppedCode
          retriesStoppedReason
        }
        items {
          id
          isMain
          priceId
          productId
          productName
          quantity
          agreedPrice {
            decimal
            currency
          }
          price {
            id
            model
            meterId
            recurring {
              frequency
              period
            }
          }
        }
        product {
          id
          groupId
        }
        discounts {
          ...DiscountFields
        }
        scheduledChange {
          effectiveAt
          productName
          quantity
          agreedPrice {
            decimal
            currency
          }
          addOns {
            productName
            quantity
          }
        }
        paymentMethod {
          id
          brand
          type
          provider
          last4
          isExpired
        }
        customer {
          ...CustomerName
          email
        }
      }
      invoices(subscriptionId: $id, first: 12, order: DESC) {
        nodes {
          id
          documentNumber
          number
          status
          overdue
          billingReason
          createdAt
          total {
            decimal
            currency
          }
          amountDue {
            decimal
            currency
          }
        }
      }
    }
  `,
  [CustomerName, DiscountFields],
);

type SubscriptionResult = ResultOf<typeof SubscriptionQuery>;
export type SubscriptionData = NonNullable<SubscriptionResult['subscription']>;
export type BillData = NonNullable<SubscriptionResult['invoices']>['nodes'][number];

export const ForecastQuery = graphql(
  `
    query SubscriptionForecast($id: ID!, $until: DateTime!) {
      forecast(subscriptionId: $id, until: $until) {
        date
        usageEstimated
        total {
          decimal
          currency
        }
        lines {
          ...PreviewLineFields
        }
      }
    }
  `,
  [PreviewLineFields],
);

export type ForecastData = NonNullable<ResultOf<typeof ForecastQuery>['forecast']>[number];
