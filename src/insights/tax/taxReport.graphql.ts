import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { TaxCategory, TaxReason } from '../../billing/tax/categories.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Query } from '../../graphql/operations.ts';
import { CountryCode, Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { DocumentKinds } from '../../tenants/numberSeries.graphql.ts';
import type { RevenueInterval } from '../revenue/buckets.ts';
import { RevenueIntervals } from '../revenue/definition.graphql.ts';
import {
  listTaxDocuments,
  type DocumentFilter,
  type ListedTax,
  type ReturnLineFilter,
} from './taxDocuments.ts';
import { TaxReturnKinds, TaxReturnLeftOut, TaxTreatments } from './taxEnums.graphql.ts';
import {
  findTaxReport,
  type TaxReportFigures,
  type TaxRow,
  type TaxSum,
  type TaxTotalOfCurrency,
} from './taxReport.ts';

@InputType({ description: 'The range of a tax report.' })
class TaxReportInput {
  @Field(() => DateTime, { description: 'The start; the report begins with the period that contains it.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive; the report ends with the period before it.' })
  until!: string;

  @Field(() => RevenueIntervals, { nullable: true, description: 'The period. Default: `quarter`.' })
  by?: RevenueInterval | null;

  @Field(() => String, {
    nullable: true,
    description: "The IANA time zone of the calendar periods. Default: the tenant's.",
  })
  timeZone?: string | null;
}

@InputType({ description: 'A line of a tax return, as its rows name it.' })
class TaxReturnLineInput implements ReturnLineFilter {
  @Field(() => TaxReturnKinds, { description: 'The return.' })
  kind!: ReturnLineFilter['kind'];

  @Field(() => String, { nullable: true, description: '`code` of a row.' })
  code?: string | null;

  @Field(() => TaxReturnLeftOut, { nullable: true, description: '`leftOut` of a row.' })
  leftOut?: ReturnLineFilter['leftOut'];
}

@InputType({ description: 'The documents to list. Omitted fields do not filter.' })
class TaxDocumentsInput {
  @Field(() => DateTime, { description: 'The first instant of issue: `start` of a row.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive: `end` of a row.' })
  until!: string;

  @Field(() => String, {
    nullable: true,
    description: "The IANA time zone of dates without a time. Default: the tenant's.",
  })
  timeZone?: string | null;

  @Field(() => DocumentKinds, { nullable: true, description: 'Filter by kind.' })
  kind?: 'invoice' | 'credit_note' | null;

  @Field(() => CountryCode, {
    nullable: true,
    description: 'Filter by country; null for documents whose country is not known.',
  })
  country?: string | null;

  @Field(() => TaxCategory, { nullable: true, description: 'Filter by category.' })
  category?: TaxRow['category'] | null;

  @Field(() => Decimal, { nullable: true, description: 'Filter by rate in percent.' })
  percent?: string | null;

  @Field(() => TaxReason, {
    nullable: true,
    description: 'Filter by why no tax is charged; null for tax that is charged.',
  })
  reason?: TaxRow['reason'];

  @Field(() => Currency, { nullable: true, description: 'Filter by currency.' })
  currency?: string | null;

  @Field(() => TaxReturnLineInput, {
    nullable: true,
    description:
      'Only the taxes of a line of a return, whose period is `from` to `until`. A row that names a country, a category, a rate or a ' +
      'reason is found with these.',
  })
  taxReturn?: ReturnLineFilter | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only documents that name this VAT id of the buyer; null for those that name none.',
  })
  vatId?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only credit notes of invoices that were issued at this instant or later.',
  })
  creditsIssuedFrom?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only credit notes of invoices that were issued before this instant.',
  })
  creditsIssuedBefore?: string | null;
}

@ObjectType()
abstract class TaxTermsFields {
  @Field(() => CountryCode, {
    nullable: true,
    description:
      'The country whose tax applies: the member state of consumption. Null if the records do not have it any more.',
  })
  country!: string | null;

  @Field(() => TaxTreatments, {
    nullable: true,
    description: 'The return that it belongs to; null if a country is not known.',
  })
  treatment!: string | null;

  @Field(() => TaxCategory, { description: 'The category.' })
  category!: string;

  @Field(() => Decimal, { description: 'The rate in percent.' })
  percent!: string;

  @Field(() => TaxReason, { nullable: true, description: 'Why no tax is charged; null if it is.' })
  reason!: string | null;

  @Field(() => Currency, { description: 'The currency. Currencies are not converted.' })
  currency!: string;
}

type SumInCurrency = TaxSum & { currency: string };

@ObjectType('TaxSum', { simpleResolvers: true, description: 'Sums of documents.' })
class TaxSumType {
  @Field(() => Int, { description: 'The number of documents.' })
  documents!: number;
}

@Resolver(() => TaxSumType)
export class TaxSumResolver {
  @FieldResolver(() => Money, { description: 'The taxable amount.' })
  taxable(@Root() { taxableMinor, currency }: SumInCurrency): Money {
    return toMoney(taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax.' })
  tax(@Root() { taxMinor, currency }: SumInCurrency): Money {
    return toMoney(taxMinor, currency);
  }
}

@ObjectType('TaxReportRow', {
  simpleResolvers: true,
  description: 'What was taxed in a period in one country at one rate, in one currency.',
})
class TaxReportRow extends TaxTermsFields {
  @Field(() => DateTime, { description: 'The start of the period.' })
  start!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  end!: string;
}

@Resolver(() => TaxReportRow)
export class TaxReportRowResolver {
  @FieldResolver(() => Money, {
    description: 'The taxable amount: that of invoices less that of credit notes.',
  })
  taxable(@Root() { invoiced, credited, currency }: TaxRow): Money {
    return toMoney(invoiced.taxableMinor - credited.taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax: that of invoices less that of credit notes.' })
  tax(@Root() { invoiced, credited, currency }: TaxRow): Money {
    return toMoney(invoiced.taxMinor - credited.taxMinor, currency);
  }

  @FieldResolver(() => TaxSumType, { description: 'The invoices that were issued in the period.' })
  invoiced(@Root() { invoiced, currency }: TaxRow): SumInCurrency {
    return { ...invoiced, currency };
  }

  @FieldResolver(() => TaxSumType, {
    description: 'What credit notes of the period take off, as amounts above 0.',
  })
  credited(@Root() { credited, currency }: TaxRow): SumInCurrency {
    return { ...credited, currency };
  }

  @FieldResolver(() => TaxSumType, {
    description:
      'The part of `credited` for invoices that were issued before the period: the corrections of earlier returns.',
  })
  creditedEarlier(@Root() { creditedEarlier, currency }: TaxRow): SumInCurrency {
    return { ...creditedEarlier, currency };
  }
}

@ObjectType('TaxReportTotal', {
  simpleResolvers: true,
  description: 'The sums of the report in one currency, credit notes taken off.',
})
class TaxReportTotal extends TaxSumType {
  @Field(() => Currency, { description: 'The currency.' })
  currency!: string;
}

@Resolver(() => TaxReportTotal)
export class TaxReportTotalResolver {
  @FieldResolver(() => Money, { description: 'The taxable amount.' })
  taxable(@Root() { taxableMinor, currency }: TaxTotalOfCurrency): Money {
    return toMoney(taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax.' })
  tax(@Root() { taxMinor, currency }: TaxTotalOfCurrency): Money {
    return toMoney(taxMinor, currency);
  }
}

@ObjectType('TaxReport', {
  simpleResolvers: true,
  description:
    'The tax of the documents that were issued in a range: invoices that are not void, less the credit notes that are ' +
    'not void.',
})
class TaxReport {
  @Field(() => String, { description: 'The IANA time zone of the periods.' })
  timeZone!: string;

  @Field(() => DateTime, { description: 'The start of the first period.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end of the last period, exclusive.' })
  until!: string;

  @Extensions(declareWork({ cost: 0, size: 100 }))
  @Field(() => [TaxReportRow], { description: 'The rows by period, country, currency, category and rate.' })
  rows!: TaxRow[];

  @Extensions(declareWork({ cost: 0, size: 5 }))
  @Field(() => [TaxReportTotal], { description: 'The sums of all rows, by currency.' })
  totals!: TaxTotalOfCurrency[];

  @Field(() => Int, {
    description:
      'The number of documents on which no tax was computed, because the seller had no address. They are in no row.',
  })
  untaxedDocuments!: number;
}

@ObjectType('TaxDocument', {
  simpleResolvers: true,
  description: 'A document with its tax of one category and rate.',
})
class TaxDocument extends TaxTermsFields {
  @Field(() => DocumentKinds, {
    description: 'Its kind. An invoice whose credits exceed its charges is a credit note.',
  })
  kind!: string;

  @Field(() => String, { description: 'Its number.' })
  documentNumber!: string;

  @Field(() => DateTime, { description: 'When it was issued.' })
  issuedAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the invoice was issued that it credits; null for invoices.',
  })
  creditedIssuedAt!: string | null;

  @Field(() => ID, { description: 'The customer who is billed.' })
  customerId!: string;
}

const TaxDocumentConnection = defineConnection<ListedTax>('TaxDocument', () => TaxDocument);

@Resolver(() => TaxDocument)
export class TaxReportResolver {
  @FieldResolver(() => ID, { description: 'The id of the invoice or the credit note.' })
  documentId(@Root() { id }: ListedTax): string {
    return id;
  }

  @FieldResolver(() => Money, { description: 'The taxable amount; below 0 if it reduces the tax.' })
  taxable(@Root() { taxableMinor, currency }: ListedTax): Money {
    return toMoney(taxableMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax; below 0 if it reduces the tax.' })
  tax(@Root() { taxMinor, currency }: ListedTax): Money {
    return toMoney(taxMinor, currency);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: ListedTax) {
    return context.byId('customers', customerId);
  }

  @Query(() => TaxReport, {
    nullable: true,
    description:
      'Returns the tax of a range by calendar period, country, rate and currency, as returns ask for it; credit notes are ' +
      'taken off. An uncollectible invoice counts, a void one does not.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['query_timeout'],
  })
  taxReport(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => TaxReportInput, { description: 'The range.' }) input: TaxReportInput,
  ): Promise<TaxReportFigures> {
    return findTaxReport(tenant, input);
  }

  @Query(() => TaxDocumentConnection, {
    nullable: true,
    description:
      'Lists the documents behind the figures of `taxReport`, by the time of issue. One with several rates is listed once ' +
      'for each.',
    work: { cost: 2000 },
    permission: 'read',
    reasons: ['cursor_invalid', 'currency_unsupported', 'query_timeout'],
  })
  async taxDocuments(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('input', () => TaxDocumentsInput, { description: 'The documents.' }) input: TaxDocumentsInput,
  ) {
    const filter: DocumentFilter = input;
    return new TaxDocumentConnection(await listTaxDocuments(tenant, filter, page));
  }
}
