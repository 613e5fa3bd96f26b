import {
  Arg,
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
import { CurrentTenant } from '../../../graphql/arguments.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import { Query } from '../../../graphql/operations.ts';
import { CountryCode, Currency, DateTime } from '../../../graphql/scalars.ts';
import { declareWork } from '../../../graphql/work.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { findEcSalesList, type EcSalesFigures, type EcSalesRow } from './ecSalesList.ts';

const EcSaleKinds = { goods: 'goods', services: 'services' } as const;
registerEnumType(EcSaleKinds, {
  name: 'EcSaleKind',
  description: 'What was sold to a business of another member state.',
  valuesConfig: {
    goods: { description: 'Goods (category K; L in Germany).' },
    services: {
      description: 'Services for which the customer owes the tax (category AE; S in Germany, DES in France).',
    },
  },
});

@InputType({ description: 'The period of an EC sales list.' })
class EcSalesListInput {
  @Field(() => DateTime, { description: 'The start of the period: a date, or an instant.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  until!: string;

  @Field(() => String, {
    nullable: true,
    description: "The IANA time zone of dates without a time. Default: the tenant's.",
  })
  timeZone?: string | null;
}

@ObjectType('EcSalesListRow', {
  simpleResolvers: true,
  description: 'What a business of another member state bought.',
})
class EcSalesListRow {
  @Field(() => String, {
    nullable: true,
    description: 'The VAT id that its documents name; null where they name none, or are erased.',
  })
  vatId!: string | null;

  @Field(() => EcSaleKinds, { description: 'What it bought.' })
  kind!: string;

  @Field(() => CountryCode, { nullable: true, description: 'The country whose tax applies.' })
  country!: string | null;

  @Field(() => Currency, { description: 'The currency. Currencies are not converted.' })
  currency!: string;

  @Field(() => Int, { description: 'How many rows its documents have in `taxDocuments`.' })
  documents!: number;
}

@Resolver(() => EcSalesListRow)
export class EcSalesListRowResolver {
  @FieldResolver(() => Money, { description: 'The amount of its documents, credit notes taken off.' })
  taxable(@Root() { taxableMinor, currency }: EcSalesRow): Money {
    return toMoney(taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The amount as lists take it: rounded to whole euros.' })
  declaredTaxable(@Root() { declaredTaxableMinor, currency }: EcSalesRow): Money {
    return toMoney(declaredTaxableMinor, currency);
  }
}

@ObjectType('EcSalesList', {
  simpleResolvers: true,
  description: 'What businesses of other member states bought in a period, for which they owe the tax.',
})
class EcSalesList {
  @Field(() => String, { description: 'The IANA time zone.' })
  timeZone!: string;

  @Field(() => DateTime, { description: 'The start of the period.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end of the period, exclusive.' })
  until!: string;

  @Extensions(declareWork({ cost: 0, size: 100 }))
  @Field(() => [EcSalesListRow], { description: 'The rows by VAT id.' })
  rows!: EcSalesRow[];
}

@Resolver()
export class EcSalesListResolver {
  @Query(() => EcSalesList, {
    nullable: true,
    description:
      'Returns the EC sales list of a period by VAT id: the German Zusammenfassende Meldung, the French DES. The documents of a row ' +
      'are found by `taxDocuments`.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['query_timeout'],
  })
  ecSalesList(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => EcSalesListInput, { description: 'The period.' }) input: EcSalesListInput,
  ): Promise<EcSalesFigures> {
    return findEcSalesList(tenant, input);
  }
}
