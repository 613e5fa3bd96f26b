import type { GraphQLField, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { BillingError } from '../lib/errors.ts';
import { refusePermission, requirePermission, requireSignedIn } from '../tenancy/actor.ts';
import { isForOperators } from '../tenancy/permissions.ts';
import type { Context } from './context.ts';
import { authorizeCustomer } from './customerUse.ts';
import { refuseClosed, refuseClosedArguments } from './openness.ts';
import { getDeclaration, listRootFields, type GrantingArgument, type Requirement } from './operations.ts';

type Resolve = NonNullable<GraphQLField<unknown, Context>['resolve']>;

/** Asks for an operation in place of its execution. Error: `approval_required`, which names the request. */
export type AskFor = (
  context: Context,
  info: GraphQLResolveInfo,
  args: Record<string, unknown>,
) => Promise<never>;

/**
 * Makes every root field check the permission that it declares, and what is open to browsers, before its resolver. An API key
 * that lacks the permission of a proposable operation, but may ask for it, does so by `askFor`.
 */
export function authorizeOperations(schema: GraphQLSchema, askFor: AskFor): void {
  const changes = new Set(Object.values(schema.getMutationType()?.getFields() ?? {}));
  for (const field of listRootFields(schema)) authorizeField(field, changes.has(field), askFor);
}

/** Wraps the resolver of a root field in the checks of permission and credential that the field declares. */
export function authorizeField(
  field: GraphQLField<unknown, Context>,
  isChange: boolean,
  askFor?: AskFor,
): void {
  const declaration = getDeclaration(field);
  const { openTo = {}, proposable } = declaration;
  const guard = (resolve: Resolve | undefined): Resolve | undefined =>
    resolve &&
    ((parent, args, context, info) => {
      const { audience, within } = context;
      if (within === 'preview') return resolve(parent, args, context, info);
      const use = audience && (openTo[audience] ?? refuseClosed(field.name));
      if (use) refuseClosedArguments(use.args, args);
      try {
        authorizeUse(context, declaration, args, isChange);
      } catch (error) {
        if (proposable && askFor && mayAsk(context, error)) return askFor(context, info, args);
        throw error;
      }
      if (use && audience === 'customer')
        return authorizeCustomer(context.tenant, use, args).then(() => resolve(parent, args, context, info));
      return resolve(parent, args, context, info);
    });
  // A subscription's `resolve` only passes on the event.
  if (field.subscribe) field.subscribe = guard(field.subscribe);
  else field.resolve = guard(field.resolve);
}

/**
 * Checks that the caller may use a root field with these arguments. Errors: `api_key_missing`, `sign_in_required`,
 * `tenant_missing`, `permission_missing`, `step_up_required`.
 */
export function authorizeUse(
  context: Context,
  { permission, grants = [] }: Pick<ReturnType<typeof getDeclaration>, 'permission' | 'grants'>,
  args: Record<string, unknown>,
  isChange: boolean,
): void {
  authorize(context, permission, isChange);
  authorizeArguments(context, grants, args);
}

/** Whether a refused caller may ask for the operation instead: an API key that was given this right exactly. */
const mayAsk = ({ limits, within }: Context, error: unknown): boolean =>
  within === undefined &&
  limits?.permissions?.includes('propose') === true &&
  error instanceof BillingError &&
  error.reason === 'permission_missing';

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
