/** The selections that screens share. */
import { graphql, type FragmentOf } from './graphql.ts';

/** The parts of a customer from which their name is made. */
export const CustomerName = graphql(`
  fragment CustomerName on Customer {
    id
    firstName
    lastName
    companyName
  }
`);

/** The parts of the customer of an event from which their name is made. */
export const SnapshotName = graphql(`
  fragment SnapshotName on CustomerSnapshot {
    customerId
    firstName
    lastName
    companyName
  }
`);

/** A trace: what happened, to which record, and by whom. */
export const TraceFields = graphql(`
  fragment TraceFields on Trace {
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
    }
  }
`);

/** A price with the figures that describe it. */
export const PriceFields = graphql(`
  fragment PriceFields on Price {
    id
    nickname
    lookupKey
    model
    packageSize
    minQuantity
    maxQuantity
    trialDays
    taxBehavior
    createdAt
    details {
      decimal
      currency
    }
    setupFee {
      decimal
      currency
    }
    recurring {
      frequency
      period
    }
    tiers {
      upTo
      unitAmount
      flatAmount
    }
    meterId
    includedUnits
    minimumSpend {
      decimal
      currency
    }
    maximumSpend {
      decimal
      currency
    }
    rates {
      match
      unitAmount
    }
    percentage {
      percent
      fixedPerEvent
      freeEvents
      freeAmount
      minPerEvent
      maxPerEvent
    }
  }
`);

/** A meter, with what it counts. */
export const MeterFields = graphql(`
  fragment MeterFields on Meter {
    id
    name
    event
    aggregation
    value
    groupBy
    archivedAt
    createdAt
  }
`);

/** A coupon: its terms, and how often it was redeemed. */
export const CouponFields = graphql(`
  fragment CouponFields on Coupon {
    id
    name
    lookupKey
    active
    percentOff
    duration
    durationInMonths
    maxRedemptions
    timesRedeemed
    redeemBy
    createdAt
    amountOff {
      decimal
      currency
    }
    products {
      id
      name
    }
  }
`);

/** A promotion code and its limits. */
export const CodeFields = graphql(
  `
    fragment CodeFields on PromotionCode {
      id
      code
      active
      firstPurchaseOnly
      maxRedemptions
      timesRedeemed
      expiresAt
      createdAt
      minimumAmount {
        decimal
        currency
      }
      customer {
        ...CustomerName
      }
    }
  `,
  [CustomerName],
);

export type TraceData = FragmentOf<typeof TraceFields>;
export type PriceData = FragmentOf<typeof PriceFields>;
