import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { declareWork } from '../../graphql/work.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import { forecastSubscription, type ForecastCharge } from './forecast.ts';
import { forecastTenant, type ForecastSum } from './tenantForecast.ts';
import { BillLine, ofPreview } from '../invoices/lines.graphql.ts';
import {
  showTaxes,
  taxesField,
  taxesWork,
  taxField,
  TaxTotalType,
  type ShownTaxTotal,
} from '../invoices/taxes.graphql.ts';
import { sumTaxes } from '../pricing/tax.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@ObjectType('ForecastCharge', {
  simpleResolvers: true,
  description: 'An expected charge, if every earlier charge is paid.',
})
class ForecastChargeType {
  @Field(() => ID, { description: 'The subscription that is billed.' })
  subscriptionId!: string;

  @Field(() => DateTime, { description: 'The time of the charge.' })
  date!: string;

  @Field(() => Boolean, {
    description:
      'Whether its usage is an estimate: what the present period has used so far, at that rate until its end and in later periods.',
  })
  usageEstimated!: boolean;

  @Extensions(ofPreview)
  @Field(() => [BillLine], { description: 'The lines; empty for an invoice that is already open.' })
  lines!: Omit<BillLine, 'id'>[];
}

@ObjectType('ForecastSum', {
  simpleResolvers: true,
  description: 'The expected charges at one instant in one currency.',
})
class ForecastSumType {
  @Field(() => DateTime, { description: 'The time of the charge.' })
  date!: string;

  @Field(() => Int, { description: 'The number of charges.' })
  charges!: number;

  @Field(() => Boolean, {
    description: 'Whether usage among them is an estimate, at the rate of its present period so far.',
  })
  usageEstimated!: boolean;
}

const until = { description: 'The end of the time range, inclusive.' };

@Resolver(() => ForecastChargeType)
export class ForecastResolver {
  @FieldResolver(() => Money, { description: 'The amount.' })
  total(@Root() charge: ForecastCharge): Money {
    return toMoney(charge.totalMinor, charge.currency);
  }

  @FieldResolver(() => Money, taxField)
  tax(@Root() { taxes, currency }: ForecastCharge): Money {
    return toMoney(sumTaxes(taxes), currency);
  }

  @Extensions(taxesWork)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { taxes, currency }: ForecastCharge): ShownTaxTotal[] {
    return showTaxes(taxes, currency);
  }

  @Query(() => [ForecastChargeType], {
    nullable: true,
    description:
      'Returns the expected charges of a subscription, computed by the function that bills it. Usage goes on at the rate of the ' +
      'present period so far (`usageEstimated`); `currentUsage` has what was used.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['subscription_not_found'],
  })
  forecast(
    @CurrentTenant() tenant: TenantScope,
    @Arg('subscriptionId', () => ID, { description: 'The subscription.' }) subscriptionId: string,
    @Arg('until', () => DateTime, until) end: string,
  ): Promise<ForecastCharge[]> {
    return forecastSubscription(tenant, subscriptionId, end, 'run_rate');
  }
}

@Resolver(() => ForecastSumType)
export class ForecastSumResolver {
  @FieldResolver(() => Money, { description: 'The total.' })
  total(@Root() sum: ForecastSum): Money {
    return toMoney(sum.totalMinor, sum.currency);
  }
}

@Resolver(() => Tenant)
export class TenantForecastResolver {
  @Extensions(declareWork({ cost: 10_000 }))
  @FieldResolver(() => [ForecastSumType], {
    nullable: true,
    description: 'The expected charges of all subscriptions, at most 366 days ahead.',
  })
  forecast(
    @Ctx() context: Context,
    @Arg('until', () => DateTime, until) end: string,
  ): Promise<ForecastSum[]> {
    return forecastTenant(context.tenant, end);
  }
}
