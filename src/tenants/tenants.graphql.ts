import { Arg, Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';

@ObjectType('Tenant', {
  simpleResolvers: true,
  description: 'Whose billing it is: every record belongs to one tenant, and a key speaks for one.',
})
class TenantType {
  @Field(() => String, { description: 'The name by which requests verify the tenant; it never changes.' })
  alias!: string;

  @Field(() => String, { description: 'A name for people.' })
  name!: string;

  @Field(() => String, { description: 'The IANA time zone that billing cycles are counted in.' })
  timezone!: string;

  @Field(() => Boolean, { description: 'Whether it is a test tenant, which owns its time.' })
  test!: boolean;

  @Field(() => DateTime, { description: "The tenant's now." })
  clock!: string;

  @Field(() => DateTime, { description: 'When the tenant was created.' })
  createdAt!: string;
}

@Resolver(() => TenantType)
export class TenantResolver {
  @Query(() => TenantType, { nullable: true, description: 'The tenant that the key speaks for.' })
  tenant(@Ctx() context: Context, @Arg('tenantAlias', () => String, tenantAlias) alias?: string): TenantType {
    const tenant = context.tenant(alias);
    return { ...tenant.record, clock: tenant.now() };
  }
}
