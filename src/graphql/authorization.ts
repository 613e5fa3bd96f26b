import type { GraphQLField, GraphQLSchema } from 'graphql';
import { refuse } from '../lib/errors.ts';
import { requirePermission, requireSignedIn } from '../tenancy/actor.ts';
import { isForOperators } from '../tenancy/permissions.ts';
import type { Context } from './context.ts';
import { grantingArguments, operationPermissions } from './operationPermissions.ts';

type Resolve = NonNullable<GraphQLField<unknown, Context>['resolve']>;

/**
 * Makes every root field check what its row of `operationPermissions` demands, before its resolver. A field without a row
 * is refused to operators.
 */
export function authorizeOperations(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const guard = (resolve: Resolve | undefined): Resolve | undefined =>
        resolve &&
        ((parent, args, context, info) => {
          authorize(context, field.name, root === schema.getMutationType());
          authorizeArguments(context, field.name, args);
          return resolve(parent, args, context, info);
        });
      // A subscription's `resolve` only passes on the event.
      if (field.subscribe) field.subscribe = guard(field.subscribe);
      else field.resolve = guard(field.resolve);
    }
  }
}

/** Checks that the caller may grant what the arguments grant beyond the operation. Error: `permission_missing`. */
function authorizeArguments({ client }: Context, field: string, args: Record<string, unknown>): void {
  const granting = grantingArguments[field];
  if (!client || !granting) return;
  for (const { path, needed, grants = () => true } of granting) {
    const [name, part] = path;
    const value = part === undefined ? args[name] : (args[name] as Record<string, unknown> | null)?.[part];
    if (value !== null && value !== undefined && grants(value))
      requirePermission(client, needed, true, part ?? name);
  }
}

/**
 * Checks that the caller may use a root field. An API key is limited by its scope where its unit of work begins. Errors:
 * `api_key_missing`, `sign_in_required`, `tenant_missing`, `permission_missing`, `step_up_required`.
 */
function authorize({ client }: Context, field: string, isChange: boolean): void {
  const needed = operationPermissions[field];
  if (!client) {
    if (isForOperators(needed)) refuse('permission_missing', { path: 'permission', message: needed! });
    return;
  }
  if (needed === 'public') return;
  if (needed === 'operator') requireSignedIn(client);
  else requirePermission(client, needed, isChange);
}
