import { PriceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const CatalogQuery = graphql(
  `
    query Catalog($first: Int, $after: String, $order: Order, $name: String, $groupId: ID, $active: Boolean) {
      products(first: $first, after: $after, order: $order, name: $name, groupId: $groupId, active: $active) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          id
          name
          active
          taxCode
          createdAt
          group {
            id
            name
          }
          prices {
            ...PriceFields
          }
        }
      }
    }
  `,
  [PriceFields],
);

export type ProductRow = NonNullable<ResultOf<typeof CatalogQuery>['products']>['nodes'][number];

export const GroupsQuery = graphql(`
  query CatalogGroups($after: String) {
    groups(first: 100, after: $after) {
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        prorateUpgrades
        products {
          id
          name
          deleted
        }
      }
    }
  }
`);

export type GroupRow = NonNullable<ResultOf<typeof GroupsQuery>['groups']>['nodes'][number];

export const CreateProduct = graphql(`
  mutation CreateProduct($input: CreateProductInput!) {
    createProduct(input: $input) {
      id
      name
    }
  }
`);

export const CreateGroup = graphql(`
  mutation CreateGroup($input: CreateGroupInput!) {
    createGroup(input: $input) {
      id
      name
      prorateUpgrades
    }
  }
`);

export const UpdateGroup = graphql(`
  mutation UpdateGroup($id: ID!, $input: UpdateGroupInput!) {
    updateGroup(id: $id, input: $input) {
      id
      name
      prorateUpgrades
    }
  }
`);

export const DeleteGroup = graphql(`
  mutation DeleteGroup($id: ID!) {
    deleteGroup(id: $id) {
      id
    }
  }
`);
