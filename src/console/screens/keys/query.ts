import { graphql, type ResultOf } from '../../data/graphql.ts';

export const KeysQuery = graphql(`
  query ApiKeys($first: Int, $after: String, $order: Order) {
    apiKeys(first: $first, after: $after, order: $order) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        prefix
        kind
        scope
        permissions
        hasOwnPermissions
        ipAllowlist
        status
        createdAt
        lastUsedAt
        lastUsedFrom
        lastRefusal {
          at
          permission
          address
        }
        expiresAt
        revokedAt
      }
    }
  }
`);

export type KeyRow = NonNullable<ResultOf<typeof KeysQuery>['apiKeys']>['nodes'][number];

export const CreateKey = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      apiKey
      key {
        id
        prefix
      }
    }
  }
`);

export const RevokeKey = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
      status
      revokedAt
    }
  }
`);

/** What a program may ask first, to see that its key works. */
export const FirstRequest = graphql(`
  query FirstRequest {
    me {
      keyId
      scope
      tenant {
        alias
        name
      }
    }
  }
`);
