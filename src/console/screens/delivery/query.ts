import { graphql, type ResultOf } from '../../data/graphql.ts';

export const DeliveryQuery = graphql(`
  query Delivery($id: ID!) {
    delivery(id: $id) {
      id
      type
      status
      sequence
      eventId
      createdAt
      finishedAt
      nextAttemptAt
      endpointId
      endpoint {
        id
        url
      }
      attempts {
        at
        durationMs
        statusCode
        error
      }
    }
  }
`);

export type DeliveryData = NonNullable<ResultOf<typeof DeliveryQuery>['delivery']>;

export const DeliveredEventQuery = graphql(`
  query DeliveredEvent($id: ID!) {
    event(id: $id) {
      eventId
      type
      timestamp
      resourceId
      object
      changes
      details
    }
  }
`);

export const ReplayDelivery = graphql(`
  mutation ReplayDelivery($id: ID!) {
    replayDelivery(id: $id) {
      id
      status
      nextAttemptAt
    }
  }
`);
