import 'reflect-metadata';
import { defaultFieldResolver, lexicographicSortSchema, type GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import type { Context } from './context.ts';

/**
 * The executable schema of the resolvers, in type-graphql's cheap form: the rules check inputs, and there is no
 * global middleware, so that a field which only reads a property has no resolver of its own. A mutation of a request
 * that its client has named is performed once.
 */
export function schemaOf(resolvers: NonEmptyArray<Function>): GraphQLSchema {
  const schema = lexicographicSortSchema(buildSchemaSync({ resolvers, validate: false }));
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const perform = field.resolve ?? defaultFieldResolver;
    field.resolve = (root, args, context: Context, info) =>
      context.tenant().once(String(info.path.key), async () => perform(root, args, context, info));
  }
  return schema;
}
