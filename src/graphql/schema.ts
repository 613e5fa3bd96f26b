import 'reflect-metadata';
import { lexicographicSortSchema, type GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';

/**
 * The executable schema of the resolvers, in type-graphql's cheap form: the rules check inputs, and there is no
 * global middleware, so that a field which only reads a property has no resolver of its own.
 */
export function schemaOf(resolvers: NonEmptyArray<Function>): GraphQLSchema {
  return lexicographicSortSchema(buildSchemaSync({ resolvers, validate: false }));
}
