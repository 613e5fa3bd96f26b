import { graphql, type ResultOf } from '../../data/graphql.ts';

export const WebhooksQuery = graphql(`
  query Webhooks($first: Int, $after: String, $order: Order) {
    webhookEndpoints(first: $first, after: $after, order: $order) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        url
        description
        events
        active
        disabledReason
        createdAt
      }
    }
  }
`);

export type EndpointRow = NonNullable<ResultOf<typeof WebhooksQuery>['webhookEndpoints']>['nodes'][number];

export const CreateEndpoint = graphql(`
  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
      endpoint {
        id
      }
    }
  }
`);
