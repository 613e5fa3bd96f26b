import 'reflect-metadata';
import { Field, Float, ObjectType } from 'type-graphql';
import { toMajor } from '../lib/money.ts';

@ObjectType({ simpleResolvers: true, description: 'An amount of a currency.' })
export class Money {
  @Field(() => Float, {
    description: 'The amount in major units (12.5 is twelve and a half), exact up to 15 digits.',
  })
  amount!: number;

  @Field(() => String, { description: 'The ISO 4217 currency code in lower case.' })
  currency!: string;
}

/** Converts minor units to the Money type of the interface. */
export function toMoney(amountMinor: bigint, currency: string): Money {
  return { amount: toMajor(amountMinor, currency), currency };
}
