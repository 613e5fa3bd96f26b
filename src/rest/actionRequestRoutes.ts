import { page, paged, type Route } from './route.ts';

const requestFields =
  'id operation input reason customerId preview { version amounts { kind amount { amount currency } credits creditTypeId } ' +
  'changes { activityType action resourceId } } permission requestedBy requestedByName requestedAt expiresAt status decidedBy ' +
  'decidedByName decidedAt declineReason completedAt resultId failure { reason message }';

const locateRequest = ({ id }: { id: string }) => `/action-requests/${id}`;

/** The route that answers a request for what its key may only ask for, with the status 202. */
export const askedRoute: Route = {
  method: 'GET',
  path: '/action-requests/{actionRequestId}',
  summary: 'Retrieves an action request.',
  extension: true,
  isTenantOptional: true,
  document: `query getActionRequest($actionRequestId: ID!) {
    actionRequest(id: $actionRequestId) { ${requestFields} }
  }`,
};

/** The routes of action requests. */
export const actionRequestRoutes: Route[] = [
  {
    method: 'POST',
    path: '/action-requests',
    summary: 'Asks for an operation that moves money or cannot be undone.',
    extension: true,
    isTenantOptional: true,
    document: `mutation proposeAction(
      $operation: String!, $id: ID, $input: JSONObject, $reason: String, $expiresAt: DateTime
    ) {
      proposeAction(input: {
        operation: $operation, id: $id, input: $input, reason: $reason, expiresAt: $expiresAt
      }) { ${requestFields} }
    }`,
    locate: locateRequest,
  },
  {
    method: 'GET',
    path: '/action-requests',
    summary: 'Lists action requests, newest first by default.',
    extension: true,
    isTenantOptional: true,
    document: `query listActionRequests(
      $status: ActionRequestStatus, $operation: String, $requestedBy: String, $customerId: ID, ${page}
    ) {
      actionRequests(
        status: $status, operation: $operation, requestedBy: $requestedBy, customerId: $customerId, ${paged}
      ) { data: nodes { ${requestFields} } nextCursor }
    }`,
  },
  askedRoute,
  {
    method: 'POST',
    path: '/action-requests/{actionRequestId}/approve',
    summary: 'Approves an action request and performs its operation.',
    extension: true,
    isTenantOptional: true,
    document: `mutation approveActionRequest($actionRequestId: ID!, $previewVersion: String!) {
      approveActionRequest(id: $actionRequestId, input: { previewVersion: $previewVersion }) { ${requestFields} }
    }`,
  },
  {
    method: 'POST',
    path: '/action-requests/{actionRequestId}/decline',
    summary: 'Declines an action request.',
    extension: true,
    isTenantOptional: true,
    document: `mutation declineActionRequest($actionRequestId: ID!, $reason: String) {
      declineActionRequest(id: $actionRequestId, input: { reason: $reason }) { ${requestFields} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/action-requests/{actionRequestId}',
    summary: 'Withdraws an action request.',
    extension: true,
    isTenantOptional: true,
    document: `mutation withdrawActionRequest($actionRequestId: ID!) {
      withdrawActionRequest(id: $actionRequestId) { ${requestFields} }
    }`,
  },
];
