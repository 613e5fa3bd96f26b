import type { Route } from './route.ts';

const entitlementFields =
  'feature { key name kind } customerId allowed value limit used reserved remaining overage resetsAt because';
const reservationFields =
  'id feature { key name kind } customerId meterId amount status settledAmount expiresAt closedAt createdAt';

/** Moves the feature's key, name and kind beside the other fields. */
const flatten = ({ feature, ...rest }: any) => ({
  feature: feature.key,
  name: feature.name,
  kind: feature.kind,
  ...rest,
});

const flattenReservation = ({ id, feature, ...rest }: any) => ({ id, feature: feature.key, ...rest });

/** The routes of what customers may use. */
export const entitlementRoutes: Route[] = [
  {
    method: 'GET',
    path: '/customers/{customerId}/entitlements',
    summary: 'Lists what a customer may do with each feature now.',
    extension: true,
    isTenantOptional: true,
    document: `query listEntitlements($customerId: ID!) {
      entitlements(customerId: $customerId) { ${entitlementFields} }
    }`,
    shape: (entitlements) => ({ data: entitlements.map(flatten) }),
  },
  {
    method: 'GET',
    path: '/customers/{customerId}/entitlements/{feature}',
    summary: 'Retrieves whether a customer may use an amount of a feature, and what is left of it.',
    extension: true,
    isTenantOptional: true,
    document: `query checkEntitlement($customerId: ID!, $feature: String!, $amount: Decimal, $meterId: ID) {
      checkEntitlement(customerId: $customerId, feature: $feature, amount: $amount, meterId: $meterId) {
        ${entitlementFields}
      }
    }`,
    shape: flatten,
  },
  {
    method: 'GET',
    path: '/customers/{customerId}/entitlements.jwt',
    summary: 'Returns what a customer may do with each feature as a signed token for five minutes.',
    extension: true,
    isTenantOptional: true,
    textType: 'application/jwt',
    document: `query getEntitlementToken($customerId: ID!) {
      entitlementToken(customerId: $customerId) { token }
    }`,
    shape: ({ token }) => token,
  },
  {
    method: 'POST',
    path: '/entitlements/consume',
    summary: 'Records the use of a feature if it is allowed.',
    extension: true,
    isTenantOptional: true,
    document: `mutation consumeEntitlement(
      $id: String!, $customerId: ID, $associatedId: String, $feature: String!, $amount: Decimal!, $meterId: ID,
      $properties: JSONObject
    ) {
      consumeEntitlement(input: {
        id: $id, customerId: $customerId, associatedId: $associatedId, feature: $feature, amount: $amount,
        meterId: $meterId, properties: $properties
      }) { ${entitlementFields} }
    }`,
    shape: flatten,
  },
  {
    method: 'POST',
    path: '/reservations',
    summary: 'Reserves an amount of a feature for a customer.',
    extension: true,
    isTenantOptional: true,
    document: `mutation reserveEntitlement(
      $id: String, $customerId: ID, $associatedId: String, $feature: String!, $amount: Decimal!, $meterId: ID,
      $ttlSeconds: Int
    ) {
      reserveEntitlement(input: {
        id: $id, customerId: $customerId, associatedId: $associatedId, feature: $feature, amount: $amount,
        meterId: $meterId, ttlSeconds: $ttlSeconds
      }) { ${reservationFields} }
    }`,
    shape: flattenReservation,
    locate: ({ id }) => `/reservations/${id}`,
  },
  {
    method: 'GET',
    path: '/reservations/{reservationId}',
    summary: 'Retrieves a reservation.',
    extension: true,
    isTenantOptional: true,
    document: `query getReservation($reservationId: ID!) {
      reservation(id: $reservationId) { ${reservationFields} }
    }`,
    shape: flattenReservation,
  },
  {
    method: 'POST',
    path: '/reservations/{reservationId}/settle',
    summary: 'Records what was used of a reservation, and ends it.',
    extension: true,
    isTenantOptional: true,
    document: `mutation settleReservation($reservationId: ID!, $amount: Decimal!, $properties: JSONObject) {
      settleReservation(id: $reservationId, input: { amount: $amount, properties: $properties }) {
        ${reservationFields}
      }
    }`,
    shape: flattenReservation,
  },
  {
    method: 'DELETE',
    path: '/reservations/{reservationId}',
    summary: 'Ends a reservation of which nothing was used.',
    extension: true,
    isTenantOptional: true,
    document: `mutation releaseReservation($reservationId: ID!) {
      releaseReservation(id: $reservationId) { ${reservationFields} }
    }`,
    shape: flattenReservation,
  },
];
