import 'reflect-metadata';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { Extensions, Arg, Ctx, Field, ID, Info, InterfaceType, Resolver } from 'type-graphql';
import { openToBrowsers } from './openness.ts';
import { Query } from './operations.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError } from '../lib/errors.ts';
import { findIdType } from '../lib/ids.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { Context } from './context.ts';

@InterfaceType({
  description: 'An object that can be fetched by its id (Relay Global Object Identification).',
})
export abstract class Node {
  @Extensions(openToBrowsers)
  @Field(() => ID, { description: 'The id, unique across all types.' })
  id!: string;
}

type Find = (tenant: TenantScope, id: string, context: Context) => MaybePromise<unknown>;

const key = 'find';

/**
 * Declares how the objects of a type are found by id, as an extension of it. `find` returns nothing for an unknown id, or throws a
 * BillingError with status 404.
 */
export const refetchBy = (find: Find) => ({ [key]: find });

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Returns an object of any type by id, or null.',
    permission: 'read',
    reasons: [],
  })
  node(
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'An id of any type.' }) id: string,
  ) {
    return findOnce(context, schema, id);
  }

  @Query(() => [Node], {
    nullable: 'itemsAndList',
    description: 'Returns objects of any type by id, at most 100; null for each id that is not found.',
    permission: 'read',
    reasons: [],
  })
  nodes(
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg('ids', () => [ID], { description: 'Ids of any types.' }) ids: string[],
  ) {
    return Promise.all(ids.map((id) => findOnce(context, schema, id)));
  }
}

/** Returns an object of any type by id, or null; the objects of a request are looked up once. */
export const findOnce = (context: Context, schema: GraphQLSchema, id: string): Promise<unknown> =>
  context.memoize(`node ${id}`, () => findNode(context, schema, id));

async function findNode(context: Context, schema: GraphQLSchema, id: string): Promise<unknown> {
  const find = schema.getType(findIdType(id) ?? '')?.extensions[key] as Find | undefined;
  if (!find) return null;
  try {
    return (await find(context.tenant, id, context)) ?? null;
  } catch (error) {
    // The Relay specification requires null for an unknown id.
    if (error instanceof BillingError && error.status === 404) return null;
    throw error;
  }
}
