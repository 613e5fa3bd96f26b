// The part of the schema that the benchmarks use, with plain resolvers, for every GraphQL server.
import DataLoader from 'dataloader';

export const typeDefs = `
  scalar JSON

  type Customer {
    id: ID!
    firstName: String!
    lastName: String!
    email: String!
    associatedId: String!
    tenantAlias: String!
    metadata: JSON!
    createdAt: String!
  }

  type Group { id: ID! name: String! }
  type Money { amount: Float! currency: String! }
  type Recurring { executionDate: String period: Float! frequency: String! }
  type Price { id: ID! details: Money! recurring: Recurring! }

  type Product {
    id: ID!
    name: String!
    description: String!
    active: Boolean!
    createdAt: String!
    group: Group
    prices: [Price!]!
  }

  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type ProductConnection { nodes: [Product!]! pageInfo: PageInfo! }

  input CreateCustomerInput {
    email: String!
    firstName: String!
    lastName: String!
    associatedId: String!
    metadata: JSON
  }

  type Query {
    customer(id: ID!): Customer
    products(first: Int, after: String): ProductConnection!
  }

  type Mutation { createCustomer(input: CreateCustomerInput!): Customer }
`;

/** Returns the resolvers of Query and Mutation. */
export const buildRootResolvers = (store) => ({
  Query: {
    customer: (_, { id }) => store.customer(id),
    products: (_, { first, after }) => store.products(first ?? 10, after),
  },
  Mutation: { createCustomer: (_, { input }) => store.createCustomer(input) },
});

/** Returns all resolvers; nested fields use the loaders of the context. */
export const buildResolvers = (store) => ({
  ...buildRootResolvers(store),
  Product: {
    group: ({ groupId }, _, { loaders }) => (groupId ? loaders.groups.load(groupId) : null),
    prices: ({ id }, _, { loaders }) => loaders.prices.load(id),
  },
});

/** Creates a context with its own loaders for one request. */
export function createContext(store) {
  const loader = (find) => new DataLoader(async (ids) => pick(find(ids), ids));
  return { loaders: { groups: loader(store.groups), prices: loader(store.prices) } };
}

/** Returns the records found, in the order of the ids, or null. */
export const pick = (found, ids) => ids.map((id) => found.get(id) ?? null);
