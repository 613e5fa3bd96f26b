import { Arg, Field, Int, ObjectType, registerEnumType, Resolver, FieldResolver, Root } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Query } from '../../graphql/operations.ts';
import { Currency, DateScalar, DateTime, Decimal } from '../../graphql/scalars.ts';
import { refuse } from '../../lib/errors.ts';
import { isDay } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listRates, type RatesRow } from './exchangeRates.ts';

const RateSourceEnum = { ecb: 'ecb', manual: 'manual' } as const;
registerEnumType(RateSourceEnum, {
  name: 'ExchangeRateSource',
  description: 'Who published exchange rates.',
  valuesConfig: {
    ecb: { description: 'The European Central Bank.' },
    manual: { description: 'The tenant, by `setExchangeRate`.' },
  },
});
export const ExchangeRateSource = RateSourceEnum;

@ObjectType('ExchangeRate', {
  simpleResolvers: true,
  description: 'How much of a currency one euro is worth.',
})
export class ExchangeRate {
  @Field(() => Currency, { description: 'The currency.' })
  currency!: string;

  @Field(() => Decimal, { description: 'How much of it one euro is worth.' })
  rate!: string;
}

@ObjectType('ExchangeRatesOfDay', {
  simpleResolvers: true,
  description: 'The exchange rates that were published for a day.',
})
export class ExchangeRatesOfDay {
  @Field(() => DateScalar, { description: 'The day.' })
  day!: string;

  @Field(() => RateSourceEnum, {
    description: 'Who published them. Rates of the tenant precede those of the bank for the same day.',
  })
  source!: string;

  @Field(() => DateTime, { description: 'When they were last changed.' })
  updatedAt!: string;
}

/** How many rows are listed, and how many may be. */
const [fewRows, mostRows] = [10, 100];

@Resolver(() => ExchangeRatesOfDay)
export class ExchangeRatesResolver {
  @FieldResolver(() => [ExchangeRate], { description: 'The rates, by currency.' })
  rates(@Root() { rates }: RatesRow): ExchangeRate[] {
    return Object.entries(rates)
      .map(([currency, rate]) => ({ currency, rate }))
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1));
  }

  @Query(() => [ExchangeRatesOfDay], {
    nullable: true,
    description: 'Lists the exchange rates by which taxes are converted, newest day first.',
    work: { cost: 0, size: mostRows },
    permission: 'read',
    reasons: [],
  })
  async exchangeRates(
    @CurrentTenant() tenant: TenantScope,
    @Arg('until', () => DateScalar, { nullable: true, description: 'The last day. Default: the newest one.' })
    until?: string,
    @Arg('first', () => Int, {
      nullable: true,
      description: `How many days and sources to list, 1 to ${mostRows}. Default: ${fewRows}.`,
    })
    first?: number,
  ): Promise<RatesRow[]> {
    const rows = first ?? fewRows;
    if (rows < 1 || rows > mostRows)
      refuse('validation_failed', { path: 'first', message: `must be 1 to ${mostRows}` });
    if (until && !isDay(until))
      refuse('validation_failed', { path: 'until', message: 'must be a date, such as 2026-01-31' });
    return listRates(tenant.read, { until: until ?? null, rows });
  }
}
