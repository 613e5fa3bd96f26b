import {
  Arg,
  Field,
  FieldResolver,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import { findPrice, updatePrice, type PriceRow } from './prices.ts';
import { createPrices } from './products.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

enum Frequency {
  Daily = 'Daily',
  Weekly = 'Weekly',
  Monthly = 'Monthly',
  Yearly = 'Yearly',
}
registerEnumType(Frequency, {
  name: 'Frequency',
  description: 'The unit that the time between two charges is counted in.',
  valuesConfig: {
    Daily: { description: 'Days.' },
    Weekly: { description: 'Weeks.' },
    Monthly: { description: 'Months of the calendar.' },
    Yearly: { description: 'Years of the calendar.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How often a price is charged.' })
class Recurring {
  @Field(() => DateTime, {
    nullable: true,
    description: 'What the charges are counted from; null is the moment the subscription starts.',
  })
  executionDate!: string | null;

  @Field(() => Int, { description: 'How many of the frequency lie between two charges.' })
  period!: number;

  @Field(() => Frequency, { description: 'What the period is counted in.' })
  frequency!: Frequency;
}

@ObjectType('Price', {
  implements: Node,
  simpleResolvers: true,
  description: 'What a product costs, and how often.',
})
export class Price extends Node {
  @Field(() => ID, { description: 'The product that the price is of.' })
  productId!: string;

  @Field(() => DateTime, { description: 'When the price was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the price was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'An amount of a currency.' })
class MoneyInput {
  @Field(() => Float, {
    description: 'In major units, with no more decimals than the currency has; 0 or more.',
  })
  amount!: number;

  @Field(() => String, { description: 'A code of ISO 4217, such as afn.' })
  currency!: string;
}

@InputType({ description: 'What of an amount may change; a field left out stays as it is.' })
class MoneyChangesInput {
  @Field(() => Float, { nullable: true, description: 'In major units; 0 or more.' })
  amount?: number;

  @Field(() => String, { nullable: true, description: 'A code of ISO 4217, such as afn.' })
  currency?: string;
}

@InputType({
  description:
    'How often to charge. What is left out is `Monthly`, 1 and null in a new price, and stays as it is in another.',
})
class RecurringInput {
  @Field(() => DateTime, {
    nullable: true,
    description: 'What the charges are counted from; null is the moment the subscription starts.',
  })
  executionDate?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many of the frequency lie between two charges: 1 or more, three years at most.',
  })
  period?: number;

  @Field(() => Frequency, { nullable: true, description: 'What the period is counted in.' })
  frequency?: Frequency;
}

@InputType({ description: 'A price to create.' })
export class CreatePriceInput {
  @Field(() => MoneyInput, { description: 'What is charged.' })
  details!: MoneyInput;

  @Field(() => RecurringInput, { nullable: true, description: 'How often; every month unless given.' })
  recurring?: RecurringInput | null;
}

@InputType({ description: 'What of a price may change; a field left out stays as it is.' })
class UpdatePriceInput {
  @Field(() => MoneyChangesInput, { nullable: true, description: 'What is charged.' })
  details?: MoneyChangesInput;

  @Field(() => RecurringInput, { nullable: true, description: 'How often.' })
  recurring?: RecurringInput;
}

const priceId = { description: 'The id of the price.' };
const productId = { description: 'The id of the product.' };

@Resolver(() => Price)
export class PriceResolver {
  @FieldResolver(() => Recurring, { description: 'How often it is charged.' })
  recurring(@Root() { executionDate, period, frequency }: PriceRow) {
    return { executionDate, period, frequency };
  }

  @FieldResolver(() => Money, { description: 'What is charged.' })
  details(@Root() { amountMinor, currency }: PriceRow) {
    return toMoney(amountMinor, currency);
  }

  @Query(() => Price, { nullable: true, description: 'The price of that id.' })
  price(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('productId', () => ID, { nullable: true, description: 'Its product, to be verified.' })
    product?: string,
  ): MaybePromise<PriceRow> {
    return findPrice(tenant.read, product, id);
  }

  @Mutation(() => [Price], {
    nullable: true,
    description: 'Adds 1 to 100 prices to a product, all or none.',
  })
  createPrices(
    @CurrentTenant() tenant: TenantScope,
    @Arg('productId', () => ID, productId) product: string,
    @Arg('prices', () => [CreatePriceInput], { description: 'The prices to create, at most 100.' })
    prices: CreatePriceInput[],
  ): Promise<PriceRow[]> {
    return tenant.write((unit) => createPrices(unit, product, prices));
  }

  @Mutation(() => Price, {
    nullable: true,
    description: 'Changes a price; subscriptions keep what they agreed to.',
  })
  updatePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('productId', () => ID, productId) product: string,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('input', () => UpdatePriceInput, { description: 'What to change.' }) input: UpdatePriceInput,
  ): Promise<PriceRow> {
    return tenant.write((unit) => updatePrice(unit, product, id, input));
  }
}
