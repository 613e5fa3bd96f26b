import { Arg, Ctx, Field, FieldResolver, InputType, Resolver, Root } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import type { Context } from '../../graphql/context.ts';
import { CountryCode, Currency } from '../../graphql/scalars.ts';
import { requireSignedIn } from '../../tenancy/actor.ts';
import { createTenantAsOwner, isServerOwner } from './newTenants.ts';
import { Operator, OperatorMembership, toMembership } from './operatorTypes.graphql.ts';
import type { OperatorRow } from './sessions.ts';
import { requireClient } from './signIn.graphql.ts';

@InputType({ description: 'A tenant to create.' })
class CreateTenantInput {
  @Field(() => String, { description: 'The identifier: 1 to 63 characters of a–z, 0–9 and inner hyphens.' })
  alias!: string;

  @Field(() => String, {
    description: 'The display name, 1 to 200 characters; with `country` also the legal name.',
  })
  name!: string;

  @Field(() => Boolean, {
    description: 'Whether it is a test tenant, which moves no real money. It stays so.',
  })
  isTest!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The IANA time zone of its billing dates. Default: UTC.',
  })
  timeZone?: string | null;

  @Field(() => Currency, { nullable: true, description: 'The currency that forms begin with.' })
  currency?: string | null;

  @Field(() => CountryCode, {
    nullable: true,
    description: 'The country of the seller, whose tax is charged from the beginning.',
  })
  country?: string | null;
}

@Resolver(() => Operator)
export class NewTenantResolver {
  @FieldResolver(() => Boolean, {
    description: 'Whether the operator is an owner of the server, who creates tenants (`createTenant`).',
  })
  canCreateTenants(@Root() operator: OperatorRow): boolean {
    return isServerOwner(operator);
  }

  @Mutation(() => OperatorMembership, {
    nullable: true,
    description:
      'Creates a tenant, of which the operator becomes the owner. Only an owner of all new tenants can: the first operator of ' +
      'the server, and whom its administrator made one. Needs a recent sign-in.',
    work: { cost: 100 },
    permission: 'operator',
    reasons: [],
  })
  async createTenant(
    @Ctx() context: Context,
    @Arg('input', () => CreateTenantInput, { description: 'The tenant.' }) input: CreateTenantInput,
  ): Promise<OperatorMembership> {
    const client = requireClient(context);
    return toMembership(await createTenantAsOwner(client.server, requireSignedIn(client), input));
  }
}
