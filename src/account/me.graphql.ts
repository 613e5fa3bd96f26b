import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
} from 'type-graphql';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import type { Caller } from '../tenancy/scopeOptions.ts';
import { Tenant } from './tenants.graphql.ts';
import type { TenantRow } from '../tenancy/tenants.ts';

const ApiKeyScope = { read: 'read', write: 'write' } as const;
registerEnumType(ApiKeyScope, {
  name: 'ApiKeyScope',
  description: 'What an API key may do.',
  valuesConfig: {
    read: { description: 'Queries and subscriptions.' },
    write: { description: 'Everything, mutations included.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'Who sends the request: the API key, and whom it acts for.',
})
class Me {
  @Field(() => ID, { description: 'The public id of the API key: the part of the key after the tenant.' })
  keyId!: string;

  @Field(() => ApiKeyScope, { description: 'What the key may do.' })
  scope!: 'read' | 'write';

  @Field(() => String, {
    description: 'The executor in the traces: the x-executor-id sent, else the key id.',
  })
  executorId!: string;
}

@Resolver(() => Me)
export class MeResolver {
  @FieldResolver(() => Tenant, { nullable: true, description: 'The tenant that the key belongs to.' })
  tenant(@Ctx() context: Context): MaybePromise<TenantRow | undefined> {
    return context.tenant().read.one('tenants', {});
  }

  @Query(() => Me, { nullable: true, description: 'The API key of this request.' })
  me(
    @Ctx() context: Context,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Caller | undefined {
    return context.tenant(alias).caller;
  }
}
