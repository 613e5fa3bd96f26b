import 'reflect-metadata';
import { Arg, Ctx, Field, ID, InterfaceType, Query, Resolver } from 'type-graphql';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError } from '../lib/errors.ts';
import { findIdType } from '../lib/ids.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { CurrentTenant } from './arguments.ts';
import type { Context } from './context.ts';

@InterfaceType({
  description: 'An object that can be fetched by its id (Relay Global Object Identification).',
})
export abstract class Node {
  @Field(() => ID, { description: 'The id, unique across all types.' })
  id!: string;
}

/** Functions that find a record by id, by type name. They throw a BillingError with status 404 if there is none. */
type Finders = Partial<Record<string, (tenant: TenantScope, id: string) => MaybePromise<unknown>>>;

/** Defines the resolver of `node` and `nodes` for the given types. */
export function defineNodeResolver(finders: Finders) {
  const find = async (tenant: TenantScope, id: string): Promise<unknown> => {
    const finder = finders[findIdType(id) ?? ''];
    if (!finder) return null;
    try {
      return await finder(tenant, id);
    } catch (error) {
      // The Relay specification requires null for an unknown id.
      if (error instanceof BillingError && error.status === 404) return null;
      throw error;
    }
  };

  const findOnce = (context: Context, tenant: TenantScope, id: string) =>
    context.memoize(`node ${id}`, () => find(tenant, id));

  @Resolver()
  class NodeResolver {
    @Query(() => Node, { nullable: true, description: 'Returns an object of any type by id, or null.' })
    node(
      @Ctx() context: Context,
      @CurrentTenant() tenant: TenantScope,
      @Arg('id', () => ID, { description: 'An id of any type.' }) id: string,
    ) {
      return findOnce(context, tenant, id);
    }

    @Query(() => [Node], {
      nullable: 'itemsAndList',
      description: 'Returns objects of any type by id, at most 100; null for each id that is not found.',
    })
    nodes(
      @Ctx() context: Context,
      @CurrentTenant() tenant: TenantScope,
      @Arg('ids', () => [ID], { description: 'Ids of any types.' }) ids: string[],
    ) {
      return Promise.all(ids.map((id) => findOnce(context, tenant, id)));
    }
  }
  return NodeResolver;
}
