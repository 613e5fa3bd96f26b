import { boolean, count, instant, json, money, nullable, table, text } from './columns.ts';
import {
  byTenant,
  recurring,
  tenantKey,
  timestamps,
  type JsonObject,
  type Frequency,
  type Pricing,
} from './common.ts';

/** What `amountMinor` was computed from, where the price is not flat: it is that of a whole cycle for this quantity. */
const agreedQuantity = {
  /** Null is 1. */
  quantity: nullable(count()),
  pricing: nullable(json<Pricing>()),
};

/** How somebody comes to subscribe, and the subscription. */
export const subscribing = {
  paymentMethods: table(
    'payment_methods',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      provider: text(),
      /** What the provider knows the method by; never a card number. */
      reference: text(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: { payment_methods_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

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
      /** SHA-256 of the request that an order number belongs to. */
      requestHash: text(),
      startDate: nullable(instant()),
      reason: nullable(text()),
      /** How often payment was tried; names each try to the provider, so that asking again charges nothing twice. */
      attempts: count(),
      provider: nullable(text()),
      paymentMethod: nullable(text()),
      /** The moment the payment under way is reckoned for. */
      paymentStartedAt: nullable(instant()),
      /** What it asks for, in minor units. */
      dueMinor: nullable(money()),
      /** What of the customer's balance pays for it; reserved while the payment is under way. */
      balanceMinor: nullable(money()),
      /** The line whose unused time a plan change credits, what it credits, and what was given back before. */
      creditedLineId: nullable(text()),
      creditedMinor: nullable(money()),
      givenBackMinor: nullable(money()),
      /** Set while the provider is asked; found set later, nobody has waited for the answer. */
      askedAt: nullable(instant()),
      /** Where the payer confirms the payment with their bank. */
      actionUrl: nullable(text()),
      /** What the provider knows the payment under way by. */
      paymentReference: nullable(text()),
      /** The subscription whose plan it changes, and whether that is prorated: settled when payment starts. */
      changesSubscriptionId: nullable(text()),
      prorated: boolean(),
      subscriptionId: nullable(text()),
      failureReason: nullable(text()),
      expiresAt: instant(),
      ...timestamps,
      ...agreedQuantity,
    },
    {
      ...byTenant,
      indexes: {
        intents_order: {
          columns: ['tenantAlias', 'orderNumber'],
          unique: true,
          where: 'order_number is not null',
        },
        // The payer's page knows the id alone.
        intents_by_id: { columns: ['id'] },
        intents_expiry: { columns: ['tenantAlias', 'status', 'expiresAt'] },
        intents_asked: { columns: ['tenantAlias', 'askedAt', 'id'], where: 'asked_at is not null' },
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
      /** The period paid last. */
      currentPeriodStart: nullable(instant()),
      currentPeriodEnd: nullable(instant()),
      /** How many whole or stub periods have been paid. */
      billedCount: count(),
      /** When billing looks at it next: its next period, or the next try of a failed charge; null for never. */
      dueAt: nullable(instant()),
      /** Until when another process may be billing it; used where several share a database. */
      claimedUntil: nullable(instant()),
      /** The invoice that waits to be paid; the next period is billed after it. */
      openInvoiceId: nullable(text()),
      pastDueSince: nullable(instant()),
      pausedAt: nullable(instant()),
      cancelAtPeriodEnd: boolean(),
      /** The instant at which it ends; the period that contains it is billed up to it. */
      cancelAt: nullable(instant()),
      /** The intent of a downgrade, which takes effect with the next period. */
      nextIntentId: nullable(text()),
      /** The intent of a plan change whose payment is under way; billing waits for it. */
      changingIntentId: nullable(text()),
      /** Why billing has put it aside: its books do not add up. */
      parkedReason: nullable(text()),
      metadata: json<JsonObject>(),
      ...timestamps,
      cancelledAt: nullable(instant()),
      ...agreedQuantity,
    },
    {
      ...byTenant,
      indexes: {
        subscriptions_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        subscriptions_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        // Each subscription is in exactly one of the next five, by its status.
        subscriptions_unpaid: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: 'cancelled_at is null and paused_at is null and current_period_end is null',
        },
        subscriptions_running: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where:
            'cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is null',
        },
        subscriptions_past_due: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where:
            'cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is not null',
        },
        subscriptions_paused: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: 'cancelled_at is null and paused_at is not null',
        },
        subscriptions_cancelled: {
          columns: ['tenantAlias', 'createdAt', 'id'],
          where: 'cancelled_at is not null',
        },
        subscriptions_due: { columns: ['tenantAlias', 'dueAt', 'id'], where: 'due_at is not null' },
        // Few are held at once; among all that is due they would be looked for in vain, again and again.
        subscriptions_held: {
          columns: ['tenantAlias', 'changingIntentId'],
          where: 'changing_intent_id is not null',
        },
        // Few wait for a change of plan at once.
        subscriptions_scheduled: {
          columns: ['tenantAlias', 'nextIntentId'],
          where: 'next_intent_id is not null',
        },
        // Not the customer first: whoever subscribes within a group, or to a product, is looked for, too.
        subscriptions_one_in_group: {
          columns: ['tenantAlias', 'groupId', 'customerId'],
          unique: true,
          where: 'cancelled_at is null and group_id is not null',
        },
        subscriptions_one_of_product: {
          columns: ['tenantAlias', 'productId', 'customerId'],
          unique: true,
          where: 'cancelled_at is null',
        },
      },
      foreign: tenantKey,
    },
  ),
};
