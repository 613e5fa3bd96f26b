import { boolean, count, instant, json, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  tenantKey,
  timestamps,
  type BankAccount,
  type Branding,
  type ChangePolicy,
  type DunningPolicy,
  type JsonObject,
  type MailSettings,
  type NumberSeries,
  type PortalSettings,
} from './common.ts';
import type { AccountingSettings } from './accounting.ts';
import type { MailedFormat, Seller, VatIdCheckPolicy } from './parties.ts';
import type { RenewedRates } from './renewedRates.ts';

/** Why an API key was last refused: for want of a permission, or for the address it was used from. */
export interface KeyRefusal {
  at: string;
  permission?: string;
  address?: string;
}

/** Tenants, API keys, traces and idempotency records. */
export const tenancy = {
  tenants: table(
    'tenants',
    {
      alias: text(),
      name: text(),
      timezone: text(),
      /** A test tenant uses real time until it is given a clock; from then on `clockAt` is its current time. */
      test: boolean(),
      clockAt: nullable(instant()),
      /** Signs the cursors of this tenant. */
      cursorSecret: text(),
      /** The days after the first attempt on which a failed charge is retried. */
      retryDays: json<number[]>(),
      /** The payment providers that new payments may use; null for all providers of the server. */
      paymentProviders: nullable(json<string[]>()),
      /** Days from issue until a manually paid invoice is due; null for the default. */
      paymentTermsDays: nullable(count()),
      /** The account that payers transfer money to. */
      bankAccount: nullable(json<BankAccount>()),
      /** Whether the tenant has a webhook endpoint; without one, events need no look-up of endpoints. */
      hasWebhooks: boolean(),
      ...timestamps,
      /** How changes of subscriptions are billed; null for the defaults. */
      changePolicy: shownIfSet(json<ChangePolicy>()),
      /** What happens to a subscription whose trial ends without a payment method; null to cancel it. */
      trialEndWithoutMethod: shownIfSet(text<'cancel' | 'pause'>()),
      /** When the first coupon was created: until then renewals need no look-up of discounts. */
      discountsSince: nullable(instant()),
      /** When the first invoice item was created: until then renewals need no look-up of items. */
      invoiceItemsSince: nullable(instant()),
      /** When the first usage event was received: until then customers have none to be given. */
      usageSince: nullable(instant()),
      /** When the first threshold was set: until then recordings of usage look for none. */
      thresholdsSince: nullable(instant()),
      /** When the first alert of an amount was set: until then recordings of usage look for none. */
      spendAlertsSince: nullable(instant()),
      /** The seller on documents; without its address no tax is charged. */
      seller: shownIfSet(json<Seller>()),
      /** Hours from the creation of an invoice to its finalization; null for none. */
      invoiceGraceHours: shownIfSet(count()),
      /** For how many days after their bill usage events are kept; null for ever. */
      usageRetentionDays: shownIfSet(count()),
      /** The shares of limits, in percent, of whose use events tell, for features that name none; null for none. */
      usageAlertPercents: shownIfSet(json<number[]>()),
      /** Usage events that were received before are gone; null for none. */
      usageForgottenUntil: nullable(instant()),
      /** How long documents outlast the erasure of their customer, after the year of issue; null for the default. */
      documentRetentionYears: shownIfSet(count()),
      /** Null for the default series. */
      numberSeries: shownIfSet(json<{ invoice: NumberSeries; credit_note: NumberSeries }>()),
      /** What a bill does with a VAT id about which VIES has not answered; null: VIES is not asked. */
      vatIdCheck: shownIfSet(text<VatIdCheckPolicy>()),
      /** Where sales to private customers in other member states are taxed; null for the customer, without counting them. */
      placeOfSupply: shownIfSet(text<'seller' | 'destination'>()),
      /** When the first product was given a kind: until then bills need no look-up of products. */
      productKindsSince: nullable(instant()),
      branding: shownIfSet(json<Branding>()),
      /** Null for the defaults. */
      portal: shownIfSet(json<PortalSettings>()),
      /** Null for the defaults. */
      dunning: shownIfSet(json<DunningPolicy>()),
      /** Null for the defaults. */
      mail: shownIfSet(json<MailSettings>()),
      /** From when movements of revenue are written; null until those of earlier releases are rebuilt. */
      revenueSince: nullable(instant()),
      /** The origins of pages that may use credentials of browsers; null for none. */
      allowedOrigins: shownIfSet(json<string[]>()),
      /** The currency that forms begin with; null until somebody chooses. */
      defaultCurrency: shownIfSet(text()),
      /** The currency in which the seller owes tax; null for that of its country. */
      taxCurrency: shownIfSet(text()),
      /** Whether paid credit is sold as single-purpose vouchers, which lower bills before tax; null for no. */
      creditVouchers: shownIfSet(text<'multi_purpose' | 'single_purpose'>()),
      /** Null for the defaults. */
      accounting: shownIfSet(json<AccountingSettings>()),
      /** The formats that the tenant's access point takes; null without an access point. */
      eInvoiceFormats: shownIfSet(json<MailedFormat[]>()),
      /** Standard VAT rates of files; null for those that are built in. */
      renewedRates: shownIfSet(json<RenewedRates>()),
    },
    { primary: ['alias'] },
  ),

  // The tenant's own accounts at payment providers and mail servers, in place of those of the server.
  accounts: table(
    'accounts',
    {
      tenantAlias: text(),
      /** The name of the provider: `stripe`, `mollie` or `smtp`. */
      id: text(),
      /** The settings that may be shown. */
      settings: json<Record<string, string>>(),
      /** The secrets, sealed. */
      secrets: text(),
      /** What an access point signs its reports with, sealed; null for none. */
      callbackSecret: nullable(text()),
      /** The one before it, sealed, which is still taken until `previousCallbackSecretUntil`. */
      previousCallbackSecret: nullable(text()),
      previousCallbackSecretUntil: nullable(instant()),
      /** The last failure of a call with these settings; null since one succeeded. */
      failedAt: nullable(instant()),
      failure: nullable(text()),
      ...timestamps,
    },
    { ...byTenant, foreign: tenantKey },
  ),

  apiKeys: table(
    'api_keys',
    {
      tenantAlias: text(),
      id: text(),
      secretHash: text(),
      scope: text<'read' | 'write'>(),
      createdAt: instant(),
      expiresAt: nullable(instant()),
      revokedAt: nullable(instant()),
      /** What the key is for; null if nobody said. */
      name: nullable(text()),
      /** To the hour; null if it was never used, or not since releases that record it. */
      lastUsedAt: nullable(instant()),
      /** Null for a secret key. */
      kind: shownIfSet(text<'publishable'>()),
      /** Null for a key with a scope alone. */
      permissions: shownIfSet(json<string[]>()),
      /** The addresses and networks that the key is accepted from; null for all. */
      ipAllowlist: shownIfSet(json<string[]>()),
      /** The address of the use at `lastUsedAt`. */
      lastUsedFrom: nullable(text()),
      lastRefusal: nullable(json<KeyRefusal>()),
    },
    {
      ...byTenant,
      indexes: { api_keys_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  traces: table(
    'traces',
    {
      tenantAlias: text(),
      eventId: text(),
      traceId: text(),
      parentId: nullable(text()),
      isRoot: boolean(),
      executorId: text(),
      activityType: text(),
      payload: json<JsonObject>(),
      createdAt: instant(),
      /** The `resourceId` of the payload, for look-ups. Null only until the migration has filled it. */
      resourceId: nullable(text()),
      /** The customer whom the event concerns: themselves, or the `customerId` of the record; null for none. */
      customerId: nullable(text()),
    },
    {
      primary: ['tenantAlias', 'eventId'],
      indexes: {
        traces_created: { columns: ['tenantAlias', 'createdAt', 'eventId'] },
        traces_executor: { columns: ['tenantAlias', 'executorId', 'createdAt', 'eventId'] },
        traces_activity: { columns: ['tenantAlias', 'activityType', 'createdAt', 'eventId'] },
        // Followers read events in commit order. Each index makes every write slower, so followers of a type or an
        // executor filter the events instead, a bounded number at a time.
        traces_followed_resource: { columns: ['tenantAlias', 'resourceId', 'eventId'] },
        traces_customer: {
          columns: ['tenantAlias', 'customerId', 'eventId'],
          where: { customerId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  /** Requests with an idempotency key and their outcomes, kept for a day. */
  idempotency: table(
    'idempotency',
    {
      tenantAlias: text(),
      idempotencyKey: text(),
      /** The mutation within the request; empty for the response as a whole. */
      field: text(),
      requestHash: text(),
      /** Null while the mutation is in progress or interrupted. */
      outcome: nullable(text()),
      /** The values of the checkpoints passed so far. */
      progress: nullable(text()),
      /** The token of the execution that performs the mutation. */
      owner: nullable(text()),
      /** Until when no other execution may continue the mutation; null if it is complete or interrupted. */
      claimedUntil: nullable(instant()),
      createdAt: instant(),
    },
    {
      primary: ['tenantAlias', 'idempotencyKey', 'field'],
      indexes: {
        idempotency_created: { columns: ['tenantAlias', 'createdAt'] },
        idempotency_claimed: {
          columns: ['tenantAlias', 'claimedUntil'],
          where: { outcome: null },
        },
      },
      foreign: tenantKey,
    },
  ),
};
