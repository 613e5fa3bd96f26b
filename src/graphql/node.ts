import 'reflect-metadata';
import { Arg, Ctx, Field, ID, InterfaceType, Query, Resolver } from 'type-graphql';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError } from '../lib/errors.ts';
import { findIdType } from '../lib/ids.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { CurrentTenant } from './arguments.ts';
import type { Context } from './context.ts';

@InterfaceType({
  description: 'An object that its id alone finds again (Relay Global Object Identification).',
})
export abstract class Node {
  @Field(() => ID, { description: 'Unique among all objects of all types.' })
  id!: string;
}

/** How the record of an id is found, by the type that the id names; throws a refusal where there is none. */
type Finders = Partial<Record<string, (tenant: TenantScope, id: string) => MaybePromise<unknown>>>;

/** The resolver of `node` and `nodes` over the types that can be found by id. */
export function defineNodeResolver(finders: Finders) {
  const find = async (tenant: TenantScope, id: string): Promise<unknown> => {
    const finder = finders[findIdType(id) ?? ''];
    if (!finder) return null;
    try {
      return await finder(tenant, id);
    } catch (error) {
      // Relay wants null for an id that names nothing.
      if (error instanceof BillingError && error.status === 404) return null;
      throw error;
    }
  };

  const findOnce = (context: Context, tenant: TenantScope, id: string) =>
    context.memoize(`node ${id}`, () => find(tenant, id));

  @Resolver()
  class NodeResolver {
    @Query(() => Node, { nullable: true, description: 'The object of that id, or null.' })
    node(
      @Ctx() context: Context,
      @CurrentTenant() tenant: TenantScope,
      @Arg('id', () => ID, { description: 'Any id of this service.' }) id: string,
    ) {
      return findOnce(context, tenant, id);
    }

    @Query(() => [Node], {
      nullable: 'itemsAndList',
      description: 'The objects of those ids, at most 100, or null each.',
    })
    nodes(
      @Ctx() context: Context,
      @CurrentTenant() tenant: TenantScope,
      @Arg('ids', () => [ID], { description: 'Ids of this service.' }) ids: string[],
    ) {
      return Promise.all(ids.map((id) => findOnce(context, tenant, id)));
    }
  }
  return NodeResolver;
}
