import type { GraphQLField, GraphQLSchema } from 'graphql';
import { refusePermission, requirePermission, requireSignedIn } from '../tenancy/actor.ts';
import { isForOperators } from '../tenancy/permissions.ts';
import type { Context } from './context.ts';
import { authorizeCustomer } from './customerUse.ts';
import { refuseClosed, refuseClosedArguments } from './openness.ts';
import { getDeclaration, listRootFields, type GrantingArgument, type Requirement } from './operations.ts';

type Resolve = NonNullable<GraphQLField<unknown, Context>['resolve']>;

/** Makes every root field check the permission that it declares, and what is open to browsers, before its resolver. */
export function authorizeOperations(schema: GraphQLSchema): void {
  const changes = new Set(Object.values(schema.getMutationType()?.getFields() ?? {}));
  for (const field of listRootFields(schema)) authorizeField(field, changes.has(field));
}

/** Wraps the resolver of a root field in the checks of permission and credential that the field declares. */
export function authorizeField(field: GraphQLField<unknown, Context>, isChange: boolean): void {
  const { permission, grants = [], openTo = {} } = getDeclaration(field);
  const guard = (resolve: Resolve | undefined): Resolve | undefined =>
    resolve &&
    ((parent, args, context, info) => {
      const { audience } = context;
      const use = audience && (openTo[audience] ?? refuseClosed(field.name));
      if (use) refuseClosedArguments(use.args, args);
      authorize(context, permission, isChange);
      authorizeArguments(context, grants, args);
      if (use && audience === 'customer')
        return authorizeCustomer(context.tenant, use, args).then(() => resolve(parent, args, context, info));
      return resolve(parent, args, context, info);
    });
  // A subscription's `resolve` only passes on the event.
  if (field.subscribe) field.subscribe = guard(field.subscribe);
  else field.resolve = guard(field.resolve);
}

/** Checks that the caller may grant what the arguments grant beyond the operation. Error: `permission_missing`. */
function authorizeArguments(
  context: Context,
  granting: readonly GrantingArgument[],
  args: Record<string, unknown>,
): void {
  const { client } = context;
  for (const { path, needed, grants = () => true } of granting) {
    const [name, part] = path;
    const value = part === undefined ? args[name] : (args[name] as Record<string, unknown> | null)?.[part];
    if (value === null || value === undefined || !grants(value)) continue;
    if (client) requirePermission(client, needed, true, part ?? name);
    else requireOfKey(context, needed, part ?? name);
  }
}

/**
 * Checks that the caller may use a root field. An API key with a scope alone is limited by it where its unit of work begins.
 * Errors: `api_key_missing`, `sign_in_required`, `tenant_missing`, `permission_missing`, `step_up_required`.
 */
function authorize(context: Context, needed: Requirement, isChange: boolean): void {
  const { client } = context;
  if (needed === 'public') return;
  if (!client) requireOfKey(context, needed);
  else if (needed === 'operator') requireSignedIn(client);
  else requirePermission(client, needed, isChange);
}

/** Refuses what an API key may not do, and notes it. Credentials of browsers have rules of their own. Error: `permission_missing`. */
function requireOfKey(
  { limits, permissions }: Context,
  needed: Exclude<Requirement, 'public'>,
  field?: string,
): void {
  if (needed === 'operator' || permissions.includes(needed)) return;
  limits?.noteRefusal({ permission: needed });
  if (limits?.permissions || isForOperators(needed)) refusePermission(needed, field);
}
