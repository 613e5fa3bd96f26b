import { DiscountFields } from '../../billing/fragments.ts';
import { LocationFields } from '../../billing/LocationEvidence.tsx';
import { CustomerName, TraceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import { CustomerDetails } from './details.ts';

export const CustomerQuery = graphql(
  `
    query Customer($id: ID!, $timelineAfter: String) {
      customer(id: $id) {
        ...CustomerName
        ...CustomerDetails
        email
        associatedId
        createdAt
        metadata
        taxExempt
        mailBlockedAt
        mailBlockedReason
        address {
          line1
          line2
          postalCode
          city
          region
          country
        }
        documentFormat
        electronicAddress {
          scheme
          value
        }
        legalRegistration {
          scheme
          value
        }
        taxIds {
          type
          value
        }
        balance {
          decimal
          currency
        }
        defaultPaymentMethod {
          id
          brand
          last4
          type
          provider
          expiryMonth
          expiryYear
          isExpired
        }
        vatIdCheck {
          status
          value
          checkedAt
        }
        vatIdEvidence(first: 10) {
          nodes {
            vatId
            status
            checkedAt
            consultation
            requester
            name
            address
          }
        }
        locationEvidence {
          ...LocationFields
        }
        discounts {
          ...DiscountFields
        }
        invoiceItems {
          id
          kind
          description
          quantity
          createdAt
          amount {
            decimal
            currency
          }
        }
        credits {
          id
          reason
          createdAt
          expiresAt
          amount {
            decimal
            currency
          }
          remaining {
            decimal
            currency
          }
        }
        subscriptions(first: 50, order: DESC) {
          nodes {
            id
            productName
            quantity
            status
            nextInvoiceAt
            pausedAt
            cancelAt
            cancelledAt
            agreedPrice {
              decimal
              currency
            }
            items {
              id
              price {
                id
                meterId
              }
            }
          }
        }
        invoices(first: 20, order: DESC) {
          nodes {
            id
            documentNumber
            status
            overdue
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
        timeline(first: 20, order: DESC, after: $timelineAfter) {
          pageInfo {
            endCursor
            hasNextPage
          }
          nodes {
            ...TraceFields
          }
        }
      }
    }
  `,
  [CustomerName, CustomerDetails, DiscountFields, LocationFields, TraceFields],
);

export type CustomerData = NonNullable<ResultOf<typeof CustomerQuery>['customer']>;
