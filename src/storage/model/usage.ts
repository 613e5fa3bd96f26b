import { boolean, count, instant, json, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  tenantKey,
  timestamps,
  type Commitment,
  type Frequency,
  type UsagePricing,
} from './common.ts';

/** What a meter computes from the events that it counts. */
export type Aggregation = 'count' | 'sum' | 'max' | 'min' | 'latest' | 'unique' | 'weighted_sum';

/** A condition of a meter: the property of an event has one of these texts. */
export interface UsageFilter {
  property: string;
  values: string[];
}

/** What of a meter's definition a later version may change. */
export interface MeterTerms {
  /** The property that is aggregated; null for `count`. */
  value: string | null;
  /** The properties by which the usage can be broken down; a later version may have more. */
  groupBy: string[];
  filter: UsageFilter[];
}

/** A version of a meter that a later one has replaced. */
export interface EarlierVersion extends MeterTerms {
  /** It counts events before this time, the beginning of a quarter of an hour. */
  until: string;
}

/** What an invoice charged for a period of usage, in minor units as text, and the quantity that it was computed from. */
export interface UsageCharge {
  invoiceId: string;
  amountMinor: string;
  quantity: string;
  /** What was paid before as missing to a commitment, in minor units; absent for nothing. */
  coveredMinor?: string;
  /** Set if it was charged before the period ended, because a threshold was reached. */
  isInterim?: true;
}

/** What an invoice charged for a window of a commitment, in minor units as text. */
export interface CommitmentCharge {
  invoiceId: string;
  overageMinor: string;
  missingMinor: string;
  /** The part of its usage that was paid before as missing. */
  coveredMinor: string;
}

/** The properties of an event: a flat object. */
export type UsageProperties = Record<string, string | number | boolean | null>;

const bucketColumns = {
  tenantAlias: text(),
  meterId: text(),
  customerId: text(),
  startsAt: instant(),
  /** The values of the meter's `groupBy` as a JSON list. */
  groupKey: text(),
  /** The number of events. */
  events: count(),
  sum: nullable(text()),
  /** The sum of each value times the milliseconds from the beginning of the quarter, for `weighted_sum`. */
  moment: nullable(text()),
  highest: nullable(text()),
  lowest: nullable(text()),
  latest: nullable(text()),
  latestAt: nullable(instant()),
  latestId: nullable(text()),
};

const valueColumns = {
  tenantAlias: text(),
  meterId: text(),
  customerId: text(),
  startsAt: instant(),
  groupKey: text(),
  value: text(),
};

/**
 * Metered usage: the events as they were received, and what the meters count of them in each quarter of an hour. They are
 * written beside the units of work of the tenant, and have no traces; meters have.
 */
export const metering = {
  meters: table(
    'meters',
    {
      tenantAlias: text(),
      id: text(),
      name: text(),
      /** The name of the events that it counts. */
      event: text(),
      aggregation: text<Aggregation>(),
      /** The property that is aggregated; null for `count`. */
      value: nullable(text()),
      /** The properties by which the usage can be broken down. */
      groupBy: json<string[]>(),
      filter: json<UsageFilter[]>(),
      /** Whether the value is carried over the end of a period. */
      persistent: boolean(),
      /** What the result is multiplied by, a decimal. */
      unitMultiplier: text(),
      /** It counts events from this time on, the beginning of a quarter of an hour. */
      startsAt: instant(),
      /** It counts events before this time, the beginning of a quarter of an hour; null while it counts. */
      archivedAt: nullable(instant()),
      ...timestamps,
      /** Since when totals of it are kept, for limits; null for never. */
      totalsSince: nullable(instant()),
      /** Since when a limit that it counts has alerts; null for never. */
      alertsSince: nullable(instant()),
      /** The versions before the one above, in the order of time; null for none. */
      earlierVersions: shownIfSet(json<EarlierVersion[]>()),
    },
    {
      ...byTenant,
      indexes: {
        meters_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        meters_event: { columns: ['tenantAlias', 'event', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  usageEvents: table(
    'usage_events',
    {
      tenantAlias: text(),
      /** Sorts by the time of receipt. */
      id: text(),
      /** The id that the client gave. */
      eventId: text(),
      event: text(),
      /** Null while there is no customer with `associatedId`. */
      customerId: nullable(text()),
      /** The customer as the client named them, if not by the id. */
      associatedId: nullable(text()),
      at: instant(),
      properties: json<UsageProperties>(),
      receivedAt: instant(),
      /** When it was taken back; null if it counts. */
      voidedAt: nullable(instant()),
      /** True for an event that `backfillUsage` took: no bill and no limit counts it. */
      backfilled: nullable(boolean()),
    },
    {
      ...byTenant,
      indexes: {
        usage_events_customer: {
          columns: ['tenantAlias', 'customerId', 'at', 'id'],
          where: { customerId: { isSet: true } },
        },
        usage_events_waiting: {
          columns: ['tenantAlias', 'associatedId', 'id'],
          where: { customerId: null },
        },
      },
      foreign: tenantKey,
    },
  ),

  // The ids of the last 35 to 70 days, apart from the events: those of one span are removed together.
  usageIds: table(
    'usage_ids',
    {
      tenantAlias: text(),
      /** The first day of the span of 35 days in which the event was received. */
      span: text(),
      eventId: text(),
      /** The event. */
      id: text(),
    },
    { primary: ['tenantAlias', 'span', 'eventId'], foreign: tenantKey },
  ),

  // What a meter has counted of a customer in a quarter of an hour. Decimals are text.
  usageBuckets: table('usage_buckets', bucketColumns, {
    primary: ['tenantAlias', 'meterId', 'customerId', 'startsAt', 'groupKey'],
    indexes: { usage_buckets_time: { columns: ['tenantAlias', 'meterId', 'startsAt'] } },
    foreign: tenantKey,
  }),

  // The distinct values that a `unique` meter has seen in a quarter of an hour.
  usageValues: table('usage_values', valueColumns, {
    primary: ['tenantAlias', 'meterId', 'customerId', 'startsAt', 'groupKey', 'value'],
    foreign: tenantKey,
  }),

  // The same of backfilled events, apart from the others, which bills and limits read.
  backfillBuckets: table('backfill_buckets', bucketColumns, {
    primary: ['tenantAlias', 'meterId', 'customerId', 'startsAt', 'groupKey'],
    indexes: { backfill_buckets_time: { columns: ['tenantAlias', 'meterId', 'startsAt'] } },
    foreign: tenantKey,
  }),

  backfillValues: table('backfill_values', valueColumns, {
    primary: ['tenantAlias', 'meterId', 'customerId', 'startsAt', 'groupKey', 'value'],
    foreign: tenantKey,
  }),

  // What a meter has counted of a customer in a span so far, for limits: kept from the first time that it is asked for.
  usageTotals: table(
    'usage_totals',
    {
      tenantAlias: text(),
      meterId: text(),
      customerId: text(),
      startsAt: instant(),
      /** Exclusive. */
      endsAt: instant(),
      /** The number of events. */
      events: count(),
      /** The sum of the meter's property, a decimal; 0 for `count`. */
      sum: text(),
    },
    {
      primary: ['tenantAlias', 'meterId', 'customerId', 'startsAt', 'endsAt'],
      indexes: { usage_totals_end: { columns: ['tenantAlias', 'endsAt'] } },
      foreign: tenantKey,
    },
  ),

  // The periods for which subscriptions pay for usage, each with the terms that were agreed to.
  usagePeriods: table(
    'usage_periods',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      subscriptionId: text(),
      /** The subscription as long as the period may be billed, also for late events; null after that. */
      openFor: nullable(text()),
      meterId: text(),
      /** The price; an add-on is told from the main price by `isAddOn`. */
      priceId: text(),
      isAddOn: boolean(),
      productId: text(),
      productName: text(),
      currency: text(),
      frequency: text<Frequency>(),
      period: count(),
      /** The anchor of the billing cycles. */
      anchor: instant(),
      pricing: json<UsagePricing>(),
      /** Whether the price contains the tax; null for exclusive. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      startsAt: instant(),
      /** Null while the price is in force. */
      endsAt: nullable(instant()),
      /** What invoices have charged that were not closed without payment. */
      charges: json<UsageCharge[]>(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        // Few periods of a subscription are open.
        usage_periods_open: {
          columns: ['tenantAlias', 'openFor', 'id'],
          where: { openFor: { isSet: true } },
        },
        usage_periods_meter: { columns: ['tenantAlias', 'meterId', 'endsAt'] },
        // Those that have begun in the window of a commitment.
        usage_periods_subscription: { columns: ['tenantAlias', 'subscriptionId', 'startsAt'] },
        // From the first one that is not closed on, events are needed.
        usage_periods_begun: { columns: ['tenantAlias', 'startsAt', 'id'] },
        usage_periods_customer: { columns: ['tenantAlias', 'customerId', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // The windows of commitments, each with the terms that were agreed to.
  commitmentWindows: table(
    'commitment_windows',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      subscriptionId: text(),
      /** The subscription as long as the window may be billed; null after that. */
      openFor: nullable(text()),
      commitment: json<Commitment>(),
      currency: text(),
      productId: text(),
      productName: text(),
      /** Whether its prices contain the tax; null for exclusive. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      startsAt: instant(),
      /** The end of its last billing period, or of the subscription. */
      endsAt: instant(),
      /** The whole billing periods, of which it may be a part. */
      wholeStart: instant(),
      wholeEnd: instant(),
      /** What invoices have charged that were not closed without payment. */
      charges: json<CommitmentCharge[]>(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        commitment_windows_open: {
          columns: ['tenantAlias', 'openFor', 'id'],
          where: { openFor: { isSet: true } },
        },
        commitment_windows_subscription: { columns: ['tenantAlias', 'subscriptionId', 'id'] },
        commitment_windows_customer: { columns: ['tenantAlias', 'customerId', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // Subscriptions with a threshold whose usage has grown: each row is of one recording, and removed once its usage is billed.
  usageChecks: table(
    'usage_checks',
    { tenantAlias: text(), id: text(), subscriptionId: text() },
    { ...byTenant, foreign: tenantKey },
  ),

  // Customers whose use of limits with alerts has grown: each row is of one recording, and removed once it is compared.
  limitChecks: table(
    'limit_checks',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** How often the comparison has failed in a row; null for never. */
      failures: nullable(count()),
      /** When it is compared again after a failure; null for at once. */
      dueAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: { limit_checks_customer: { columns: ['tenantAlias', 'customerId', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // A customer's own terms of a price of usage.
  usagePriceOverrides: table(
    'usage_price_overrides',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The subscription for whose items they are; null for all of the customer. */
      subscriptionId: nullable(text()),
      priceId: text(),
      currency: text(),
      pricing: json<UsagePricing>(),
      startsAt: instant(),
      /** Null as long as they are not removed. */
      endsAt: nullable(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        usage_price_overrides_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        usage_price_overrides_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        usage_price_overrides_subscription: {
          columns: ['tenantAlias', 'subscriptionId', 'createdAt', 'id'],
          where: { subscriptionId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),
};
