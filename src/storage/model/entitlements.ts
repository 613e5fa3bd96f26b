import { count, instant, json, nullable, shownIfSet, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps } from './common.ts';

/** What a feature's value is: yes or no, any JSON value, or a number of units. */
export type FeatureKind = 'boolean' | 'config' | 'limit';

/** What a product or an override gives of a feature. */
export interface EntitlementTerms {
  /** True or false, a JSON value, or a limit as a decimal; null for a limit without end. */
  value: unknown;
  /** Whether use goes on above the limit; absent for no. */
  soft?: true;
  /** By how many units use may exceed a soft limit, a decimal; absent for any. */
  overageLimit?: string;
  /** Whether the limit counts once for each unit of the item's quantity; absent for no. */
  timesQuantity?: true;
  /** Decides between the values of several products: the highest; absent for 0. */
  priority?: number;
}

/** When a change of a product reaches its subscribers. */
export type EntitlementReach = 'now' | 'next_period';

/** The terms of a feature at a product from an instant on. */
export interface EntitlementVersion {
  /** Null while the product does not have the feature. */
  terms: EntitlementTerms | null;
  since: string;
  reach: EntitlementReach;
}

/** Features, who has them, and what is reserved of them. Features are named by their keys, which never change. */
export const entitling = {
  features: table(
    'features',
    {
      tenantAlias: text(),
      id: text(),
      key: text(),
      name: text(),
      kind: text<FeatureKind>(),
      /** The meter that counts the use of a limit; null for none. */
      meterId: shownIfSet(text()),
      /** The credit type that the use of a limit is counted in, instead of a meter; null for none. */
      creditTypeId: shownIfSet(text()),
      /** The shares of the limit, in percent, of whose use an event tells; null for those of the tenant. */
      alertPercents: shownIfSet(json<number[]>()),
      /** When it was withdrawn from products and overrides; null while it can be attached. */
      archivedAt: shownIfSet(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        features_key: { columns: ['tenantAlias', 'key'], unique: true },
        features_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        features_kind: { columns: ['tenantAlias', 'kind', 'createdAt', 'id'] },
        features_meter: { columns: ['tenantAlias', 'meterId', 'id'], where: { meterId: { isSet: true } } },
        features_credit_type: {
          columns: ['tenantAlias', 'creditTypeId', 'id'],
          where: { creditTypeId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  productEntitlements: table(
    'product_entitlements',
    {
      tenantAlias: text(),
      id: text(),
      productId: text(),
      /** The key of the feature. */
      feature: text(),
      /** The terms for new subscriptions; null after the feature was detached. */
      terms: nullable(json<EntitlementTerms>()),
      /** When the terms were set, and when they reach the subscribers of that time. */
      since: instant(),
      reach: text<EntitlementReach>(),
      /** The terms before, oldest first, which hold for those whom the later ones have not reached. */
      earlier: json<EntitlementVersion[]>(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        product_entitlements_product: { columns: ['tenantAlias', 'productId', 'feature'], unique: true },
      },
      foreign: tenantKey,
    },
  ),

  entitlementOverrides: table(
    'entitlement_overrides',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The key of the feature. */
      feature: text(),
      terms: json<EntitlementTerms>(),
      /** When it ends, exclusive; null for never. */
      endsAt: nullable(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        entitlement_overrides_customer: { columns: ['tenantAlias', 'customerId', 'feature'], unique: true },
        entitlement_overrides_listed: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // What events have told of the use of a limit in a period.
  limitAlerts: table(
    'limit_alerts',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The key of the feature. */
      feature: text(),
      periodStart: instant(),
      /** The highest share of the limit that was told. */
      percent: count(),
    },
    {
      ...byTenant,
      indexes: {
        limit_alerts_customer: {
          columns: ['tenantAlias', 'customerId', 'feature', 'periodStart'],
          unique: true,
        },
      },
      foreign: tenantKey,
    },
  ),

  // Written like usage, beside the units of work, and without traces.
  reservations: table(
    'reservations',
    {
      tenantAlias: text(),
      id: text(),
      /** The id that the client gave, or the idempotency key of its request; null for none. */
      requestId: nullable(text()),
      customerId: text(),
      /** The key of the feature. */
      feature: text(),
      meterId: text(),
      /** The reserved units, a decimal. */
      amount: text(),
      expiresAt: instant(),
      /** `expiresAt` until it is settled or released; null after that. */
      openUntil: nullable(instant()),
      /** The units that were used, a decimal; null unless it was settled. */
      settledAmount: nullable(text()),
      /** When it was settled or released. */
      closedAt: nullable(instant()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        // Few reservations of a customer are open.
        reservations_open: {
          columns: ['tenantAlias', 'customerId', 'feature', 'openUntil'],
          where: { openUntil: { isSet: true } },
        },
        reservations_request: {
          columns: ['tenantAlias', 'requestId'],
          unique: true,
          where: { requestId: { isSet: true } },
        },
        reservations_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        reservations_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),
};
