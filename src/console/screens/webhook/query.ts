import { graphql, type ResultOf } from '../../data/graphql.ts';

export const WebhookQuery = graphql(`
  query Webhook($id: ID!) {
    webhookEndpoint(id: $id) {
      id
      url
      description
      events
      active
      disabledReason
      query
      previousSecretUntil
      createdAt
    }
  }
`);

export const DeliveriesQuery = graphql(`
  query WebhookDeliveries(
    $first: Int
    $after: String
    $order: Order
    $endpointId: ID
    $status: DeliveryStatus
  ) {
    deliveries(first: $first, after: $after, order: $order, endpointId: $endpointId, status: $status) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        type
        status
        attemptCount
        nextAttemptAt
        createdAt
      }
    }
  }
`);

export type DeliveryRow = NonNullable<ResultOf<typeof DeliveriesQuery>['deliveries']>['nodes'][number];

export const UpdateEndpoint = graphql(`
  mutation UpdateEndpoint($id: ID!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      id
      active
      disabledReason
    }
  }
`);

export const TestEndpoint = graphql(`
  mutation TestEndpoint($id: ID!) {
    testWebhookEndpoint(id: $id) {
      id
    }
  }
`);

export const RotateSecret = graphql(`
  mutation RotateSecret($id: ID!) {
    rotateWebhookSecret(id: $id) {
      secret
      endpoint {
        id
        previousSecretUntil
      }
    }
  }
`);

export const DeleteEndpoint = graphql(`
  mutation DeleteEndpoint($id: ID!) {
    deleteWebhookEndpoint(id: $id) {
      id
    }
  }
`);
