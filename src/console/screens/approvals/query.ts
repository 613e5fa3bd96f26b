import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ApprovalsQuery = graphql(`
  query Approvals($first: Int, $after: String, $order: Order, $status: ActionRequestStatus) {
    actionRequests(first: $first, after: $after, order: $order, status: $status) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        operation
        status
        reason
        requestedBy
        requestedByName
        requestedAt
        expiresAt
        customer {
          id
          firstName
          lastName
        }
        preview {
          amounts {
            kind
            credits
            amount {
              amount
              decimal
              currency
            }
          }
        }
      }
    }
  }
`);

export type ApprovalRow = NonNullable<ResultOf<typeof ApprovalsQuery>['actionRequests']>['nodes'][number];
