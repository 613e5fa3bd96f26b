import { Extensions, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { CountryCode, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { LineTax, TaxTotal } from '../../storage/model/common.ts';
import { TaxCategory, TaxReason } from '../tax/categories.graphql.ts';

@ObjectType()
abstract class TaxFields {
  @Extensions(openToBrowsers)
  @Field(() => TaxCategory, { description: 'The category.' })
  category!: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, { description: 'The rate in percent.' })
  percent!: string;

  @Extensions(openToBrowsers)
  @Field(() => TaxReason, { nullable: true, description: 'Why no tax is charged; null if it is.' })
  reason?: string | null;

  @Field(() => CountryCode, {
    nullable: true,
    description: 'The country whose tax it is, where that is not the country of the customer.',
  })
  country?: string | null;
}

@ObjectType('LineTax', { simpleResolvers: true, description: 'The tax of a line.' })
export class LineTaxType extends TaxFields {
  @Extensions(openToBrowsers)
  @Field(() => Boolean, {
    description: 'Whether `amount` of the line contains the tax; otherwise it is charged on top.',
  })
  included!: boolean;
}

@ObjectType('TaxTotal', {
  simpleResolvers: true,
  description: 'The tax of one category and rate: rate × taxable amount, rounded once.',
})
export class TaxTotalType extends TaxFields {}

/** A tax with the currency of its amounts. */
export type ShownLineTax = Omit<LineTax, 'included'> & { included: boolean; currency: string };
export type ShownTaxTotal = TaxTotal & { currency: string };

@Resolver(() => LineTaxType)
export class LineTaxResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description: 'The share of the line in the tax of its category and rate; negative for a credit.',
  })
  amount(@Root() { taxMinor, currency }: ShownLineTax): Money {
    return toMoney(BigInt(taxMinor), currency);
  }
}

@Resolver(() => TaxTotalType)
export class TaxTotalResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description: 'The amount that is taxed, after discounts and without the tax.',
  })
  taxable(@Root() { taxableMinor, currency }: ShownTaxTotal): Money {
    return toMoney(BigInt(taxableMinor), currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The tax.' })
  tax(@Root() { taxMinor, currency }: ShownTaxTotal): Money {
    return toMoney(BigInt(taxMinor), currency);
  }
}

/** The descriptions of the fields of bills and previews. */
export const taxField = {
  description: 'The tax; 0 if the seller has no address, and therefore charges none.',
};
export const taxesField = { description: 'The tax by category and rate.' };
export const taxesWork = declareWork({ cost: 0, size: 2 });

/** Returns the tax by category and rate as the interface shows it. */
export const showTaxes = (taxes: TaxTotal[] | null, currency: string): ShownTaxTotal[] =>
  (taxes ?? []).map((each) => ({ ...each, currency }));
