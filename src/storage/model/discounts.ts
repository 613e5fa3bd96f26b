import { boolean, count, instant, json, money, nullable, shownIfSet, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject } from './common.ts';

/** Coupons, the promotion codes that redeem them, and the discounts that result. */
export const discounting = {
  coupons: table(
    'coupons',
    {
      tenantAlias: text(),
      id: text(),
      name: text(),
      /** A percentage as a decimal; null if the coupon takes off an amount. */
      percentOff: nullable(text()),
      amountOffMinor: nullable(money()),
      /** The currency of the amount; null for a percentage. */
      currency: nullable(text()),
      duration: text<'once' | 'repeating' | 'forever'>(),
      /** The months of a repeating discount, counted from its first use. */
      durationInMonths: nullable(count()),
      /** The products whose lines it reduces; null for all. */
      productIds: nullable(json<string[]>()),
      maxRedemptions: nullable(count()),
      redeemBy: nullable(instant()),
      /** Redemptions, including those of payments in progress. */
      timesRedeemed: count(),
      active: boolean(),
      metadata: json<JsonObject>(),
      ...timestamps,
      /** The tenant's own name for it, which is accepted instead of its id; null for none. */
      lookupKey: shownIfSet(text()),
    },
    {
      ...byTenant,
      indexes: {
        coupons_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        coupons_active: { columns: ['tenantAlias', 'active', 'createdAt', 'id'] },
        coupons_lookup_key: {
          columns: ['tenantAlias', 'lookupKey'],
          unique: true,
          where: { lookupKey: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  promotionCodes: table(
    'promotion_codes',
    {
      tenantAlias: text(),
      id: text(),
      couponId: text(),
      code: text(),
      /** The code in lower case while it is active, otherwise null: active codes are unique regardless of case. */
      activeCode: nullable(text()),
      /** The only customer who may redeem it; null for all. */
      customerId: nullable(text()),
      firstPurchaseOnly: boolean(),
      minimumAmountMinor: nullable(money()),
      /** The currency of the minimum amount. */
      currency: nullable(text()),
      maxRedemptions: nullable(count()),
      /** Redemptions, including those of payments in progress. */
      timesRedeemed: count(),
      expiresAt: nullable(instant()),
      active: boolean(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        promotion_codes_active_code: {
          columns: ['tenantAlias', 'activeCode'],
          unique: true,
          where: { activeCode: { isSet: true } },
        },
        promotion_codes_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        promotion_codes_coupon: { columns: ['tenantAlias', 'couponId', 'createdAt', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'couponId'], table: 'coupons' }],
    },
  ),

  discounts: table(
    'discounts',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** Null for a discount on all subscriptions of the customer that have none of their own. */
      subscriptionId: nullable(text()),
      couponId: text(),
      promotionCodeId: nullable(text()),
      /** Discounts are deducted in this order. */
      position: count(),
      startsAt: instant(),
      /** The end of a repeating discount, counted from its first use; null until then, and for other durations. */
      endsAt: nullable(instant()),
      /** The invoice, or the intent whose payment is in progress, that uses a discount of the duration `once`. */
      spentInvoiceId: nullable(text()),
      removedAt: nullable(instant()),
      ...timestamps,
      /** The `endsAt` whose arrival was recorded. */
      endRecordedFor: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        discounts_coupon: { columns: ['tenantAlias', 'couponId', 'createdAt', 'id'] },
        discounts_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        discounts_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        discounts_subscription: {
          columns: ['tenantAlias', 'subscriptionId', 'id'],
          where: { subscriptionId: { isSet: true } },
        },
        // The repeating discounts whose end is still to be recorded.
        discounts_ending: {
          columns: ['tenantAlias', 'endsAt', 'id'],
          whereSql:
            'ends_at is not null and removed_at is null and ' +
            '(end_recorded_for is null or end_recorded_for <> ends_at)',
        },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'couponId'], table: 'coupons' }],
    },
  ),

  // Failed attempts of payers to enter a promotion code, which a program could guess.
  codeAttempts: table(
    'code_attempts',
    {
      tenantAlias: text(),
      /** Who tried, hashed: an order, a customer, a network address, or all payers of the tenant. */
      subjectHash: text(),
      failures: count(),
      /** When the failures are forgotten. */
      endsAt: instant(),
    },
    {
      primary: ['tenantAlias', 'subjectHash'],
      indexes: { code_attempts_end: { columns: ['tenantAlias', 'endsAt', 'subjectHash'] } },
      foreign: tenantKey,
    },
  ),
};
