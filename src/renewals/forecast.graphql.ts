import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { takesWork } from '../graphql/work.ts';
import { DateTime } from '../graphql/scalars.ts';
import { Tenant } from '../account/tenants.graphql.ts';
import { forecastSubscription, type ForecastCharge } from './forecast.ts';
import { forecastTenant, type ForecastSum } from './tenantForecast.ts';
import { BillLine } from '../invoicing/lines.graphql.ts';

@ObjectType('ForecastCharge', {
  simpleResolvers: true,
  description: 'A charge that will be made, if every charge before it is paid.',
})
class ForecastChargeType {
  @Field(() => ID, { description: 'The subscription that is billed.' })
  subscriptionId!: string;

  @Field(() => DateTime, { description: 'When.' })
  date!: string;

  @Field(() => [BillLine], { description: 'What it consists of; empty for an invoice that is open already.' })
  lines!: BillLine[];
}

@ObjectType('ForecastSum', {
  simpleResolvers: true,
  description: 'What will be charged at one instant in one currency.',
})
class ForecastSumType {
  @Field(() => DateTime, { description: 'When.' })
  date!: string;

  @Field(() => Int, { description: 'How many charges.' })
  charges!: number;
}

const until = { description: 'Up to here, included.' };

@Resolver(() => ForecastChargeType)
export class ForecastResolver {
  @FieldResolver(() => Money, { description: 'How much.' })
  total(@Root() charge: ForecastCharge): Money {
    return toMoney(charge.totalMinor, charge.currency);
  }

  @Extensions(takesWork({ cost: 2000 }))
  @Query(() => [ForecastChargeType], {
    nullable: true,
    description: 'What a subscription will be charged, computed as billing does.',
  })
  forecast(
    @Ctx() context: Context,
    @Arg('subscriptionId', () => ID, { description: 'The subscription.' }) subscriptionId: string,
    @Arg('until', () => DateTime, until) end: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<ForecastCharge[]> {
    return forecastSubscription(context.tenant(alias), subscriptionId, end);
  }
}

@Resolver(() => ForecastSumType)
export class ForecastSumResolver {
  @FieldResolver(() => Money, { description: 'How much in all.' })
  total(@Root() sum: ForecastSum): Money {
    return toMoney(sum.totalMinor, sum.currency);
  }
}

@Resolver(() => Tenant)
export class TenantForecastResolver {
  @Extensions(takesWork({ cost: 10_000 }))
  @FieldResolver(() => [ForecastSumType], {
    nullable: true,
    description: 'What all subscriptions will be charged, at most 366 days ahead.',
  })
  forecast(
    @Ctx() context: Context,
    @Arg('until', () => DateTime, until) end: string,
  ): Promise<ForecastSum[]> {
    return forecastTenant(context.tenant(), end);
  }
}
