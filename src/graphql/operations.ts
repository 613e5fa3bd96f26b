import { Extensions, Mutation as TypedMutation, Query as TypedQuery } from 'type-graphql';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { Reason } from '../lib/errors.ts';
import type { Audience } from '../tenancy/apiKeyCache.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { CustomerAction } from '../storage/model/common.ts';
import type { Permission } from '../tenancy/permissions.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { Context } from './context.ts';
import { commonReasons, mutationReasons } from './reasons.ts';
import { openTo } from './openness.ts';
import { declareWork, type Work } from './work.ts';

/** Who may use a root field: operators with a permission in the tenant, any operator who is signed in, or anybody. */
export type Requirement = Permission | 'operator' | 'public';

/** An argument that gives more than its operation: what it grants has a permission of its own. */
export interface GrantingArgument {
  /** The argument, or a field of its input. */
  path: [argument: string, field?: string];
  needed: Permission;
  /** Whether a value grants anything; any value does by default. */
  grants?: (value: unknown) => boolean;
}

/** What a browser's credential may do with a root field. */
interface BrowserUse {
  /** The arguments that it may give: `first`, or `input.quantity` for one field of an input. All others are refused. */
  args: readonly string[];
}

/** The tables whose records belong to a customer. */
export type OwnedTable = 'customers' | 'subscriptions' | 'invoices';

/** What a customer's session may do with a root field. */
export interface CustomerUse extends BrowserUse {
  /** What the session must allow; without it, every session may use the field. */
  action?: CustomerAction;
  /** The arguments that must be ids of the customer's own records. */
  own?: Readonly<Record<string, OwnedTable>>;
  /** Returns the argument that the settings of the tenant's portal do not permit. */
  findForbidden?: (tenant: TenantScope, args: any) => MaybePromise<string | undefined>;
}

interface BrowserUses {
  publishable?: BrowserUse;
  customer?: CustomerUse;
}

/** Opens a root field to all credentials of browsers, with these arguments. */
export const toBrowsers = (...args: string[]): BrowserUses => ({ publishable: { args }, customer: { args } });

/** What a root field declares beside its arguments and its result. */
interface Declaration {
  /** What it demands of its caller. Fields for any operator, or for anybody, have no tenant. */
  permission: Requirement;
  /** The reasons it can refuse with, in addition to those of every operation or mutation. */
  reasons: readonly Reason[];
  /**
   * The arguments for which operators need a further permission. Free time is a discount under another name, so it needs the
   * same permission. A promotion code is not among them: everybody who knows it may redeem it, within its limits.
   */
  grants?: readonly GrantingArgument[];
  /** Which credentials of browsers may use it; none by default. */
  openTo?: BrowserUses;
  /** What it costs, in addition to the objects that it returns. */
  work?: Work;
  /**
   * Whether an API key that lacks its permission can ask for it: it moves money or cannot be undone, and its first unit of
   * work decides all that it does, so that the unit is its preview if it is rolled back.
   */
  proposable?: true;
  /** Whether it asks for one of these operations: it can refuse with the reasons of each. */
  proposes?: true;
}

type Options = Parameters<typeof TypedQuery>[1] & object;

type Field = Pick<GraphQLField<unknown, never>, 'extensions'>;

const key = 'operation';

/** Declares a query, like type-graphql's `Query`, with its permission, reasons and cost. */
export const Query = (returns: () => any, options: Options & Declaration) =>
  declare(TypedQuery, returns, options);

/** Declares a mutation, like type-graphql's `Mutation`, with its permission, reasons and cost. */
export const Mutation = (returns: () => any, options: Options & Declaration) =>
  declare(TypedMutation, returns, options);

function declare(
  define: typeof TypedQuery,
  returns: () => any,
  {
    permission,
    reasons,
    grants,
    openTo: open,
    work,
    proposable,
    proposes,
    ...options
  }: Options & Declaration,
): MethodDecorator {
  const field = define(returns, options);
  const extend = Extensions({
    ...declareOperation({ permission, reasons, grants, openTo: open, proposable, proposes }),
    ...(open && openTo(...(Object.keys(open) as Audience[]))),
    ...(work && declareWork(work)),
  }) as MethodDecorator;
  return (target, name, descriptor) => {
    field(target, name, descriptor);
    extend(target, name, descriptor);
  };
}

/** Declares, as an extension, who may use a root field. */
export const declareOperation = (declaration: Omit<Declaration, 'work'>) => ({ [key]: declaration });

/** Returns who may use a root field, and what it refuses with. */
export const getDeclaration = ({ extensions }: Field): Omit<Declaration, 'work'> =>
  extensions[key] as Omit<Declaration, 'work'>;

/** Adds the reasons of asking for operations: to those that can be asked for, and to that which asks. */
export function completeReasons(schema: GraphQLSchema): void {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  const proposable = fields.filter((field) => getDeclaration(field).proposable);
  const asked = proposable.flatMap((field) => getDeclaration(field).reasons);
  const add = (field: Field, reasons: readonly Reason[]) => {
    const declared = getDeclaration(field);
    const completed = { ...declared, reasons: [...new Set([...declared.reasons, ...reasons])] };
    field.extensions = { ...field.extensions, [key]: completed };
  };
  for (const field of fields) if (getDeclaration(field).proposes) add(field, asked);
  for (const field of proposable) add(field, ['approval_required']);
}

/** Whether a root field belongs to the server, not to a tenant. */
export const isServerOperation = (field: Field): boolean =>
  ['operator', 'public'].includes(getDeclaration(field).permission);

/** Lists all reasons that a root field can return, its own first. */
export const listOperationReasons = (field: Field, isMutation: boolean): Reason[] => [
  ...new Set([...getDeclaration(field).reasons, ...(isMutation ? mutationReasons : []), ...commonReasons]),
];

/** Lists the root fields of a schema: queries, mutations and live queries. */
export const listRootFields = (schema: GraphQLSchema): GraphQLField<unknown, Context>[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}),
  );
