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
  }
`);

export type TraceData = FragmentOf<typeof TraceFields>;
