import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ProductFeaturesQuery = graphql(`
  query ProductFeatures($id: ID!) {
    product(id: $id) {
      id
      entitlements {
        id
        value
        soft
        overageLimit
        timesQuantity
        reach
        since
        feature {
          id
          key
          name
          kind
          meterId
          creditTypeId
          alertPercents
          usesTenantAlerts
        }
      }
    }
  }
`);

export const FeaturesQuery = graphql(`
  query Features {
    features(first: 100) {
      nodes {
        id
        key
        name
        kind
        archivedAt
      }
    }
  }
`);

/** What may count the use of a limit. */
export const CountersQuery = graphql(`
  query Counters {
    meters(first: 100) {
      nodes {
        id
        name
        archivedAt
      }
    }
    creditTypes(first: 100) {
      nodes {
        id
        name
      }
    }
  }
`);

export const CustomerEntitlementsQuery = graphql(`
  query CustomerEntitlements($id: ID!) {
    entitlements(customerId: $id) {
      allowed
      value
      limit
      used
      reserved
      remaining
      resetsAt
      alertedPercent
      because
      feature {
        id
        key
        name
        kind
      }
    }
    entitlementOverrides(customerId: $id, first: 100) {
      nodes {
        id
        endsAt
        feature {
          id
          key
        }
      }
    }
  }
`);

export const PreviewAttachQuery = graphql(`
  query PreviewAttachFeature($input: AttachFeatureInput!) {
    previewAttachFeature(input: $input) {
      gaining
      losing
      changing
      unchanged
    }
  }
`);

export const PreviewDetachQuery = graphql(`
  query PreviewDetachFeature($input: DetachFeatureInput!) {
    previewDetachFeature(input: $input) {
      gaining
      losing
      changing
      unchanged
    }
  }
`);

export const CreateFeature = graphql(`
  mutation CreateFeature($input: CreateFeatureInput!) {
    createFeature(input: $input) {
      id
      key
      name
      kind
    }
  }
`);

export const SetAlerts = graphql(`
  mutation SetFeatureAlerts($id: ID!, $input: UpdateFeatureInput!) {
    updateFeature(id: $id, input: $input) {
      id
      alertPercents
    }
  }
`);

export const AttachFeature = graphql(`
  mutation AttachFeature($input: AttachFeatureInput!) {
    attachFeature(input: $input) {
      id
    }
  }
`);

export const DetachFeature = graphql(`
  mutation DetachFeature($input: DetachFeatureInput!) {
    detachFeature(input: $input) {
      id
    }
  }
`);

export const OverrideEntitlement = graphql(`
  mutation OverrideEntitlement($input: OverrideEntitlementInput!) {
    overrideEntitlement(input: $input) {
      id
    }
  }
`);

export const RemoveEntitlementOverride = graphql(`
  mutation RemoveEntitlementOverride($id: ID!) {
    removeEntitlementOverride(id: $id) {
      id
    }
  }
`);

export type AttachedFeature = NonNullable<
  ResultOf<typeof ProductFeaturesQuery>['product']
>['entitlements'][number];
export type FeatureChoice = NonNullable<ResultOf<typeof FeaturesQuery>['features']>['nodes'][number];
export type CustomerEntitlement = NonNullable<
  ResultOf<typeof CustomerEntitlementsQuery>['entitlements']
>[number];
export type ChangeCounts = NonNullable<ResultOf<typeof PreviewAttachQuery>['previewAttachFeature']>;
export type FeatureKind = FeatureChoice['kind'];
