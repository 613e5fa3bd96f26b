import 'reflect-metadata';
import { Field, Float, ObjectType } from 'type-graphql';
import { toMajor } from '../lib/money.ts';

@ObjectType({ simpleResolvers: true, description: 'An amount of a currency.' })
export class Money {
  @Field(() => Float, { description: 'Major units: 12.5 is twelve and a half; exact up to 15 digits.' })
  amount!: number;

  @Field(() => String, { description: 'ISO 4217 code, lower case.' })
  currency!: string;
}

/** Minor units of a currency as the interface shows them. */
export function toMoney(amountMinor: bigint, currency: string): Money {
  return { amount: toMajor(amountMinor, currency), currency };
}
