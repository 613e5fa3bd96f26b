import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Mutation } from '../../graphql/operations.ts';
import { Currency, DateScalar, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import { ExchangeRate, ExchangeRateSource, ExchangeRatesOfDay } from '../tax/exchangeRates.graphql.ts';
import type { RatesRow } from '../tax/exchangeRates.ts';
import { findHomeCurrency } from '../tax/homeCurrency.ts';
import { CreditNote } from './creditNotes.graphql.ts';
import { Invoice } from './invoices.graphql.ts';
import { listMissingRates, setOwnRate, showConversion, type MissingRates } from './taxConversions.ts';
import type { HomeCurrencyTax } from '../../documents/record.ts';

@ObjectType('TaxInHomeCurrency', {
  simpleResolvers: true,
  description:
    'The tax in the currency in which the seller owes it, where that is not the currency of the document (article 230 of ' +
    'Directive 2006/112/EC).',
})
export class TaxInHomeCurrency {
  @Field(() => Currency, { description: 'The currency in which the seller owes the tax.' })
  currency!: string;

  @Field(() => Money, {
    nullable: true,
    description: 'The tax; null while no exchange rate of the day is known.',
  })
  amount!: Money | null;

  @Field(() => DateScalar, { description: 'The day of the tax, whose rate counts.' })
  taxDay!: string;

  @Field(() => [ExchangeRate], {
    description:
      'The rates that were used, of the two currencies without the euro; empty while there are none.',
  })
  rates!: ExchangeRate[];

  @Field(() => DateScalar, {
    nullable: true,
    description: 'The day for which the rates were published: `taxDay`, or up to seven days before.',
  })
  rateDate!: string | null;

  @Field(() => ExchangeRateSource, { nullable: true, description: 'Who published the rates.' })
  source!: string | null;
}

/** Returns the tax of a bill as the interface shows it; without an amount while no rate is known. */
export const buildHomeTax = (
  currency: string,
  taxDay: string,
  home: HomeCurrencyTax | undefined,
): TaxInHomeCurrency => ({
  currency,
  taxDay,
  amount: home ? toMoney(BigInt(home.taxMinor), currency) : null,
  rates: home?.rates ?? [],
  rateDate: home?.rateDate ?? null,
  source: home?.source ?? null,
});

/** Finds the tax of a document in the seller's currency. */
async function findTax(context: Context, id: string): Promise<TaxInHomeCurrency | null> {
  const row = (await context.byId('taxConversions', id)) as Row<'taxConversions'> | undefined;
  return row ? buildHomeTax(row.currency, row.day, showConversion(row)) : null;
}

const taxField = {
  nullable: true,
  description:
    'The tax in the currency in which the seller owes it; null if the document is in that currency, has no tax, or has no number yet.',
};

@Resolver(() => Invoice)
export class InvoiceTaxConversionResolver {
  @FieldResolver(() => TaxInHomeCurrency, taxField)
  taxInHomeCurrency(@Ctx() context: Context, @Root() { id }: { id: string }) {
    return findTax(context, id);
  }
}

@Resolver(() => CreditNote)
export class CreditNoteTaxConversionResolver {
  @FieldResolver(() => TaxInHomeCurrency, taxField)
  taxInHomeCurrency(@Ctx() context: Context, @Root() { id }: { id: string }) {
    return findTax(context, id);
  }
}

@ObjectType('MissingExchangeRate', {
  simpleResolvers: true,
  description: 'An exchange rate that documents lack to show their tax in the currency of the seller.',
})
export class MissingExchangeRate {
  @Field(() => DateScalar, { description: 'The day of the tax.' })
  day!: string;

  @Field(() => Currency, { description: 'The currency of the documents.' })
  currency!: string;

  @Field(() => Currency, { description: 'The currency in which the seller owes the tax.' })
  taxCurrency!: string;

  @Field(() => Int, { description: 'How many documents lack it.' })
  documents!: number;
}

@InputType({ description: 'An exchange rate of the tenant.' })
class SetExchangeRateInput {
  @Field(() => Currency, { description: 'The currency, other than the euro.' })
  currency!: string;

  @Field(() => DateScalar, { description: 'The day, not after today.' })
  day!: string;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'How much of the currency one euro is worth: above 0, at most 1,000,000,000, with at most 12 decimals. Null removes the ' +
      "tenant's rate, so that the one of the bank counts.",
  })
  rate?: string | null;
}

@Resolver(() => Tenant)
export class HomeCurrencyResolver {
  @FieldResolver(() => Currency, {
    nullable: true,
    description:
      'The currency in which the seller owes tax: the one that was chosen, or that of its country in the European Union, the ' +
      'United Kingdom and Norway. Null for none: then no document shows its tax in another currency.',
  })
  homeCurrency(@Root() row: TenantRow): string | null {
    return findHomeCurrency(row);
  }

  @Extensions(declareWork({ cost: 20, size: 20 }))
  @FieldResolver(() => [MissingExchangeRate], {
    description:
      'The exchange rates that documents lack, oldest first; at most 1000 documents are looked at. Set them with ' +
      '`setExchangeRate`: the documents then get their tax in the currency of the seller.',
  })
  missingExchangeRates(@Ctx() { tenant }: Context): Promise<MissingRates[]> {
    return listMissingRates(tenant.read);
  }

  @Mutation(() => ExchangeRatesOfDay, {
    nullable: true,
    description:
      "Sets the tenant's own exchange rate of a day, which precedes that of the European Central Bank, and returns the tenant's " +
      'rates of the day. Documents that lacked it get their tax; those that have it keep their rate.',
    permission: 'manage_settings',
    reasons: [],
  })
  setExchangeRate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => SetExchangeRateInput, { description: 'The rate.' }) input: SetExchangeRateInput,
  ): Promise<RatesRow> {
    return tenant.write((unit) => setOwnRate(unit, input));
  }
}
