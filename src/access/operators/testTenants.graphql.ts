import { Arg, Ctx, Field, ID, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { requireSignedIn } from '../../tenancy/actor.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { OperatorMembership, toMembership } from './operatorTypes.graphql.ts';
import { requireClient } from './signIn.graphql.ts';
import { createTestTenant, deleteTestTenant } from './testTenants.ts';

@InputType({ description: 'A test tenant to create.' })
class CreateTestTenantInput {
  @Field(() => String, { description: 'The identifier: 1 to 63 characters of a–z, 0–9 and inner hyphens.' })
  alias!: string;

  @Field(() => String, { nullable: true, description: 'The display name. Default: the alias.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The IANA time zone of its billing dates. Default: UTC.',
  })
  timeZone?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time of a clock of its own, which `advanceClock` moves. Default: it follows real time.',
  })
  clock?: string | null;
}

@Resolver()
export class TestTenantResolver {
  @Mutation(() => OperatorMembership, {
    nullable: true,
    description:
      'Creates a test tenant, of which the operator becomes the owner. An operator has at most 20.',
    work: { cost: 100 },
    permission: 'manage_operators',
    reasons: [],
  })
  async createTestTenant(
    @CurrentTenant() _: TenantScope,
    @Ctx() context: Context,
    @Arg('input', () => CreateTestTenantInput, { description: 'The tenant.' }) input: CreateTestTenantInput,
  ): Promise<OperatorMembership> {
    const client = requireClient(context);
    return toMembership(await createTestTenant(client.server, requireSignedIn(client), input));
  }

  @Mutation(() => OperatorMembership, {
    nullable: true,
    description:
      'Deletes a test tenant with all of its records, for good. The operator must be its owner or administrator, and ' +
      'the tenant of the request another one.',
    work: { cost: 1000 },
    permission: 'manage_operators',
    reasons: [],
  })
  async deleteTestTenant(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The alias of the test tenant.' }) alias: string,
  ): Promise<OperatorMembership> {
    const client = requireClient(context);
    return toMembership(await deleteTestTenant(client.server, requireSignedIn(client), tenant.record, alias));
  }
}
