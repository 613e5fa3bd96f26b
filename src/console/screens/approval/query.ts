import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ApprovalQuery = graphql(`
  query Approval($id: ID!) {
    actionRequest(id: $id) {
      id
      operation
      input
      status
      reason
      permission
      requestedBy
      requestedByName
      requestedAt
      expiresAt
      decidedBy
      decidedByName
      decidedAt
      declineReason
      completedAt
      failure {
        reason
        message
      }
      customer {
        id
        firstName
        lastName
      }
      preview {
        version
        amounts {
          kind
          credits
          amount {
            amount
            decimal
            currency
          }
        }
        changes {
          activityType
          action
          resourceId
        }
      }
    }
  }
`);

export type ApprovalData = NonNullable<ResultOf<typeof ApprovalQuery>['actionRequest']>;

export const ApproveMutation = graphql(`
  mutation ApproveActionRequest($id: ID!, $previewVersion: String!) {
    approveActionRequest(id: $id, input: { previewVersion: $previewVersion }) {
      id
      status
    }
  }
`);

export const DeclineMutation = graphql(`
  mutation DeclineActionRequest($id: ID!, $reason: String) {
    declineActionRequest(id: $id, input: { reason: $reason }) {
      id
      status
    }
  }
`);
