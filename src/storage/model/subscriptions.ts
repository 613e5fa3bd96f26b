import type { DeclineCode } from '../../lib/declineCodes.ts';
import { boolean, count, instant, json, money, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  recurring,
  tenantKey,
  timestamps,
  type AddOn,
  type AppliedBilling,
  type BillTax,
  type Commitment,
  type DiscountTerms,
  type Frequency,
  type Pricing,
  type TextMetadata,
} from './common.ts';
import type { CreditScope } from './creditTerms.ts';
import type { RecordedMrr } from './revenue.ts';

/** A credit that the payment of a plan change reserves on a line that was paid, in minor units as text. */
export interface ReservedCredit {
  lineId: string;
  creditedMinor: string;
  /** The part of the line given back before. */
  givenBackMinor: string;
}

/** The part of a credit grant before tax that the payment of an order or a change reserves. */
export interface ReservedGrant {
  creditId: string;
  /** In minor units as text. */
  amountMinor: string;
  /** The charges that it lowers; absent for all. */
  appliesTo?: CreditScope;
}

/** The basis of `amountMinor`, which is the amount of a whole cycle for this quantity; null for flat prices. */
const agreedQuantity = {
  /** Null is 1. */
  quantity: nullable(count()),
  pricing: nullable(json<Pricing>()),
};

/** Intents and subscriptions. */
export const subscribing = {
  intents: table(
    'intents',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      productId: text(),
      priceId: text(),
      groupId: nullable(text()),
      productName: text(),
      amountMinor: money(),
      currency: text(),
      ...recurring,
      status: text<
        'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'cancelled' | 'expired'
      >(),
      receiptUrl: text(),
      returnUrl: nullable(text()),
      orderNumber: nullable(text()),
      /** SHA-256 of the request that first used the order number. */
      requestHash: text(),
      startDate: nullable(instant()),
      reason: nullable(text()),
      /**
       * The number of payment attempts; identifies each attempt to the provider, so that a repeated request charges
       * nothing twice.
       */
      attempts: count(),
      provider: nullable(text()),
      paymentMethod: nullable(text()),
      /** The instant at which the payment in flight was computed. */
      paymentStartedAt: nullable(instant()),
      /** The amount of the payment in flight, in minor units. */
      dueMinor: nullable(money()),
      /** The part of the payment covered by the customer's balance; reserved while the payment is in flight. */
      balanceMinor: nullable(money()),
      /** The line whose unused time a plan change credits, the credited amount, and the amount refunded before. */
      creditedLineId: nullable(text()),
      creditedMinor: nullable(money()),
      givenBackMinor: nullable(money()),
      /**
       * Set while a request to the provider is in flight. If it is set later, nothing waits for the response any more.
       */
      askedAt: nullable(instant()),
      /** Where the payer confirms the payment with their bank. */
      actionUrl: nullable(text()),
      /** The provider's reference for the payment in flight. */
      paymentReference: nullable(text()),
      /**
       * The subscription whose plan the intent changes, and whether the change is prorated; fixed when payment starts.
       */
      changesSubscriptionId: nullable(text()),
      prorated: boolean(),
      subscriptionId: nullable(text()),
      failureReason: nullable(text()),
      declineCode: shownIfSet(text<DeclineCode>()),
      expiresAt: instant(),
      ...timestamps,
      ...agreedQuantity,
      addOns: nullable(json<AddOn[]>()),
      /** How a plan change is billed; null for the rules of an order by a payer. */
      billing: nullable(text<AppliedBilling>()),
      /** How an order by a payer that changes a plan is billed; fixed when payment starts. */
      orderBilling: shownIfSet(text<AppliedBilling>()),
      /** The credits on lines other than `creditedLineId`, if there are several, and the parts of credit grants. */
      credits: nullable(json<(ReservedCredit | ReservedGrant)[]>()),
      trialDays: nullable(count()),
      setupFeeMinor: nullable(money()),
      couponId: shownIfSet(text()),
      promotionCodeId: shownIfSet(text()),
      /** The discounts of the payment in flight. */
      discounts: nullable(json<DiscountTerms[]>()),
      /** Whether the price contains the tax; null for exclusive. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      /** The tax of the payment in flight; null for none. */
      tax: nullable(json<BillTax>()),
      /** Null for intents of releases whose links had no token: their id alone opens the page until they expire. */
      hasSecretLink: nullable(boolean()),
      /** The metadata of the subscription that it starts or changes; null leaves that of a changed one. */
      metadata: shownIfSet(json<TextMetadata>()),
      /** The threshold of the subscription that it starts, in minor units; null for none. */
      billingThresholdMinor: nullable(money()),
      /** What it is to spend on usage at least; null for nothing. */
      commitment: nullable(json<Commitment>()),
      /** The amounts of its usage in a period of which events tell, in minor units, the lowest first; null for none. */
      spendAlerts: nullable(json<string[]>()),
    },
    {
      ...byTenant,
      indexes: {
        intents_order: {
          columns: ['tenantAlias', 'orderNumber'],
          unique: true,
          where: { orderNumber: { isSet: true } },
        },
        // The payer's link does not name the tenant.
        intents_by_id: { columns: ['id'] },
        intents_expiry: { columns: ['tenantAlias', 'status', 'expiresAt'] },
        intents_asked: { columns: ['tenantAlias', 'askedAt', 'id'], where: { askedAt: { isSet: true } } },
        intents_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        intents_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
        intents_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  subscriptions: table(
    'subscriptions',
    {
      tenantAlias: text(),
      id: text(),
      paymentIntentId: text(),
      customerId: text(),
      groupId: nullable(text()),
      productId: text(),
      priceId: text(),
      productName: text(),
      amountMinor: money(),
      currency: text(),
      frequency: text<Frequency>(),
      period: count(),
      /** Cycle n starts at anchor + n × interval. */
      anchor: instant(),
      paymentMethodId: nullable(text()),
      startsAt: instant(),
      firstBillingDate: instant(),
      /** The start of the next period to be billed. */
      nextBillingDate: nullable(instant()),
      /** The start of the period paid last. */
      currentPeriodStart: nullable(instant()),
      currentPeriodEnd: nullable(instant()),
      /** The number of paid periods, whole or partial. */
      billedCount: count(),
      /**
       * When the scheduler processes the subscription next: at its next period, or at the next attempt of a failed
       * charge; null for never.
       */
      dueAt: nullable(instant()),
      /** Until when another process has claimed it for billing; used if several processes share a database. */
      claimedUntil: nullable(instant()),
      /** The open invoice; the next period is billed once it is paid. */
      openInvoiceId: nullable(text()),
      pastDueSince: nullable(instant()),
      pausedAt: nullable(instant()),
      /** When the pause ends by itself; null for one that ends on request, and without a pause. */
      resumesAt: shownIfSet(instant()),
      cancelAtPeriodEnd: boolean(),
      /** The instant at which it ends; the period that contains it is billed up to it. */
      cancelAt: nullable(instant()),
      /** The intent of a downgrade, which takes effect with the next period. */
      nextIntentId: nullable(text()),
      /** The intent of a plan change whose payment is in flight; billing waits for it. */
      changingIntentId: nullable(text()),
      /** Why billing was stopped: the inconsistency found in the subscription's books. */
      parkedReason: nullable(text()),
      metadata: json<TextMetadata>(),
      ...timestamps,
      cancelledAt: nullable(instant()),
      ...agreedQuantity,
      addOns: nullable(json<AddOn[]>()),
      /** The end of the trial, which is the first billing date; null if there was none. */
      trialEndsAt: nullable(instant()),
      /** When the end of the trial was announced. */
      trialEndAnnouncedAt: nullable(instant()),
      /** Whether the price contains the tax; null for exclusive. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      /** Why the customer cancelled, one of the portal's reasons, and in their own words. */
      cancellationReason: shownIfSet(text()),
      cancellationComment: shownIfSet(text()),
      /** The billing date that was announced as an upcoming renewal. */
      renewalAnnouncedFor: nullable(instant()),
      /** The decline that stopped the retries; null while they go on. */
      retriesStoppedReason: shownIfSet(text()),
      /** The MRR of which movements were written; null for none. */
      mrr: nullable(json<RecordedMrr>()),
      /** When the last retry was over and the subscription was left past due; null while an attempt is scheduled. */
      retriesEndedAt: nullable(instant()),
      /** The `pastDueSince` for which the end of the access was announced. */
      accessEndedFor: nullable(instant()),
      /** Since when it has had a price of usage; null for never. */
      usageSince: nullable(instant()),
      /** The amount of usage that is billed as soon as it is reached, in minor units of its currency; null for none. */
      billingThresholdMinor: nullable(money()),
      /** What it is to spend on usage at least; null for nothing. */
      commitment: nullable(json<Commitment>()),
      /** The amounts of usage in a period of which events tell, in minor units, the lowest first; null for none. */
      spendAlerts: nullable(json<string[]>()),
      /** The highest of them that was told, and the beginning of the period; null for none. */
      spendAlerted: nullable(json<{ periodStart: string; amountMinor: string }>()),
    },
    {
      ...byTenant,
      indexes: {
        subscriptions_spend_alerts: {
          columns: ['tenantAlias', 'customerId'],
          where: { cancelledAt: null, spendAlerts: { isSet: true } },
        },
        subscriptions_threshold: {
          columns: ['tenantAlias', 'customerId'],
          where: { cancelledAt: null, billingThresholdMinor: { isSet: true } },
        },
        subscriptions_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        subscriptions_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        subscriptions_product: { columns: ['tenantAlias', 'productId', 'createdAt', 'id'] },
        // Each subscription is in exactly one of the next five indexes, by its status.
        subscriptions_unpaid: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { cancelledAt: null, pausedAt: null, currentPeriodEnd: null },
        },
        subscriptions_running: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { cancelledAt: null, pausedAt: null, currentPeriodEnd: { isSet: true }, pastDueSince: null },
        },
        subscriptions_past_due: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: {
            cancelledAt: null,
            pausedAt: null,
            currentPeriodEnd: { isSet: true },
            pastDueSince: { isSet: true },
          },
        },
        // Few subscriptions are in a trial at once.
        subscriptions_trialing: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { cancelledAt: null, trialEndsAt: { isSet: true } },
        },
        subscriptions_paused: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { cancelledAt: null, pausedAt: { isSet: true } },
        },
        subscriptions_cancelled: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: { cancelledAt: { isSet: true } },
        },
        subscriptions_due: { columns: ['tenantAlias', 'dueAt', 'id'], where: { dueAt: { isSet: true } } },
        // The renewals of long periods that are still to be announced.
        subscriptions_renewals: {
          columns: ['tenantAlias', 'nextBillingDate', 'id'],
          whereSql:
            "(frequency = 'Yearly' or (frequency = 'Monthly' and period >= 6)) and billed_count > 0 and " +
            'cancelled_at is null and paused_at is null and parked_reason is null and not cancel_at_period_end and ' +
            '(cancel_at is null or cancel_at > next_billing_date) and ' +
            '(renewal_announced_for is null or renewal_announced_for <> next_billing_date)',
        },
        // The past-due subscriptions whose end of access is still to be announced.
        subscriptions_grace: {
          columns: ['tenantAlias', 'pastDueSince', 'id'],
          whereSql:
            'past_due_since is not null and cancelled_at is null and paused_at is null and ' +
            '(access_ended_for is null or access_ended_for <> past_due_since)',
        },
        // Billing waits for few subscriptions at once; without this index each look-up would search all that are due.
        subscriptions_held: {
          columns: ['tenantAlias', 'changingIntentId'],
          where: { changingIntentId: { isSet: true } },
        },
        // Few subscriptions have a scheduled plan change at once.
        subscriptions_scheduled: {
          columns: ['tenantAlias', 'nextIntentId'],
          where: { nextIntentId: { isSet: true } },
        },
        // The group or product comes before the customer, because the subscribers of a group or a product are searched
        // as well.
        subscriptions_one_in_group: {
          columns: ['tenantAlias', 'groupId', 'customerId'],
          unique: true,
          where: { cancelledAt: null, groupId: { isSet: true } },
        },
        subscriptions_one_of_product: {
          columns: ['tenantAlias', 'productId', 'customerId'],
          unique: true,
          where: { cancelledAt: null },
        },
      },
      foreign: tenantKey,
    },
  ),
};
