import {
  Arg,
  Args,
  ArgsType,
  Extensions,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { RevenueInterval } from './buckets.ts';
import { MrrDefinitionInput, readDefinition, RevenueIntervals } from './definition.graphql.ts';
import { listCurrencies } from './currencies.ts';
import { findRevenue, type RevenueFigures, type RevenuePeriod } from './revenue.ts';

/** The arguments that figures of a range have in common. */
@ArgsType()
export class RangeArgs {
  @Field(() => Currency, { description: 'An ISO 4217 currency code. Currencies are not converted.' })
  currency!: string;

  @Field(() => DateTime, { description: 'The start; figures begin with the period that contains it.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive; figures end with the period before it.' })
  until!: string;

  @Field(() => String, {
    nullable: true,
    description: "The IANA time zone of the calendar periods. Default: the tenant's.",
  })
  timeZone?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The instant as of which the figures are computed. Default: now.',
  })
  asOf?: string | null;

  @Field(() => MrrDefinitionInput, { nullable: true, description: 'What counts as MRR.' })
  definition?: MrrDefinitionInput | null;
}

@ObjectType('PaymentCount', { simpleResolvers: true, description: 'A number of invoices and their amount.' })
class PaymentCount {
  @Field(() => Int, { description: 'The number of invoices.' })
  count!: number;

  @Field(() => Money, { description: 'The total of these invoices, with tax.' })
  amount!: Money;
}

@ObjectType('RevenuePoint', {
  simpleResolvers: true,
  description:
    'The figures of a calendar period. `mrrStart` + `new` + `expansion` + `reactivation` − `contraction` − `churn` ' +
    '= `mrrEnd`. Rates are fractions: 0.09 is 9 %; null where they would divide by 0.',
})
class RevenuePoint {
  @Field(() => DateTime, { description: 'The start.' })
  start!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  end!: string;

  @Field(() => Int, { description: 'The customers who had MRR for the first time.' })
  newCustomers!: number;

  @Field(() => Int, { description: 'The customers who lost their last MRR.' })
  churnedCustomers!: number;

  @Field(() => Int, { description: 'The former payers who came back.' })
  reactivatedCustomers!: number;

  @Field(() => Int, { description: 'The customers with MRR at the end.' })
  activeCustomers!: number;

  @Field(() => Int, { description: 'The subscriptions with MRR at the end.' })
  activeSubscriptions!: number;

  @Field(() => Int, { description: 'The trials that began.' })
  trialsStarted!: number;

  @Field(() => Int, { description: 'The trials after which the first payment was made.' })
  trialsConverted!: number;

  @Field(() => Int, {
    description: 'The subscriptions that ended without a payment after their trial began.',
  })
  trialsLost!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The converted trials divided by the converted and the lost ones.',
  })
  trialConversionRate!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The churned customers divided by those at the start and those that came.',
  })
  customerChurnRate!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Churn and contraction divided by the MRR at the start.',
  })
  grossMrrChurnRate!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Churn and contraction less expansion, divided by the MRR at the start.',
  })
  netMrrChurnRate!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'The net revenue retention: 1 − `netMrrChurnRate`.' })
  nrr!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'New MRR, expansion and reactivation divided by contraction and churn.',
  })
  quickRatio!: string | null;
}

@ObjectType('Revenue', {
  simpleResolvers: true,
  description: 'Revenue figures in one currency, by calendar period.',
})
class Revenue {
  @Field(() => Currency, { description: 'The currency.' })
  currency!: string;

  @Field(() => String, { description: 'The IANA time zone of the periods.' })
  timeZone!: string;

  @Field(() => DateTime, { description: 'The instant as of which the figures are computed.' })
  asOf!: string;

  @Extensions(declareWork({ cost: 0, size: 120 }))
  @Field(() => [RevenuePoint], { description: 'The periods in order, without gaps.' })
  points!: RevenuePeriod[];

  @Field(() => RevenuePoint, { description: 'The whole range as one period.' })
  total!: RevenuePeriod;
}

const asMoney = (amountMinor: bigint, { currency }: RevenuePeriod): Money => toMoney(amountMinor, currency);

@Resolver(() => RevenuePoint)
export class RevenuePointResolver {
  @FieldResolver(() => Money, { description: 'The MRR at the start.' })
  mrrStart(@Root() period: RevenuePeriod): Money {
    return asMoney(period.mrrStartMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR of customers who had none before.' })
  new(@Root() period: RevenuePeriod): Money {
    return asMoney(period.newMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR that customers with MRR added.' })
  expansion(@Root() period: RevenuePeriod): Money {
    return asMoney(period.expansionMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR that customers lost who kept some.' })
  contraction(@Root() period: RevenuePeriod): Money {
    return asMoney(period.contractionMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR of customers who lost their last.' })
  churn(@Root() period: RevenuePeriod): Money {
    return asMoney(period.churnMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR of former payers who came back.' })
  reactivation(@Root() period: RevenuePeriod): Money {
    return asMoney(period.reactivationMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The MRR at the end.' })
  mrrEnd(@Root() period: RevenuePeriod): Money {
    return asMoney(period.mrrEndMinor, period);
  }

  @FieldResolver(() => Money, {
    description:
      'The money received less the money refunded, without the share of tax of their invoices. A credit note to a ' +
      'balance moves no money: `credited` has its amount without tax, and `netRevenue` is less by that when the balance pays ' +
      'a later invoice. Its tax is in neither.',
  })
  netRevenue(@Root() period: RevenuePeriod): Money {
    return asMoney(period.netRevenueMinor, period);
  }

  @FieldResolver(() => Money, { description: 'What issued invoices ask for, without tax.' })
  invoiced(@Root() period: RevenuePeriod): Money {
    return asMoney(period.invoicedMinor, period);
  }

  @FieldResolver(() => Money, { description: 'The money refunded, without tax.' })
  refunded(@Root() period: RevenuePeriod): Money {
    return asMoney(period.refundedMinor, period);
  }

  @FieldResolver(() => Money, {
    description: 'The amount of credit notes, without tax: refunds, and credits to balances.',
  })
  credited(@Root() period: RevenuePeriod): Money {
    return asMoney(period.creditedMinor, period);
  }

  @FieldResolver(() => Money, {
    description:
      'Breakage: what customers have paid for credit that has expired, each expired part at its cost basis. The money was ' +
      'received when the credit was sold.',
  })
  breakage(@Root() period: RevenuePeriod): Money {
    return asMoney(period.breakageMinor, period);
  }

  @FieldResolver(() => PaymentCount, { description: 'The invoices whose first charge failed.' })
  failedPayments(@Root() period: RevenuePeriod): PaymentCount {
    return { count: period.failedCount, amount: asMoney(period.failedMinor, period) };
  }

  @FieldResolver(() => PaymentCount, { description: 'The invoices that were paid after a failed charge.' })
  recoveredPayments(@Root() period: RevenuePeriod): PaymentCount {
    return { count: period.recoveredCount, amount: asMoney(period.recoveredMinor, period) };
  }

  @FieldResolver(() => Money, { nullable: true, description: 'The MRR at the end by customer with MRR.' })
  arpu(@Root() period: RevenuePeriod): Money | null {
    return period.arpuMinor === null ? null : asMoney(period.arpuMinor, period);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The expected lifetime value of a customer: `arpu` divided by `customerChurnRate`.',
  })
  ltv(@Root() period: RevenuePeriod): Money | null {
    return period.ltvMinor === null ? null : asMoney(period.ltvMinor, period);
  }
}

@Resolver()
export class RevenueResolver {
  @Query(() => Revenue, {
    nullable: true,
    description:
      'Returns recurring revenue with its movements, and the money that moved, by calendar period.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['currency_unsupported', 'query_timeout'],
  })
  revenue(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => RangeArgs) { definition, ...range }: RangeArgs,
    @Arg('by', () => RevenueIntervals, { nullable: true, description: 'The period. Default: `month`.' })
    by?: RevenueInterval | null,
  ): Promise<RevenueFigures> {
    return findRevenue(tenant, { ...range, by: by ?? 'month', definition: readDefinition(definition) });
  }

  @Query(() => [String], {
    nullable: true,
    description:
      'Lists the currencies in which there is or was MRR or money, those with the most customers first.',
    permission: 'read',
    reasons: ['query_timeout'],
  })
  revenueCurrencies(@CurrentTenant() tenant: TenantScope): Promise<string[]> {
    return listCurrencies(tenant);
  }
}
