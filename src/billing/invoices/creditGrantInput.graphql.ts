import { Field, ID, InputType, Int, registerEnumType } from 'type-graphql';
import { MoneyInput } from '../../graphql/money.ts';
import { Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { InvoiceCollectionMethod } from './invoiceEnums.graphql.ts';
import { Frequency } from '../catalog/priceInput.graphql.ts';

export const CreditCategory = { paid: 'paid', promotional: 'promotional' } as const;
registerEnumType(CreditCategory, {
  name: 'CreditCategory',
  description: 'Whether a customer has paid for a credit grant.',
  valuesConfig: {
    paid: {
      description: 'Sold. It pays the total of bills after tax, unless it is a single-purpose voucher.',
    },
    promotional: { description: 'Given. It lowers bills before tax.' },
  },
});

@InputType({ description: 'A time in the calendar, at most three years.' })
export class CreditPeriodInput {
  @Field(() => Frequency, { description: 'The unit.' })
  frequency!: Frequency;

  @Field(() => Int, { description: 'The number of units, 1 or more.' })
  period!: number;
}

@InputType({ description: 'What a credit grant keeps when it expires, once: `percent` or `maximum`.' })
class CreditRolloverInput {
  @Field(() => Decimal, {
    nullable: true,
    description: 'The kept percentage of the remainder: above 0, at most 100.',
  })
  percent?: string | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'The most that is kept, in the currency of the grant.',
  })
  maximum?: MoneyInput | null;

  @Field(() => CreditPeriodInput, { description: 'How long it is kept.' })
  expiresAfter!: CreditPeriodInput;
}

@InputType({ description: 'The charges that a credit grant lowers: at most 100 prices and 100 meters.' })
class CreditScopeInput {
  @Field(() => [ID], { nullable: true, description: 'Prices, whose charges it lowers.' })
  priceIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Meters, whose usage it lowers.' })
  meterIds?: string[] | null;
}

@InputType({ description: 'An amount in units of a credit type.' })
class CreditAmountInput {
  @Field(() => ID, { description: 'The credit type.' })
  creditTypeId!: string;

  @Field(() => Decimal, { description: 'The credits: more than 0, with at most 6 decimals.' })
  amount!: string;

  @Field(() => Currency, {
    description: 'The currency of the bills that they pay, and of what is paid for them.',
  })
  currency!: string;
}

@InputType({ description: 'Credit that is sold by an invoice: `amount` or `credits`.' })
export class TopUpCreditInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'Its name on documents, 1 to 200 characters.' })
  name!: string;

  @Field(() => MoneyInput, { nullable: true, description: 'The amount of credit, more than 0.' })
  amount?: MoneyInput | null;

  @Field(() => CreditAmountInput, { nullable: true, description: 'Credits of a type, instead of an amount.' })
  credits?: CreditAmountInput | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The price of a unit of the amount. Default: 1; credits of a type need it.',
  })
  costBasis?: string | null;

  @Field(() => InvoiceCollectionMethod, { nullable: true, description: 'Default: `automatic`.' })
  collect?: keyof typeof InvoiceCollectionMethod | null;

  @Field(() => Int, { nullable: true, description: '0 to 100; the lowest is used first. Default: 50.' })
  priority?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When the remainder expires. Default: never.' })
  expiresAt?: string | null;

  @Field(() => CreditRolloverInput, {
    nullable: true,
    description: 'What it keeps when it expires. Default: nothing.',
  })
  rollover?: CreditRolloverInput | null;
}

@InputType({ description: 'A credit grant: `amount` or `credits`.' })
export class CreateCreditGrantInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'Its name on documents, 1 to 200 characters.' })
  name!: string;

  @Field(() => MoneyInput, { nullable: true, description: 'The amount, more than 0.' })
  amount?: MoneyInput | null;

  @Field(() => CreditAmountInput, { nullable: true, description: 'Credits of a type, instead of an amount.' })
  credits?: CreditAmountInput | null;

  @Field(() => CreditCategory, { description: 'Whether it is sold or given.' })
  category!: string;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'What is paid for a unit of the amount. Default: 1 for paid credit, but paid credits of a type need it; promotional credit ' +
      'costs 0.',
  })
  costBasis?: string | null;

  @Field(() => Int, { nullable: true, description: '0 to 100; the lowest is used first. Default: 50.' })
  priority?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'From when on it can pay. Default: now.' })
  effectiveAt?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the remainder expires. Default: never.' })
  expiresAt?: string | null;

  @Field(() => CreditRolloverInput, {
    nullable: true,
    description: 'What it keeps when it expires. Default: nothing.',
  })
  rollover?: CreditRolloverInput | null;

  @Field(() => CreditScopeInput, {
    nullable: true,
    description: 'The charges that it lowers; only for credit that lowers bills before tax. Default: all.',
  })
  appliesTo?: CreditScopeInput | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'The event `CustomerEvent.credit_low` tells when less than this is left: more than 0, at most the amount. Default: none.',
  })
  alertBelow?: MoneyInput | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The same for credits of a type, instead of `alertBelow`. Default: none.',
  })
  alertBelowCredits?: string | null;
}

@InputType({ description: 'Changes of a credit grant.' })
export class UpdateCreditGrantInput {
  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'The event `CustomerEvent.credit_low` tells when less than this is left of a grant of money; null for none.',
  })
  alertBelow?: MoneyInput | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The same for a grant of credits of a type; null for none.',
  })
  alertBelowCredits?: string | null;
}
