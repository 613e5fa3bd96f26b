import { Arg, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Currency, DateTime } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { forecastMonths, type ForecastMonth } from './forecastMonths.ts';

@ObjectType('ForecastMonth', {
  simpleResolvers: true,
  description: 'What a calendar month is expected to bring.',
})
class ForecastMonthType {
  @Field(() => DateTime, { description: 'The start of the month; now in the present month.' })
  start!: string;

  @Field(() => DateTime, { description: 'The end, exclusive; at most 366 days from now.' })
  end!: string;

  @Field(() => Int, { description: 'The expected invoices.' })
  invoices!: number;

  @Field(() => Boolean, {
    description: 'Whether usage in them is an estimate, at the rate of its present period so far.',
  })
  usageEstimated!: boolean;
}

@Resolver(() => ForecastMonthType)
export class ForecastMonthResolver {
  @FieldResolver(() => Money, { description: 'What the expected invoices ask for, with tax.' })
  invoiced(@Root() { invoicedMinor, currency }: ForecastMonth): Money {
    return toMoney(invoicedMinor, currency);
  }

  @FieldResolver(() => Money, {
    description:
      'The present MRR of the subscriptions that are not known to end before the end of the month.',
  })
  committedMrr(@Root() { committedMrrMinor, currency }: ForecastMonth): Money {
    return toMoney(committedMrrMinor, currency);
  }

  @Query(() => [ForecastMonthType], {
    nullable: true,
    description: "Forecasts the next months in the tenant's time zone, the present one first.",
    work: { cost: 10_000, size: 12 },
    permission: 'read',
    reasons: ['currency_unsupported', 'query_timeout'],
  })
  revenueForecast(
    @CurrentTenant() tenant: TenantScope,
    @Arg('currency', () => Currency, { description: 'An ISO 4217 currency code.' }) currency: string,
    @Arg('months', () => Int, { nullable: true, description: 'From 1 to 12. Default: 12.' }) months?: number,
  ): Promise<ForecastMonth[]> {
    return forecastMonths(tenant, { currency, months });
  }
}
