import { GraphQLSchema, type GraphQLObjectType } from 'graphql';
import { buildSchema } from '../graphql/buildSchema.ts';
import './resolvers.ts';

/** The GraphQL schema of the service: all resolvers that `resolvers.ts` has loaded. */
export const schema = buildSchema();

/** Creates the schema of webhook payload queries, whose root is one event. */
export const createEventSchema = (): GraphQLSchema =>
  new GraphQLSchema({ query: schema.getType('Event') as GraphQLObjectType });
