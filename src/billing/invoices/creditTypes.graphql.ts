import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { CreditRate as Rate } from '../../storage/model/creditTerms.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { GrantRow } from './creditGrants.ts';
import { CreditGrant } from './creditGrantTypes.graphql.ts';
import {
  createCreditType,
  findCreditType,
  listCreditTypes,
  updateCreditType,
  type CreditTypeRow,
} from './creditTypes.ts';

@ObjectType('CreditRate', {
  simpleResolvers: true,
  description: 'What the usage of a meter costs in credits.',
})
class CreditRate {
  @Field(() => ID, { description: 'The meter.' })
  meterId!: string;

  @Field(() => Decimal, { description: 'A number of units.' })
  units!: string;

  @Field(() => Decimal, { description: 'What these units cost in credits.' })
  credits!: string;
}

@Extensions(refetchBy(({ read }, id) => findCreditType(read, id)))
@ObjectType('CreditType', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A kind of credit that pays the usage of several meters, each at its rate: one pool for all of them.',
})
export class CreditType extends Node {
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Extensions(declareWork({ cost: 0, size: 5 }))
  @Field(() => [CreditRate], { description: 'The rates, one for each meter that it pays.' })
  rates!: Rate[];

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'What the usage of a meter costs in credits.' })
class CreditRateInput {
  @Field(() => ID, { description: 'The meter, which no other rate has.' })
  meterId!: string;

  @Field(() => Decimal, { nullable: true, description: 'A number of units, more than 0. Default: 1.' })
  units?: string | null;

  @Field(() => Decimal, { description: 'What these units cost in credits, more than 0.' })
  credits!: string;
}

@InputType({ description: 'A credit type.' })
class CreateCreditTypeInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => [CreditRateInput], { description: 'The rates, 1 to 50.' })
  rates!: CreditRateInput[];
}

@InputType({ description: 'Changes to a credit type. What is left out stays.' })
class UpdateCreditTypeInput {
  @Field(() => String, { nullable: true, description: 'The name, 1 to 200 characters.' })
  name?: string | null;

  @Field(() => [CreditRateInput], { nullable: true, description: 'All rates, 1 to 50.' })
  rates?: CreditRateInput[] | null;
}

const CreditTypeConnection = defineConnection<CreditTypeRow>('CreditType', () => CreditType);

const typeId = { description: 'The id of the credit type.' };

@Resolver(() => CreditType)
export class CreditTypeResolver {
  @Query(() => CreditType, {
    nullable: true,
    description: 'Returns a credit type by id.',
    permission: 'read',
    reasons: ['credit_type_not_found'],
  })
  creditType(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, typeId) id: string,
  ): Promise<CreditTypeRow> {
    return findCreditType(tenant.read, id);
  }

  @Query(() => CreditTypeConnection, {
    nullable: true,
    description: 'Lists credit types.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async creditTypes(@CurrentTenant() tenant: TenantScope, @Args(() => ConnectionArgs) page: ConnectionArgs) {
    return new CreditTypeConnection(await listCreditTypes(tenant, page));
  }

  @Mutation(() => CreditType, {
    nullable: true,
    description: 'Creates a credit type, at most 100 in a tenant.',
    permission: 'manage_catalog',
    reasons: ['meter_not_found'],
  })
  createCreditType(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCreditTypeInput, { description: 'The credit type.' })
    input: CreateCreditTypeInput,
  ): Promise<CreditTypeRow> {
    return tenant.write((unit) => createCreditType(unit, input));
  }

  @Mutation(() => CreditType, {
    nullable: true,
    description:
      'Changes a credit type. Rates hold for every bill from then on, also for credits that were granted before.',
    permission: 'manage_catalog',
    reasons: ['credit_type_not_found', 'meter_not_found'],
  })
  updateCreditType(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, typeId) id: string,
    @Arg('input', () => UpdateCreditTypeInput, { description: 'The changes.' })
    input: UpdateCreditTypeInput,
  ): Promise<CreditTypeRow> {
    return tenant.write((unit) => updateCreditType(unit, id, input));
  }
}

@Resolver(() => CreditGrant)
export class GrantTypeResolver {
  @FieldResolver(() => CreditType, {
    nullable: true,
    description: 'The type of its credits; null for an amount of money.',
  })
  creditType(@Ctx() context: Context, @Root() { creditTypeId }: GrantRow) {
    return creditTypeId === null ? null : context.byId('creditTypes', creditTypeId);
  }
}
