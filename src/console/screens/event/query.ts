import { SnapshotName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const EventQuery = graphql(
  `
    query Event($id: ID!) {
      event(id: $id) {
        eventId
        type
        timestamp
        resourceId
        object
        changes
        details
        customer {
          ...SnapshotName
        }
        trace {
          id
          parentId
          executorId
          payload
        }
      }
      deliveries(first: 20, eventId: $id) {
        nodes {
          id
          status
          createdAt
          endpoint {
            id
            url
          }
        }
      }
    }
  `,
  [SnapshotName],
);

export type EventData = NonNullable<ResultOf<typeof EventQuery>['event']>;
export type EventDelivery = NonNullable<ResultOf<typeof EventQuery>['deliveries']>['nodes'][number];
