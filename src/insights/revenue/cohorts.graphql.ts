import { Args, Extensions, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listCohorts, type Cohort, type CohortAge } from './cohorts.ts';
import { readDefinition } from './definition.graphql.ts';
import { RangeArgs } from './revenue.graphql.ts';

@ObjectType('CohortAge', {
  simpleResolvers: true,
  description: 'The customers and the MRR of a cohort at the end of a month.',
})
class CohortAgeType {
  @Field(() => Int, { description: 'The months since the cohort began: 0 in its first month.' })
  age!: number;

  @Field(() => Int, { description: 'Its customers with MRR.' })
  customers!: number;

  @Field(() => Decimal, { description: '`customers` divided by the number with which the cohort began.' })
  customerRetention!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: '`mrr` divided by the MRR with which the cohort began.',
  })
  mrrRetention!: string | null;
}

@ObjectType('Cohort', {
  simpleResolvers: true,
  description: 'The customers who first had MRR in one month.',
})
class CohortType {
  @Field(() => DateTime, { description: 'The start of the month.' })
  month!: string;

  @Field(() => Int, { description: 'The customers who first had MRR in this month.' })
  customers!: number;

  @Extensions(declareWork({ cost: 0, size: 12 }))
  @Field(() => [CohortAgeType], {
    description: 'One entry for each month since the first, up to the current month.',
  })
  ages!: CohortAge[];
}

@Resolver(() => CohortAgeType)
export class CohortAgeResolver {
  @FieldResolver(() => Money, { description: 'The MRR of these customers.' })
  mrr(@Root() { mrrMinor, currency }: CohortAge): Money {
    return toMoney(mrrMinor, currency);
  }
}

@Resolver(() => CohortType)
export class CohortResolver {
  @FieldResolver(() => Money, { description: 'The MRR that they brought when they came.' })
  mrr(@Root() { mrrMinor, currency }: Cohort): Money {
    return toMoney(mrrMinor, currency);
  }

  @Query(() => [CohortType], {
    nullable: true,
    description:
      'Lists the cohorts of customers by the month in which they first had MRR, at most 120 months.',
    work: { cost: 2000, size: 24 },
    permission: 'read',
    reasons: ['currency_unsupported', 'query_timeout'],
  })
  cohorts(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => RangeArgs) { definition, ...range }: RangeArgs,
  ): Promise<Cohort[]> {
    return listCohorts(tenant, { ...range, definition: readDefinition(definition) });
  }
}
