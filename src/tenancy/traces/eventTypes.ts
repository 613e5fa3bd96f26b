import type { TenantTable } from '../../storage/model/rowTypes.ts';

/**
 * All events that this release writes, by activity type and action, each with a description. Types restrict rules to
 * these actions. Webhook filters, the query `eventTypes` and docs/events.md are generated from this list.
 */
const actions = {
  CustomerEvent: {
    created: 'A customer was created.',
    updated: 'Fields of a customer changed.',
    deleted: 'A customer was deleted.',
    erased: 'Personal data of a customer was replaced by a mark.',
    portal_signed_in: 'The customer signed in to the portal; `details` says whether by a link or a code.',
    session_created:
      'A session of the customer in a page began; `details` has its `sessionId`, `allow` and `expiresAt`.',
    session_revoked: 'A session of the customer in a page was revoked; `details` has its `sessionId`.',
    credited: 'A balance that the customer had elsewhere was imported.',
    credit_granted: 'The customer was granted a credit; `details` has its amount.',
    credit_expired: 'The remainder of a credit has expired; `details` has its amount.',
    credit_used:
      'A credit grant is used to 50, 80 or 100 percent; `details` has the `percent` and the amount that is left.',
    credit_changed:
      'The alert of a credit grant was changed; `details` has the amount that is left and `alertBelow`, null for none.',
    credit_low:
      'Less is left of a credit grant than its alert names, once until that much is left again; `details` has the amount that is left ' +
      'and `alertBelow`, both in major units or in credits.',
    credit_rolled_over:
      'A part of an expired credit grant is kept; `details` has its amount and when it expires.',
    credit_voided: 'The remainder of a credit grant was voided; `details` has its amount.',
    credit_topped_up:
      'Credit was sold because little was left; `details` has the `autoTopUpId`, the `invoiceId` and the amount. The payment grants it.',
    credit_top_up_failed:
      'The charge for credit that was sold because little was left has failed; `details` has the `autoTopUpId`, the `invoiceId` and ' +
      'the `reason`. Nothing more is sold until the invoice is paid or voided.',
    vat_id_valid: 'VIES confirms a VAT id that it did not know before: the next bill is charged in reverse.',
    vat_id_invalid:
      'VIES does not know the VAT id, or not any more: the next bill is taxed. Bills that were made stay as they are.',
    usage_alert:
      'The use of a limit has reached a share of it that its feature names in `alertPercents`, once in a period; `details` has the ' +
      '`feature`, the `percent`, what is `used`, the `limit`, `periodStart` and `periodEnd`, which are null for a limit that no period ' +
      'resets: that is told again once the use has been below it.',
    credit_top_up_limited:
      'Little credit is left, but the limit of the month is reached; `details` has the `autoTopUpId` and the `monthlyLimit`.',
  },
  ProductEvent: {
    created: 'A product was created.',
    updated: 'Fields of a product changed.',
    deleted: 'A product was deleted, by itself or with its group.',
  },
  PriceEvent: {
    created: 'A price was created.',
    updated: 'Fields of a price changed.',
    archived: 'A price was archived; new orders and changes cannot choose it.',
    unarchived: 'An archived price can be chosen again.',
    deleted: 'A price was deleted with its product group.',
  },
  CustomerNoteEvent: {
    created: 'A note about a customer was written.',
    updated: 'The text of a note about a customer changed.',
    deleted: 'A note about a customer was deleted.',
  },
  GroupEvent: {
    created: 'A product group was created.',
    updated: 'Fields of a product group changed.',
    deleted: 'A product group was deleted.',
  },
  CouponEvent: {
    created: 'A coupon was created.',
    updated: 'Fields of a coupon changed.',
    redeemed: 'A coupon was redeemed, or a payment that redeems it has started.',
    released: 'A payment that would have redeemed a coupon failed or was cancelled.',
  },
  PromotionCodeEvent: {
    created: 'A promotion code was created.',
    updated: 'Fields of a promotion code changed.',
    redeemed: 'A promotion code was redeemed, or a payment that redeems it has started.',
    released: 'A payment that would have redeemed a promotion code failed or was cancelled.',
  },
  DiscountEvent: {
    created: 'A coupon was applied to a subscription or a customer.',
    used: 'An invoice used a discount for the first time, or a payment that uses it has started.',
    released: 'A discount can be used again, because its payment failed or its invoice was voided.',
    removed: 'A discount was removed.',
    ended: 'The months of a repeating discount are over; it reduces no later invoice.',
  },
  IntentEvent: {
    created: 'A subscription intent was created.',
    updated: 'Fields of an intent changed; its payment may be waiting for money.',
    payment_started: 'The payer chose a payment method; the provider is being asked.',
    action_required: 'The payer has to confirm the payment with their bank.',
    payment_failed: 'The payment was declined; the intent can be paid with another method.',
    succeeded: 'The intent was paid, and its subscription started or changed.',
    cancelled: 'The intent was cancelled by the payer, by the client, or with its customer or product group.',
    expired: 'The intent was not paid in time.',
    group_changed: 'The product was moved to another group, and the intent with it.',
    imported: 'The intent was made for a subscription imported from Stripe.',
  },
  SubscriptionEvent: {
    created: 'A subscription started, or is scheduled to start.',
    updated: 'Fields of a subscription changed.',
    billed: 'A period was paid; `nextBillingDate` has moved on.',
    past_due: 'A charge failed; unless retries have stopped, it will be tried again.',
    access_ended:
      'The access grace of a past-due subscription has ended, and its invoice is still unpaid; `details` has ' +
      '`accessUntil`.',
    payment_awaited: 'A renewal was invoiced, and its money is awaited until the invoice is due.',
    paused: 'Billing was paused.',
    resumed: 'Billing was resumed.',
    upgraded: 'A plan change took effect at once.',
    downgrade_scheduled: 'A plan change was scheduled for the end of the period.',
    downgraded: 'A scheduled plan change took effect.',
    scheduled_change_undone: 'A scheduled plan change was taken back, or can no longer be made.',
    group_changed: 'The product was moved to another group, and the subscription with it.',
    payment_method_changed: 'Another payment method is charged from now on.',
    cancellation_scheduled: 'The subscription will be cancelled at the end of the period.',
    cancellation_undone: 'A scheduled cancellation was taken back.',
    spend_alert:
      'The usage of a period has cost an amount that the subscription names in `spendAlerts`, once in a period; `details` has the ' +
      '`amount`, what is `spent`, the `currency`, `periodStart` and `periodEnd`.',
    trial_will_end: 'The trial ends in three days, or sooner if it is shorter.',
    trial_ended:
      'The trial has ended; the first period is billed now, unless the subscription ends or is paused.',
    renewal_upcoming:
      'A period of six months or more will be billed soon; `details` has the expected amount and the date.',
    cancelled: 'The subscription was cancelled.',
    parked: 'Billing stopped, because the books of the subscription do not add up.',
    imported: 'The subscription was imported from Stripe.',
  },
  TaxRateEvent: {
    created: 'A tax rate was created.',
    updated: 'Fields of a tax rate changed.',
    archived: 'A tax rate was archived; new bills do not use it.',
  },
  PaymentMethodEvent: {
    created: 'A payment method was saved for later charges.',
    updated: 'Details of a payment method changed, such as the expiry of its card.',
    removed: 'A payment method was removed; it is never charged again.',
    payment_method_expiring:
      'A payment method that subscriptions charge expires in 30 days, or sooner; `details` has their ids.',
  },
  InvoiceEvent: {
    created: 'An invoice was issued, or created as a draft.',
    finalized:
      'An invoice was finalized after a grace or as a draft: it has its number, and its document no longer changes. ' +
      'Other invoices have their number when they are created.',
    credited: 'A credit note was issued for the invoice.',
    updated: 'Fields of an invoice changed.',
    paid: 'An invoice was paid.',
    period_moved: 'The first period was moved to where its money was received.',
    payment_failed: 'A charge for an invoice failed.',
    payment_awaited: 'An invoice waits for money that has to be recorded by hand.',
    payment_reminder:
      'An invoice is still unpaid on one of the `mailDays` after its charge failed; `details` has `daysOverdue`.',
    sent: 'An invoice was sent to its customer by mail, because somebody asked for it.',
    e_invoice_queued:
      'The e-invoice of an invoice is to be sent to the access point of the tenant, because somebody asked for it.',
    e_invoice_sent: 'The access point has taken the e-invoice; `details` has its `reference`.',
    e_invoice_accepted:
      'The access point or the receiver has accepted the e-invoice; `details` has the `reference` and a `message`.',
    e_invoice_rejected:
      'The access point or the receiver has rejected the e-invoice; `details` has the `reference` and the `message`.',
    e_invoice_failed:
      'The e-invoice could not be sent, and is not tried again by itself; `details` has the `message`.',
    voided: 'An open invoice was voided; nobody has to pay it.',
    given_up: 'The last charge for an invoice failed; it is uncollectible.',
    marked_uncollectible:
      'An open invoice of one-off charges, or the final one of a subscription, was marked uncollectible.',
    refund_started: 'A refund was requested.',
    refund_failed: 'A refund failed; the amount counts as paid again.',
    refund_reported: 'A refund that was made at the payment provider is counted.',
    disputed: 'The bank withdrew money of the invoice, because the payer disputes the charge; it stays paid.',
    dispute_closed: 'A dispute was won, and the money counts again, or lost, and it counts as refunded.',
    refunded_to_balance: "What the customer's balance had paid was given back to it.",
    refundable_changed:
      'A plan change credits unused time of an invoice, or no longer does: `details` has the `amount` that can still be ' +
      'refunded.',
  },
  InvoiceItemEvent: {
    created: 'A line was added that waits for the next invoice.',
    updated: 'A waiting line was shortened, because a later change bills the rest of its period.',
    billed: 'An invoice was issued with the line.',
    released: 'The invoice with the line was closed without payment; the line waits for the next invoice.',
    deleted: 'A waiting line was deleted.',
  },
  CreditNoteEvent: {
    created: 'A credit note was issued.',
    e_invoice_queued:
      'Its e-invoice is to be sent to the access point of the tenant, because somebody asked for it.',
    e_invoice_sent: 'The access point has taken its e-invoice; `details` has its `reference`.',
    e_invoice_accepted:
      'The access point or the receiver has accepted its e-invoice; `details` has the `reference` and a `message`.',
    e_invoice_rejected:
      'The access point or the receiver has rejected its e-invoice; `details` has the `reference` and the `message`.',
    e_invoice_failed:
      'Its e-invoice could not be sent, and is not tried again by itself; `details` has the `message`.',
    voided: 'The refund of a credit note failed; it credits nothing.',
  },
  PaymentEvent: {
    succeeded: 'A charge succeeded.',
    failed: 'A charge failed.',
    updated: 'The metadata of a payment changed.',
    pending: 'A charge was under way when its invoice or intent was closed.',
    refund_pending: 'A refund was requested from the provider.',
    refund_succeeded: 'A refund was paid out.',
    refund_failed: 'A refund failed.',
    dispute_opened:
      'A payer disputes a charge; `dispute` has the reason and the date until which the provider takes evidence. Unless ' +
      'it is an `inquiry`, the money is withdrawn.',
    dispute_updated:
      'The status of a dispute changed, for example because the money of an inquiry was withdrawn.',
    dispute_won:
      'A dispute ended without loss; the money is back. The status of an inquiry is `inquiry_closed`.',
    dispute_lost:
      'A dispute was lost; the money stays with the payer. Providers that report no open disputes report this first.',
  },
  MeterEvent: {
    created: 'A meter was created.',
    updated: 'Fields of a meter changed.',
    version_created: 'A version of a meter was created, which begins at a time.',
    archived: 'A meter was ended: it counts no later events.',
  },
  FeatureEvent: {
    created: 'A feature was created.',
    updated: 'Fields of a feature changed.',
    archived: 'A feature was archived; it cannot be attached any more.',
  },
  ProductEntitlementEvent: {
    created: 'A feature was attached to a product.',
    updated: 'What a product has of a feature changed.',
    detached: 'A feature was detached from a product; subscribers keep it until their next period.',
    deleted: 'A feature was detached from a product and its subscribers at once.',
  },
  EntitlementOverrideEvent: {
    created: 'A customer was given a value of a feature that takes precedence over those of products.',
    updated: 'The value of a feature that a customer was given changed, or its end.',
    deleted: 'The value of a feature that a customer was given was taken back.',
  },
  CreditTypeEvent: {
    created: 'A credit type was created.',
    updated: 'The name or the rates of a credit type changed.',
  },
  AutoTopUpEvent: {
    created: 'An automatic top-up of a customer was set.',
    updated: 'An automatic top-up of a customer changed.',
    deleted: 'An automatic top-up of a customer was removed.',
  },
  UsagePriceOverrideEvent: {
    created: 'A customer was given own terms of a price of usage.',
    removed: "A customer's own terms of a price of usage were removed: they hold until `endsAt`.",
  },
  WebhookEvent: {
    created: 'A webhook endpoint was created.',
    updated: 'Fields of a webhook endpoint changed.',
    deleted: 'A webhook endpoint was deleted.',
    secret_rotated: 'A webhook endpoint was given another secret.',
    disabled: 'A webhook endpoint was switched off, because it answered 410 Gone.',
    tested: 'A test message was sent; the tested endpoint receives it with any filter.',
  },
  MailTemplateEvent: {
    created: 'A text of a mail was replaced by one of the tenant.',
    updated: 'Fields of a mail template changed.',
    deleted: 'A mail template was deleted; the standard text is used.',
  },
  ActionRequestEvent: {
    created: 'Somebody asked for an operation that moves money or cannot be undone.',
    updated:
      'What an operation would do has changed; the request waits for a decision about the new preview.',
    approved: 'A request was approved, and its operation has begun.',
    completed: 'The operation of an approved request has ended; `resultId` names what it returned.',
    failed: 'The operation of a request was refused, as `failure` says, or its customer was erased.',
    declined: 'A request was declined.',
    withdrawn: 'A request was withdrawn, mostly by who made it.',
    expired: 'Nobody decided about a request in time.',
  },
  ApiKeyEvent: {
    created: 'An API key was created.',
    rotated: 'An API key was replaced by another and will expire.',
    revoked: 'An API key was revoked.',
  },
  OperatorEvent: {
    created: 'An operator was given access to the tenant.',
    updated: 'The role of an operator changed.',
    deleted: 'An operator no longer has access to the tenant.',
  },
  TenantEvent: {
    created: 'The tenant was created.',
    updated: 'Settings of the tenant changed.',
    account_configured:
      'The tenant was given its own account at a payment provider, mail server or access point; `details` has its settings.',
    account_removed: 'The own account of the tenant was removed; `details` has the provider.',
    reset: 'All business records of the test tenant were removed, with their history.',
    union_threshold_near:
      'Sales to private customers in other member states have reached 80 percent of the threshold, once in a year; `details` has the ' +
      '`year`, `netMinor` and `thresholdMinor`.',
    union_threshold_exceeded:
      'Sales to private customers in other member states exceed the threshold: they are taxed at the customer until `destinationUntil` ' +
      'of the `details`.',
    exchange_rate_set:
      'The tenant set its own exchange rate of a `currency` on a `day`, or removed it; `details` has the rate before and after.',
    exchange_rate_missing:
      'A document was numbered without its tax in the currency of the seller, because no rate of the `day` is known; once ' +
      'for a day and currency. It gets the tax once a rate is stored.',
    taxes_converted:
      'Documents that had no exchange rate got their tax in the currency of the seller; `details` has the days of the rates and the ' +
      'number of `documents`.',
    documents_erased:
      'The retention of documents of erased customers ended, and their personal data was replaced by a mark; ' +
      '`details` has their ids.',
  },
  ClockEvent: {
    advanced: 'The clock of a test tenant was moved forward.',
  },
} as const satisfies Record<string, Record<string, string>>;

export type ActivityType = keyof typeof actions;

export const activityTypes = Object.keys(actions) as ActivityType[];

/** The activity type under which changes of each table are recorded. */
export const activityTypeByTable = {
  tenants: 'TenantEvent',
  actionRequests: 'ActionRequestEvent',
  apiKeys: 'ApiKeyEvent',
  operatorMemberships: 'OperatorEvent',
  customers: 'CustomerEvent',
  customerNotes: 'CustomerNoteEvent',
  groups: 'GroupEvent',
  products: 'ProductEvent',
  prices: 'PriceEvent',
  coupons: 'CouponEvent',
  promotionCodes: 'PromotionCodeEvent',
  discounts: 'DiscountEvent',
  intents: 'IntentEvent',
  subscriptions: 'SubscriptionEvent',
  paymentMethods: 'PaymentMethodEvent',
  invoices: 'InvoiceEvent',
  invoiceItems: 'InvoiceItemEvent',
  payments: 'PaymentEvent',
  creditNotes: 'CreditNoteEvent',
  taxRates: 'TaxRateEvent',
  meters: 'MeterEvent',
  features: 'FeatureEvent',
  productEntitlements: 'ProductEntitlementEvent',
  entitlementOverrides: 'EntitlementOverrideEvent',
  creditTypes: 'CreditTypeEvent',
  autoTopUps: 'AutoTopUpEvent',
  usagePriceOverrides: 'UsagePriceOverrideEvent',
  webhookEndpoints: 'WebhookEvent',
  mailTemplates: 'MailTemplateEvent',
} as const satisfies Partial<Record<TenantTable, ActivityType>>;

/** The tables whose every change is recorded in a trace. */
export type TracedTable = keyof typeof activityTypeByTable;

/** The actions of an activity type. */
export type EventAction<Type extends ActivityType> = keyof (typeof actions)[Type] & string;

/** The actions under which changes of a table are recorded. */
export type TableAction<Name extends TracedTable> = EventAction<(typeof activityTypeByTable)[Name]>;

/** An event that webhooks can subscribe to. */
export interface EventType {
  /** For example `SubscriptionEvent.created`. */
  name: string;
  activityType: ActivityType;
  action: string;
  description: string;
}

/** All events, grouped by activity type. */
export const eventTypes: EventType[] = Object.entries(actions).flatMap(([activityType, own]) =>
  Object.entries(own).map(([action, description]) => ({
    name: `${activityType}.${action}`,
    activityType: activityType as ActivityType,
    action,
    description,
  })),
);

/**
 * Returns the current spelling of an action or a status. Releases up to 0.1 wrote `canceled` for intents and
 * deliveries. Traces are immutable, so they keep the old spelling and are translated when read.
 */
export const toCurrentSpelling = (word: string): string => (word === 'canceled' ? 'cancelled' : word);

/** Returns the current name of an event or of a filter: `IntentEvent.cancelled` for `IntentEvent.canceled`. */
export function toCurrentEventName(name: string): string {
  const action = name.indexOf('.') + 1;
  return name.slice(0, action) + toCurrentSpelling(name.slice(action));
}

/**
 * Translates a payload query to the current type names: releases up to 0.1 called `SubscriptionContract`
 * `Subscription`.
 */
export const toCurrentPayloadQuery = (query: string): string =>
  query.replace(/\bon(\s+)Subscription\b/g, 'on$1SubscriptionContract');
