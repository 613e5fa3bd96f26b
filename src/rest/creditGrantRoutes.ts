import { page, paged, type Route } from './route.ts';

const grantFields =
  'id customerId name category effect status amount { amount currency } remaining { amount currency } costBasis priority ' +
  'effectiveAt expiresAt rollover { percent maximum { amount currency } expiresAfter { frequency period } until } ' +
  'appliesTo { priceIds meterIds } alertBelow { amount currency } alertBelowCredits alertedBelowAt createdAt';

/** The routes of credit grants. */
export const creditGrantRoutes: Route[] = [
  {
    method: 'POST',
    path: '/credit-grants',
    summary: 'Sells or gives a customer credit.',
    extension: true,
    isTenantOptional: true,
    document: `mutation createCreditGrant(
      $customerId: ID!, $name: String!, $amount: MoneyInput!, $category: CreditCategory!, $costBasis: Decimal, $priority: Int,
      $effectiveAt: DateTime, $expiresAt: DateTime, $rollover: CreditRolloverInput, $appliesTo: CreditScopeInput,
      $alertBelow: MoneyInput
    ) {
      createCreditGrant(input: {
        customerId: $customerId, name: $name, amount: $amount, category: $category, costBasis: $costBasis,
        priority: $priority, effectiveAt: $effectiveAt, expiresAt: $expiresAt, rollover: $rollover, appliesTo: $appliesTo,
        alertBelow: $alertBelow
      }) { ${grantFields} }
    }`,
    locate: ({ id }) => `/credit-grants/${id}`,
  },
  {
    method: 'GET',
    path: '/credit-grants',
    summary: 'Lists credit grants, newest first by default, with those that are used up, expired or voided.',
    extension: true,
    isTenantOptional: true,
    document: `query listCreditGrants($customerId: ID, $category: CreditCategory, $usable: Boolean, ${page}) {
      creditGrants(customerId: $customerId, category: $category, usable: $usable, ${paged}) {
        data: nodes { ${grantFields} } nextCursor
      }
    }`,
  },
  {
    method: 'GET',
    path: '/credit-grants/{creditGrantId}',
    summary: 'Retrieves a credit grant.',
    extension: true,
    isTenantOptional: true,
    document: `query getCreditGrant($creditGrantId: ID!) {
      creditGrant(id: $creditGrantId) { ${grantFields} }
    }`,
  },
  {
    method: 'PATCH',
    path: '/credit-grants/{creditGrantId}',
    summary: 'Changes the alert of a credit grant.',
    extension: true,
    isTenantOptional: true,
    document: `mutation updateCreditGrant($creditGrantId: ID!, $alertBelow: MoneyInput, $alertBelowCredits: Decimal) {
      updateCreditGrant(id: $creditGrantId, input: { alertBelow: $alertBelow, alertBelowCredits: $alertBelowCredits }) {
        ${grantFields}
      }
    }`,
  },
  {
    method: 'DELETE',
    path: '/credit-grants/{creditGrantId}',
    summary: 'Ends the remainder of a credit grant.',
    extension: true,
    isTenantOptional: true,
    document: `mutation voidCreditGrant($creditGrantId: ID!) {
      voidCreditGrant(id: $creditGrantId) { ${grantFields} }
    }`,
  },
];
