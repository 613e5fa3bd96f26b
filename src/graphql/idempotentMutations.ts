import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import type { Context } from './context.ts';
import { isServerOperation } from './operations.ts';

/**
 * Makes every mutation idempotent for requests with an `Idempotency-Key`: a repeated mutation returns its first
 * result. Resolvers need no code for it. Mutations of the operator's own account have no tenant to store the result.
 */
export function makeMutationsIdempotent(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const isForServer = isServerOperation(field);
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (root, args, context: Context, info) =>
      isForServer
        ? resolve(root, args, context, info)
        : context.tenant.performOnce(String(info.path.key), () => resolve(root, args, context, info));
  }
}
