import type { Awaitable } from '../awaitable.ts';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';
import { updateTenant, type TenantRow } from './tenants.ts';

@ObjectType('Tenant', {
  simpleResolvers: true,
  description: 'Whose billing it is: every record belongs to one tenant, and a key speaks for one.',
})
export class Tenant {
  @Field(() => String, { description: 'The name by which requests verify the tenant; it never changes.' })
  alias!: string;

  @Field(() => String, { description: 'A name for people.' })
  name!: string;

  @Field(() => String, { description: 'The IANA time zone that billing cycles are counted in.' })
  timezone!: string;

  @Field(() => Boolean, { description: 'Whether it is a test tenant, which owns its time.' })
  test!: boolean;

  @Field(() => [Int], {
    description: 'The days after the first try on which a failed charge is tried again.',
  })
  retryDays!: number[];

  @Field(() => DateTime, { description: 'When the tenant was created.' })
  createdAt!: string;
}

@InputType({ description: 'What of a tenant may change; a field left out stays as it is.' })
class UpdateTenantInput {
  @Field(() => String, { nullable: true, description: 'A name for people, 1 to 200 characters.' })
  name?: string;

  @Field(() => [Int], {
    nullable: true,
    description:
      'Days after the first try, rising, each 1 to 60, at most 10; none cancels at the first failure.',
  })
  retryDays?: number[];
}

@Resolver(() => Tenant)
export class TenantResolver {
  @FieldResolver(() => DateTime, { description: "The tenant's now." })
  clock(@Ctx() context: Context, @Root() tenant: TenantRow): string {
    return tenant.clockAt ?? context.tenant().now();
  }

  @Query(() => Tenant, { nullable: true, description: 'The tenant that the key speaks for.' })
  tenant(
    @Ctx() context: Context,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Awaitable<TenantRow | undefined> {
    // Not the record that the key was checked with, which may be a moment old.
    return context.tenant(alias).read.one('tenants', {});
  }

  @Mutation(() => Tenant, { nullable: true, description: 'Changes the tenant.' })
  updateTenant(
    @Ctx() context: Context,
    @Arg('input', () => UpdateTenantInput, { description: 'The changes.' }) input: UpdateTenantInput,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<TenantRow> {
    return context.tenant(alias).write((unit) => updateTenant(unit, input));
  }
}
