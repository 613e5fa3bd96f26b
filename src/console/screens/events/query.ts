import { TraceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const EventsQuery = graphql(
  `
    query Events(
      $first: Int
      $after: String
      $order: Order
      $activityType: ActivityType
      $executorId: String
    ) {
      traces(
        first: $first
        after: $after
        order: $order
        activityType: $activityType
        executorId: $executorId
      ) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          ...TraceFields
        }
      }
    }
  `,
  [TraceFields],
);

export type TraceRow = NonNullable<ResultOf<typeof EventsQuery>['traces']>['nodes'][number];
