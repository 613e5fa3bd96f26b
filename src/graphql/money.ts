import 'reflect-metadata';
import { Extensions, Field, Float, InputType, ObjectType } from 'type-graphql';
import { openToBrowsers } from './openness.ts';
import { decimalText, toMajor, unitAmountText } from '../lib/money.ts';
import { Currency, Decimal } from './scalars.ts';

@ObjectType({ simpleResolvers: true, description: 'An amount of a currency.' })
export class Money {
  @Extensions(openToBrowsers)
  @Field(() => Float, {
    description: 'The amount in major units (12.5 is twelve and a half), exact up to 15 digits.',
  })
  amount!: number;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    description:
      'The exact amount in major units, with at least the decimals of the currency, for example `"12.50"`.',
  })
  decimal!: string;

  @Extensions(openToBrowsers)
  @Field(() => Currency, { description: 'The ISO 4217 currency code in lower case.' })
  currency!: string;
}

@InputType({
  description: 'An amount of a currency: `amount` or `decimal`, never both; at most 10^18 minor units.',
})
export class MoneyInput {
  @Field(() => Float, {
    nullable: true,
    description:
      'The amount in major units, not in cents: 20 is twenty dollars. 0 or more, with at most the decimals of the currency.',
  })
  amount?: number | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The amount as an exact number, instead of `amount`.',
  })
  decimal?: string | null;

  @Field(() => Currency, { description: 'An ISO 4217 currency code, for example `afn`.' })
  currency!: string;
}

@InputType({ description: 'Changes to an amount. Omitted fields stay unchanged.' })
export class MoneyChangesInput {
  @Field(() => Float, { nullable: true, description: 'The amount in major units, 0 or more.' })
  amount?: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The amount as an exact number, instead of `amount`.',
  })
  decimal?: string;

  @Field(() => Currency, { nullable: true, description: 'An ISO 4217 currency code, for example `afn`.' })
  currency?: string;
}

/** An amount whose number and decimal are computed only if they are selected. */
class MinorMoney implements Money {
  constructor(
    readonly amountMinor: bigint,
    readonly currency: string,
  ) {}

  get amount(): number {
    return toMajor(this.amountMinor, this.currency);
  }

  get decimal(): string {
    return decimalText(this.amountMinor, this.currency);
  }
}

/** Converts minor units to the Money type of the interface. */
export const toMoney = (amountMinor: bigint, currency: string): Money =>
  new MinorMoney(amountMinor, currency);

/** Converts the price of a unit, a decimal that may be finer than the currency, to the Money type. */
export const toUnitMoney = (unitAmount: string, currency: string): Money => ({
  amount: Number(unitAmount),
  decimal: unitAmountText(unitAmount, currency),
  currency,
});
