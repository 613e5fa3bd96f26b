import { Args, Extensions, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime, Decimal } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { listCohorts, type Cohort, type CohortAge } from './cohorts.ts';
import { readDefinition } from './definition.graphql.ts';
import { RangeArgs } from './revenue.graphql.ts';

@ObjectType('CohortAge', {
  simpleResolvers: true,
  description: 'What is left of a cohort at the end of a month.',
})
class CohortAgeType {
  @Field(() => Int, { description: 'The months since the cohort began: 0 in its first month.' })
  age!: number;

  @Field(() => Int, { description: 'Its customers with MRR.' })
  customers!: number;

  @Field(() => Decimal, { description: '`customers` divided by those that came.' })
  customerRetention!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: '`mrr` divided by what the customers brought when they came.',
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

  @Field(() => Int, { description: 'The customers who came in it.' })
  customers!: number;

  @Extensions(declareWork({ cost: 0, size: 12 }))
  @Field(() => [CohortAgeType], { description: 'What was left at the end of each month up to now.' })
  ages!: CohortAge[];
}

@Resolver(() => CohortAgeType)
export class CohortAgeResolver {
  @FieldResolver(() => Money, { description: 'Their MRR.' })
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

  @Extensions(declareWork({ cost: 2000, size: 24 }))
  @Query(() => [CohortType], {
    nullable: true,
    description:
      'Lists the cohorts of customers by the month in which they first had MRR, at most 120 months.',
  })
  cohorts(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => RangeArgs) { definition, ...range }: RangeArgs,
  ): Promise<Cohort[]> {
    return listCohorts(tenant, { ...range, definition: readDefinition(definition) });
  }
}
