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
import { MissingExchangeRate } from '../../../billing/invoices/taxConversions.graphql.ts';
import { TaxCategory, TaxReason } from '../../../billing/tax/categories.graphql.ts';
import { ExchangeRate } from '../../../billing/tax/exchangeRates.graphql.ts';
import { CurrentTenant } from '../../../graphql/arguments.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import { Query } from '../../../graphql/operations.ts';
import { CountryCode, Currency, DateScalar, DateTime, Decimal } from '../../../graphql/scalars.ts';
import { declareWork } from '../../../graphql/work.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { TaxReturnKinds, TaxReturnLeftOut, TaxTreatments } from '../taxEnums.graphql.ts';
import type { MissingRate } from './conversions.ts';
import { findTaxReturn, type TaxReturnFigures, type TaxReturnRow } from './taxReturn.ts';

const TaxRateTypes = { standard: 'standard', reduced: 'reduced' } as const;
registerEnumType(TaxRateTypes, {
  name: 'TaxRateType',
  description: 'Whether a rate is the standard rate of its member state.',
  valuesConfig: {
    standard: { description: 'The standard rate of the member state or of a territory of it.' },
    reduced: { description: 'Another rate.' },
  },
});

@InputType({ description: 'The return and its period.' })
class TaxReturnInput {
  @Field(() => TaxReturnKinds, { description: 'The return.' })
  kind!: TaxReturnFigures['kind'];

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

@ObjectType('TaxReturnRow', { simpleResolvers: true, description: 'A figure of a tax return.' })
class TaxReturnRowType {
  @Field(() => String, {
    nullable: true,
    description:
      'The line of the form: for `plain`, the treatment or `unknown`; for `oss`, `supplies` or `corrections`. Null for what the ' +
      'return does not take.',
  })
  code!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What the line is for, in the language of the form; null where the code says it.',
  })
  label!: string | null;

  @Field(() => TaxReturnLeftOut, {
    nullable: true,
    description: 'Why the return does not take it; null if it does.',
  })
  leftOut!: string | null;

  @Field(() => TaxTreatments, {
    nullable: true,
    description: 'The return that it belongs to; null where the line joins several.',
  })
  treatment!: string | null;

  @Field(() => CountryCode, {
    nullable: true,
    description: 'The country whose tax applies; null where the line joins several, or if it is not known.',
  })
  country!: string | null;

  @Field(() => TaxCategory, {
    nullable: true,
    description: 'The category; null where the line joins several.',
  })
  category!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The rate in percent; null where the line joins several.',
  })
  percent!: string | null;

  @Field(() => TaxReason, {
    nullable: true,
    description: 'Why no tax is charged; null if it is, and where the line joins several.',
  })
  reason!: string | null;

  @Field(() => TaxRateTypes, {
    nullable: true,
    description: 'The type of a rate of a member state; null without one.',
  })
  rateType!: string | null;

  @Field(() => Currency, { description: 'The currency of its documents.' })
  currency!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'For a correction, the start of the calendar quarter whose return it corrects.',
  })
  correctedFrom!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The end of that quarter, exclusive; at the latest the start of the period.',
  })
  correctedUntil!: string | null;

  @Field(() => Int, { description: 'How many rows its documents have in `taxDocuments`.' })
  documents!: number;

  @Field(() => Int, {
    description:
      'How many of them are not converted to the currency of the form, because no exchange rate is known.',
  })
  unconvertedDocuments!: number;

  @Field(() => DateScalar, {
    nullable: true,
    description:
      'The day for which the exchange rate was published, of the one-stop shop. In other returns each document has its own.',
  })
  rateDate!: string | null;
}

@Resolver(() => TaxReturnRowType)
export class TaxReturnRowResolver {
  @FieldResolver(() => Money, { description: 'The taxable amount of its documents, credit notes taken off.' })
  taxable(@Root() { taxableMinor, currency }: TaxReturnRow): Money {
    return toMoney(taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax of its documents, credit notes taken off.' })
  tax(@Root() { taxMinor, currency }: TaxReturnRow): Money {
    return toMoney(taxMinor, currency);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description:
      'The taxable amount in the currency of the form, to the cent, of the documents whose rate is known; null where nothing is ' +
      'converted.',
  })
  convertedTaxable(@Root() row: TaxReturnRow): Money | null {
    return showConverted(row, row.convertedTaxableMinor);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description:
      'The tax in the currency of the form, to the cent: for the one-stop shop by the rate of the last day of the period, or of the ' +
      'quarter that is corrected, in other returns as the documents state it. Null where nothing is converted.',
  })
  convertedTax(@Root() row: TaxReturnRow): Money | null {
    return showConverted(row, row.convertedTaxMinor);
  }

  @FieldResolver(() => [ExchangeRate], {
    description: 'The exchange rates of `rateDate`, of the two currencies without the euro.',
  })
  exchangeRates(@Root() { rates }: TaxReturnRow): ExchangeRate[] {
    return Object.entries(rates).map(([currency, rate]) => ({ currency, rate }));
  }

  @FieldResolver(() => Money, {
    description:
      'The taxable amount as the form takes it, in its currency, rounded by its rules. The form rounds a line as a whole: the rows of ' +
      'several currencies add up to it.',
  })
  declaredTaxable(@Root() { declaredTaxableMinor, declaredCurrency }: TaxReturnRow): Money {
    return toMoney(declaredTaxableMinor, declaredCurrency);
  }

  @FieldResolver(() => Money, {
    description: 'The tax as the form takes it, in its currency, or computes it from the amount.',
  })
  declaredTax(@Root() { declaredTaxMinor, declaredCurrency }: TaxReturnRow): Money {
    return toMoney(declaredTaxMinor, declaredCurrency);
  }
}

const showConverted = ({ declaredCurrency }: TaxReturnRow, minor: bigint | null): Money | null =>
  minor === null ? null : toMoney(minor, declaredCurrency);

@ObjectType('TaxReturn', {
  simpleResolvers: true,
  description: 'A tax return of a period. Its rows add up to the documents of the period, in each currency.',
})
class TaxReturn {
  @Field(() => TaxReturnKinds, { description: 'The return.' })
  kind!: string;

  @Field(() => String, { description: 'The IANA time zone.' })
  timeZone!: string;

  @Field(() => DateTime, { description: 'The start of the period.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end of the period, exclusive.' })
  until!: string;

  @Extensions(declareWork({ cost: 0, size: 100 }))
  @Field(() => [TaxReturnRowType], {
    description: 'The rows in the order of the form; last, those that it does not take.',
  })
  rows!: TaxReturnRow[];

  @Field(() => Currency, { nullable: true, description: 'The currency of the form; null for `plain`.' })
  currency!: string | null;

  @Extensions(declareWork({ cost: 0, size: 20 }))
  @Field(() => [MissingExchangeRate], {
    description:
      'The exchange rates that the return lacks, oldest first. Set them with `setExchangeRate`, or import those of the bank; until ' +
      'then what the form takes is not complete.',
  })
  missingRates!: MissingRate[];

  @Field(() => Int, {
    description:
      'The number of documents on which no tax was computed, because the seller had no address. They are in no row.',
  })
  untaxedDocuments!: number;
}

@Resolver()
export class TaxReturnResolver {
  @Query(() => TaxReturn, {
    nullable: true,
    description:
      'Returns the figures that a tax return of a period asks for, from the documents that `taxReport` counts. ' +
      'Each row opens to its documents by `taxDocuments`.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['query_timeout'],
  })
  taxReturn(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => TaxReturnInput, { description: 'The return and its period.' }) input: TaxReturnInput,
  ): Promise<TaxReturnFigures> {
    return findTaxReturn(tenant, input);
  }
}
