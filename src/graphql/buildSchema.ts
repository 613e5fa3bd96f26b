import 'reflect-metadata';
import { GraphQLObjectType, GraphQLSchema, type GraphQLInterfaceType } from 'graphql';
import { buildSchemaSync, getMetadataStorage, type NonEmptyArray } from 'type-graphql';
import { findIdType } from '../lib/ids.ts';
import { authorizeOperations, type AskFor } from './authorization.ts';
import { bindResolvers } from './bindResolvers.ts';
import { bindDerivedTypes, deriveTypes } from './derivedTypes.ts';
import { describeReasons } from './errorReasons.ts';
import { completeReasons } from './operations.ts';
import { makeMutationsIdempotent } from './idempotentMutations.ts';
import { acceptLookupKeys } from './lookupKeys.ts';

/**
 * Builds the executable schema of the resolvers whose modules have been loaded. type-graphql's input validation is off, because the rules validate
 * inputs. There is no global middleware, so a field that only reads a property has no resolver. `askFor` asks for an operation
 * in the name of a key that may only ask.
 */
export function buildSchema(askFor: AskFor): GraphQLSchema {
  const resolvers = getMetadataStorage().resolverClasses.map(
    ({ target }) => target,
  ) as NonEmptyArray<Function>;
  const built = buildSchemaSync({ resolvers, validate: false, skipCheck: true });
  deriveTypes(Object.values(built.getTypeMap()));
  const schema = moveLiveQueries(built);
  completeReasons(schema);
  describeReasons(schema);
  bindResolvers(schema);
  bindDerivedTypes(schema);
  // type-graphql's own resolveType is asynchronous, and compiled operations do not await it.
  (schema.getType('Node') as GraphQLInterfaceType).resolveType = ({ id }: { id: string }) => findIdType(id);
  makeMutationsIdempotent(schema);
  authorizeOperations(schema, askFor);
  // Last, so that all other checks see ids.
  acceptLookupKeys(schema);
  return schema;
}

/** Marks a query as a subscription: its resolver returns an async iterable of events. */
export const live = { live: true };

/**
 * Moves the queries marked `live` to the subscription root. Its name is `Subscription`, and no other type may have
 * that name: clients with normalized caches and code generators find the root by it.
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
    // The tests validate the schema.
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
