import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
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
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { Money, MoneyChangesInput, MoneyInput, toMoney, toUnitMoney } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import { PriceTierInput, PricingModel } from './priceTiers.graphql.ts';
import { findPrice, updatePrice, type PriceRow } from './prices.ts';
import { createPrices } from './products.ts';

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

  @Field(() => Int, {
    nullable: true,
    description: 'The least quantity that can be subscribed to; null for 1.',
  })
  minQuantity!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The largest quantity that can be subscribed to; null for any.',
  })
  maxQuantity!: number | null;

  @Field(() => String, { nullable: true, description: 'A name for your own use.' })
  nickname!: string | null;

  @Field(() => DateTime, { description: 'When the price was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the price was last changed.' })
  updatedAt!: string;
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
  @Field(() => MoneyInput, {
    description:
      'What is charged: for the cycle (`flat`), for a unit (`per_unit`), for a package (`package`), or an amount of 0 in ' +
      'the currency of the tiers. That of a unit or a package may have up to 12 decimals, given as `decimal`.',
  })
  details!: MoneyInput;

  @Field(() => RecurringInput, { nullable: true, description: 'How often; every month unless given.' })
  recurring?: RecurringInput | null;

  @Field(() => PricingModel, {
    nullable: true,
    description: 'How a quantity is charged; `flat` unless given.',
  })
  model?: PricingModel | null;

  @Field(() => [PriceTierInput], {
    nullable: true,
    description: 'The tiers of a graduated or volume price, upwards from the first unit; at most 100.',
  })
  tiers?: PriceTierInput[] | null;

  @Field(() => Int, { nullable: true, description: 'How many units a package has; for the model `package`.' })
  packageSize?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The least quantity that can be subscribed to; 1 unless given.',
  })
  minQuantity?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The largest quantity that can be subscribed to; any unless given.',
  })
  maxQuantity?: number | null;

  @Field(() => String, { nullable: true, description: 'A name for your own use, 1 to 200 characters.' })
  nickname?: string | null;
}

@InputType({ description: 'What of a price may change; a field left out stays as it is.' })
class UpdatePriceInput {
  @Field(() => MoneyChangesInput, {
    nullable: true,
    description: 'What is charged. A price with tiers has no amount of its own.',
  })
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

  @FieldResolver(() => Money, {
    description:
      'What is charged: for the cycle, a unit or a package, as the model says; 0 for a price with tiers.',
  })
  details(@Root() { amountMinor, currency, pricing }: PriceRow): Money {
    return pricing && 'unitAmount' in pricing
      ? toUnitMoney(pricing.unitAmount, currency)
      : toMoney(amountMinor, currency);
  }

  @Query(() => Price, { nullable: true, description: 'The price of that id.' })
  price(
    @Ctx() context: Context,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('productId', () => ID, { nullable: true, description: 'Its product, to be verified.' })
    product?: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): MaybePromise<PriceRow> {
    return findPrice(context.tenant(alias).read, product, id);
  }

  @Mutation(() => [Price], {
    nullable: true,
    description: 'Adds 1 to 100 prices to a product, all or none.',
  })
  createPrices(
    @Ctx() context: Context,
    @Arg('productId', () => ID, productId) product: string,
    @Arg('prices', () => [CreatePriceInput], { description: 'The prices to create, at most 100.' })
    prices: CreatePriceInput[],
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<PriceRow[]> {
    return context.tenant(alias).write((unit) => createPrices(unit, product, prices));
  }

  @Mutation(() => Price, {
    nullable: true,
    description: 'Changes a price; subscriptions keep what they agreed to.',
  })
  updatePrice(
    @Ctx() context: Context,
    @Arg('productId', () => ID, productId) product: string,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('input', () => UpdatePriceInput, { description: 'What to change.' }) input: UpdatePriceInput,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<PriceRow> {
    return context.tenant(alias).write((unit) => updatePrice(unit, product, id, input));
  }
}
