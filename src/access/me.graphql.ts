import { Ctx, Field, FieldResolver, ID, ObjectType, registerEnumType, Resolver } from 'type-graphql';
import { Query } from '../graphql/operations.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import type { Caller } from '../tenancy/scopeOptions.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { Tenant } from '../tenants/tenants.graphql.ts';
import type { TenantRow } from '../tenancy/tenants.ts';

export const ApiKeyScope = { read: 'read', write: 'write' } as const;
registerEnumType(ApiKeyScope, {
  name: 'ApiKeyScope',
  description: 'The permissions of an API key.',
  valuesConfig: {
    read: { description: 'Queries and subscriptions.' },
    write: { description: 'Everything, mutations included.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'The caller: the API key, or the operator of the console, and the tenant.',
})
export class Me {
  @Field(() => ID, {
    description:
      'The public id of the API key: the part of the key after the tenant. For an operator: `operator:` and the id.',
  })
  keyId!: string;

  @Field(() => ApiKeyScope, {
    description: 'The permissions of the key. An operator who may change something has `write`.',
  })
  scope!: 'read' | 'write';

  @Field(() => String, {
    description:
      'The executor recorded in traces: the `x-executor-id` header, else the key id. Always the operator for an operator.',
  })
  executorId!: string;
}

@Resolver(() => Me)
export class MeResolver {
  @FieldResolver(() => Tenant, {
    nullable: true,
    description: 'The tenant that the key belongs to, or that the operator chose.',
  })
  tenant(@Ctx() context: Context): MaybePromise<TenantRow | undefined> {
    return context.tenant.read.one('tenants', {});
  }

  @Query(() => Me, {
    nullable: true,
    description: 'Returns the caller of the request and the tenant.',
    permission: 'read',
    reasons: [],
  })
  me(@CurrentTenant() tenant: TenantScope): Caller | undefined {
    return tenant.caller;
  }
}
