import { graphql, type ResultOf } from '../../data/graphql.ts';

export const MailsQuery = graphql(`
  query Mails($first: Int, $after: String, $order: Order, $kind: MailKind, $status: MailStatus) {
    mailDeliveries(first: $first, after: $after, order: $order, kind: $kind, status: $status) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        kind
        recipient
        subject
        status
        createdAt
      }
    }
  }
`);

export type MailRow = NonNullable<ResultOf<typeof MailsQuery>['mailDeliveries']>['nodes'][number];
