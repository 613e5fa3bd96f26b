/**
 * The whole REST interface (sections 4 and 8). A route is a GraphQL document: its variables are the fields of
 * the request (path, then body for POST and PATCH or query for GET and DELETE; `!` is "required"), its
 * selection is the answer.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  document: string;
  /** Makes the answer from the one root field, where it is more than that field. */
  shape?: (value: any) => unknown;
  /** Not in the interface document. */
  extension?: true;
}

const customerFields = 'id firstName lastName email associatedId tenantAlias metadata createdAt';

export const routes: Route[] = [
  {
    method: 'POST',
    path: '/customers',
    summary: 'Creates a customer.',
    document: `mutation createCustomer(
      $tenantAlias: String!, $email: EmailAddress!, $firstName: String!, $lastName: String!,
      $associatedId: String!, $metadata: JSONObject
    ) {
      createCustomer(tenantAlias: $tenantAlias, input: {
        email: $email, firstName: $firstName, lastName: $lastName, associatedId: $associatedId, metadata: $metadata
      }) { ${customerFields} }
    }`,
  },
  {
    method: 'PATCH',
    path: '/customers/{customerId}',
    summary: 'Changes names and metadata of a customer.',
    document: `mutation updateCustomer(
      $customerId: ID!, $tenantAlias: String!, $associatedId: String!,
      $firstName: String, $lastName: String, $metadata: JSONObject
    ) {
      updateCustomer(id: $customerId, tenantAlias: $tenantAlias, associatedId: $associatedId, input: {
        firstName: $firstName, lastName: $lastName, metadata: $metadata
      }) { ${customerFields} }
    }`,
  },
  {
    method: 'GET',
    path: '/customers',
    summary: 'Lists customers, newest first unless ordered otherwise.',
    document: `query listCustomers($tenantAlias: String, $limit: Int, $cursor: String, $order: Order) {
      customers(tenantAlias: $tenantAlias, first: $limit, after: $cursor, order: $order) {
        data: nodes { id associatedId firstName lastName email createdAt }
        nextCursor
      }
    }`,
  },
];
