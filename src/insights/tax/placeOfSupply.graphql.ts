import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { thresholdCurrency, thresholdMinor } from '../../billing/tax/unionSales.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Mutation } from '../../graphql/operations.ts';
import { DateScalar, DateTime } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import { mostWithoutRate, readUnionSales, setPlaceOfSupply, type UnionSales } from './placeOfSupply.ts';

const PlaceOfSupply = { seller: 'seller', destination: 'destination' } as const;
registerEnumType(PlaceOfSupply, {
  name: 'PlaceOfSupply',
  description:
    'Where sales of goods and electronic services to private customers in other member states of the European Union are taxed.',
  valuesConfig: {
    seller: {
      description:
        'In the country of the seller while no more than 10,000 euros are sold in a calendar year and were in the one before ' +
        '(article 59c of Directive 2006/112/EC); at the customer from the sale that exceeds it.',
    },
    destination: {
      description: 'At the customer. A seller who opts for it is bound for two calendar years.',
    },
  },
});

const UnionThresholdState = { below: 'below', near: 'near', exceeded: 'exceeded' } as const;
registerEnumType(UnionThresholdState, {
  name: 'UnionThresholdState',
  description: 'How much of the threshold is used.',
  valuesConfig: {
    below: { description: 'Less than 80 percent.' },
    near: { description: '80 percent or more: the seller was warned.' },
    exceeded: { description: 'Exceeded this year or the last one: sales are taxed at the customer.' },
  },
});

@ObjectType('UnionSales', {
  simpleResolvers: true,
  description:
    'Goods and electronic services that private customers in other member states were sold, without tax, credit notes taken off. ' +
    'Only what is billed here is counted.',
})
class UnionSalesType {
  @Field(() => Int, { description: 'The calendar year.' })
  year!: number;

  @Field(() => UnionThresholdState, { description: 'How much of the threshold is used.' })
  state!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'From when sales have to be taxed at the customer, in this year; null below the threshold.',
  })
  destinationFrom!: string | null;

  @Field(() => DateScalar, {
    nullable: true,
    description:
      'The last day on which they have to be, as far as it is known: the end of the year after the one that exceeds.',
  })
  destinationUntil!: string | null;
}

@ObjectType('UnionSalesWithoutRate', {
  simpleResolvers: true,
  description: 'Sales of a day in a currency that had no exchange rate.',
})
class UnionSalesWithoutRate {
  @Field(() => DateScalar, { description: 'The day.' })
  day!: string;

  @Field(() => Money, { description: 'What was sold, without tax.' })
  net!: Money;
}

@Resolver(() => UnionSalesType)
export class UnionSalesResolver {
  @FieldResolver(() => Money, {
    description: 'The sum of the year in euros, other currencies converted by the exchange rate of the day.',
  })
  net(@Root() { netMinor }: UnionSales): Money {
    return toMoney(netMinor, thresholdCurrency);
  }

  @FieldResolver(() => Money, { description: 'The sum of the year before in euros.' })
  previousNet(@Root() { previousNetMinor }: UnionSales): Money {
    return toMoney(previousNetMinor, thresholdCurrency);
  }

  @FieldResolver(() => Money, { description: 'The threshold.' })
  threshold(): Money {
    return toMoney(thresholdMinor, thresholdCurrency);
  }

  @Extensions(declareWork({ cost: 0, size: 5 }))
  @FieldResolver(() => [Money], {
    description:
      'The sums of the year in other currencies that do not count, because no exchange rate of their days is known (`withoutRate`). ' +
      'The others are part of `net`, by the rate of the day.',
  })
  otherCurrencies(@Root() { otherCurrencies }: UnionSales): Money[] {
    return otherCurrencies.map(({ netMinor, currency }) => toMoney(netMinor, currency));
  }

  @Extensions(declareWork({ cost: 0, size: 10 }))
  @FieldResolver(() => [UnionSalesWithoutRate], {
    description:
      `The days of the year whose sales in other currencies have no exchange rate, oldest first, at most ${mostWithoutRate}. Set one by ` +
      '`setExchangeRate`, or import those of the European Central Bank: the sales then count.',
  })
  withoutRate(@Root() { withoutRate }: UnionSales): UnionSalesWithoutRate[] {
    return withoutRate.map(({ day, netMinor, currency }) => ({ day, net: toMoney(netMinor, currency) }));
  }
}

@InputType({ description: 'The place of supply.' })
class SetPlaceOfSupplyInput {
  @Field(() => PlaceOfSupply, {
    nullable: true,
    description: 'Where sales are taxed; null for the customer, without counting.',
  })
  placeOfSupply?: string | null;
}

@Resolver(() => Tenant)
export class PlaceOfSupplyResolver {
  @FieldResolver(() => PlaceOfSupply, {
    nullable: true,
    description:
      'Where sales to private customers in other member states are taxed; null for the customer, without counting them.',
  })
  placeOfSupply(@Root() { placeOfSupply }: TenantRow): string | null {
    return placeOfSupply;
  }

  @Extensions(declareWork({ cost: 10 }))
  @FieldResolver(() => UnionSalesType, {
    nullable: true,
    description: 'What counts towards the threshold; null without a place of supply.',
  })
  async unionSales(@Ctx() { tenant }: Context, @Root() row: TenantRow): Promise<UnionSales | null> {
    return (await readUnionSales(tenant.read, row, tenant.now())) ?? null;
  }

  @Mutation(() => Tenant, {
    nullable: true,
    description:
      'Chooses where sales of goods and electronic services to private customers in other member states are taxed, and counts ' +
      'those of this year and the last one. Bills from then on follow it; numbered documents stay as they are.',
    work: { cost: 2000 },
    permission: 'manage_settings',
    reasons: ['query_timeout'],
  })
  setPlaceOfSupply(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => SetPlaceOfSupplyInput, { description: 'The place.' }) input: SetPlaceOfSupplyInput,
  ): Promise<TenantRow> {
    return setPlaceOfSupply(tenant, input);
  }
}
