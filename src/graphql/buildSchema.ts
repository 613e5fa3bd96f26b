import 'reflect-metadata';
import { GraphQLObjectType, GraphQLSchema, type GraphQLInterfaceType } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { findIdType } from '../lib/ids.ts';
import { bindResolvers } from './bindResolvers.ts';
import { describeReasons } from './errorReasons.ts';
import { makeMutationsIdempotent } from './idempotentMutations.ts';

/**
 * The executable schema of the resolvers, in type-graphql's cheap form: the rules check inputs, and there is no
 * global middleware, so that a field which only reads a property has no resolver of its own.
 */
export function buildSchemaFrom(resolvers: NonEmptyArray<Function>): GraphQLSchema {
  const built = buildSchemaSync({ resolvers, validate: false, skipCheck: true });
  const schema = moveLiveQueries(built);
  describeReasons(schema);
  bindResolvers(schema);
  // type-graphql's own resolveType is asynchronous, and compiled operations do not await it.
  (schema.getType('Node') as GraphQLInterfaceType).resolveType = ({ id }: { id: string }) => findIdType(id);
  makeMutationsIdempotent(schema);
  return schema;
}

/** Marks a query as one that is followed: what it answers is an iterable, each of whose values is an event. */
export const live = { live: true };

/**
 * Moves the queries marked `live` to GraphQL's subscription root. It is named `Subscription`, and no other type may be:
 * clients with normalized caches and code generators find the root by that name.
 */
function moveLiveQueries(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  const query = config.query!.toConfig();
  const fields = Object.entries(query.fields);
  const isLive = ([, field]: (typeof fields)[number]) => field.extensions?.['live'] === true;
  const followed = fields
    .filter(isLive)
    .map(([name, { resolve, ...field }]) => [
      name,
      { ...field, subscribe: resolve, resolve: (event: unknown) => event },
    ]);
  return new GraphQLSchema({
    ...config,
    // The tests have seen that it is valid.
    assumeValid: true,
    types: types.filter((type) => type !== config.query),
    query: new GraphQLObjectType({
      ...query,
      fields: Object.fromEntries(fields.filter((field) => !isLive(field))),
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      description: 'Live events over WebSocket or server-sent events.',
      fields: Object.fromEntries(followed),
    }),
  });
}
