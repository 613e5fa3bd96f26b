import { page, paged, type Route } from './route.ts';

const entitlementFields = 'id customerId feature { key } value soft overageLimit endsAt createdAt updatedAt';

/** Writes the feature as its key. */
const nameFeature = ({ feature, ...rest }: any) => ({ ...rest, feature: feature.key });

const termsFields =
  'id customerId subscriptionId priceId currency model unitPrice { amount currency } ' +
  'tiers { upTo unitAmount flatAmount } packageSize percentage { percent fixedPerEvent freeEvents freeAmount minPerEvent ' +
  'maxPerEvent } includedUnits minimumSpend { amount currency } maximumSpend { amount currency } rates { match unitAmount } ' +
  'startsAt endsAt createdAt updatedAt';

/** The routes of what single customers have of features and prices of usage. */
export const overrideRoutes: Route[] = [
  {
    method: 'POST',
    path: '/entitlement-overrides',
    summary: 'Gives a customer a value of a feature, in the place of an earlier one.',
    extension: true,
    isTenantOptional: true,
    document: `mutation overrideEntitlement(
      $customerId: ID!, $feature: String!, $value: JSON, $soft: Boolean, $overageLimit: Decimal, $endsAt: DateTime
    ) {
      overrideEntitlement(input: {
        customerId: $customerId, feature: $feature, value: $value, soft: $soft, overageLimit: $overageLimit, endsAt: $endsAt
      }) { ${entitlementFields} }
    }`,
    shape: nameFeature,
  },
  {
    method: 'GET',
    path: '/entitlement-overrides',
    summary: 'Lists the values of features that a customer was given, newest first by default.',
    extension: true,
    isTenantOptional: true,
    document: `query listEntitlementOverrides($customerId: ID!, ${page}) {
      entitlementOverrides(customerId: $customerId, ${paged}) { data: nodes { ${entitlementFields} } nextCursor }
    }`,
    shape: ({ data, nextCursor }) => ({ data: data.map(nameFeature), nextCursor }),
  },
  {
    method: 'DELETE',
    path: '/entitlement-overrides/{overrideId}',
    summary: 'Takes back the value of a feature that a customer was given.',
    extension: true,
    isTenantOptional: true,
    document: `mutation removeEntitlementOverride($overrideId: ID!) {
      removeEntitlementOverride(id: $overrideId) { ${entitlementFields} }
    }`,
    shape: nameFeature,
  },
  {
    method: 'POST',
    path: '/usage-price-overrides',
    summary: 'Gives a customer or a subscription own terms of a price of usage.',
    extension: true,
    isTenantOptional: true,
    document: `mutation overrideUsagePrice(
      $priceId: ID!, $customerId: ID, $subscriptionId: ID, $model: PricingModel, $unitAmount: Decimal,
      $tiers: [PriceTierInput!], $packageSize: Int, $percentage: PercentagePriceInput, $includedUnits: Decimal,
      $minimumSpend: MoneyInput, $maximumSpend: MoneyInput, $rates: [UsageRateInput!], $startsAt: DateTime
    ) {
      overrideUsagePrice(input: {
        priceId: $priceId, customerId: $customerId, subscriptionId: $subscriptionId, model: $model, unitAmount: $unitAmount,
        tiers: $tiers, packageSize: $packageSize, percentage: $percentage, includedUnits: $includedUnits,
        minimumSpend: $minimumSpend, maximumSpend: $maximumSpend, rates: $rates, startsAt: $startsAt
      }) { ${termsFields} }
    }`,
    locate: ({ id }) => `/usage-price-overrides/${id}`,
  },
  {
    method: 'GET',
    path: '/usage-price-overrides',
    summary:
      "Lists customers' own terms of prices of usage, newest first by default, with those that were removed.",
    extension: true,
    isTenantOptional: true,
    document: `query listUsagePriceOverrides($customerId: ID, $subscriptionId: ID, ${page}) {
      usagePriceOverrides(customerId: $customerId, subscriptionId: $subscriptionId, ${paged}) {
        data: nodes { ${termsFields} } nextCursor
      }
    }`,
  },
  {
    method: 'GET',
    path: '/usage-price-overrides/{overrideId}',
    summary: "Retrieves a customer's own terms of a price of usage.",
    extension: true,
    isTenantOptional: true,
    document: `query getUsagePriceOverride($overrideId: ID!) {
      usagePriceOverride(id: $overrideId) { ${termsFields} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/usage-price-overrides/{overrideId}',
    summary: "Ends a customer's own terms of a price of usage.",
    extension: true,
    isTenantOptional: true,
    document: `mutation removeUsagePriceOverride($overrideId: ID!) {
      removeUsagePriceOverride(id: $overrideId) { ${termsFields} }
    }`,
  },
];
