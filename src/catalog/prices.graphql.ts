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
  description: 'The unit of a billing interval.',
  valuesConfig: {
    Daily: { description: 'Days.' },
    Weekly: { description: 'Weeks.' },
    Monthly: { description: 'Calendar months.' },
    Yearly: { description: 'Calendar years.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The billing interval of a price.' })
class Recurring {
  @Field(() => DateTime, {
    nullable: true,
    description: 'The billing anchor; null means the start of the subscription.',
  })
  executionDate!: string | null;

  @Field(() => Int, { description: 'The number of units between two charges.' })
  period!: number;

  @Field(() => Frequency, { description: 'The unit of the period.' })
  frequency!: Frequency;
}

@ObjectType('Price', {
  implements: Node,
  simpleResolvers: true,
  description: 'A price of a product: an amount and a billing interval.',
})
export class Price extends Node {
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;

  @Field(() => DateTime, { description: 'When the price was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the price was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'An amount of a currency.' })
class MoneyInput {
  @Field(() => Float, {
    description: 'The amount in major units, 0 or more, with at most the decimals of the currency.',
  })
  amount!: number;

  @Field(() => String, { description: 'An ISO 4217 currency code, for example `afn`.' })
  currency!: string;
}

@InputType({ description: 'Changes to an amount. Omitted fields stay unchanged.' })
class MoneyChangesInput {
  @Field(() => Float, { nullable: true, description: 'The amount in major units, 0 or more.' })
  amount?: number;

  @Field(() => String, { nullable: true, description: 'An ISO 4217 currency code, for example `afn`.' })
  currency?: string;
}

@InputType({
  description:
    'A billing interval. Defaults in a new price: `Monthly`, 1 and null; in a change, omitted fields stay ' +
    'unchanged.',
})
class RecurringInput {
  @Field(() => DateTime, {
    nullable: true,
    description: 'The billing anchor; null means the start of the subscription.',
  })
  executionDate?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units between two charges: 1 or more, at most three years.',
  })
  period?: number;

  @Field(() => Frequency, { nullable: true, description: 'The unit of the period.' })
  frequency?: Frequency;
}

@InputType({ description: 'A price to create.' })
export class CreatePriceInput {
  @Field(() => MoneyInput, { description: 'The amount to charge.' })
  details!: MoneyInput;

  @Field(() => RecurringInput, { nullable: true, description: 'The billing interval. Default: every month.' })
  recurring?: RecurringInput | null;
}

@InputType({ description: 'Changes to a price. Omitted fields stay unchanged.' })
class UpdatePriceInput {
  @Field(() => MoneyChangesInput, { nullable: true, description: 'The amount to charge.' })
  details?: MoneyChangesInput;

  @Field(() => RecurringInput, { nullable: true, description: 'The billing interval.' })
  recurring?: RecurringInput;
}

const priceId = { description: 'The id of the price.' };
const productId = { description: 'The id of the product.' };

@Resolver(() => Price)
export class PriceResolver {
  @FieldResolver(() => Recurring, { description: 'The billing interval.' })
  recurring(@Root() { executionDate, period, frequency }: PriceRow) {
    return { executionDate, period, frequency };
  }

  @FieldResolver(() => Money, { description: 'The amount to charge.' })
  details(@Root() { amountMinor, currency }: PriceRow) {
    return toMoney(amountMinor, currency);
  }

  @Query(() => Price, { nullable: true, description: 'Returns a price by id.' })
  price(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('productId', () => ID, { nullable: true, description: 'Its product, verified if given.' })
    product?: string,
  ): MaybePromise<PriceRow> {
    return findPrice(tenant.read, product, id);
  }

  @Mutation(() => [Price], {
    nullable: true,
    description: 'Creates 1 to 100 prices for a product, all or none.',
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
    description: 'Changes a price. Existing subscriptions keep the price they agreed to.',
  })
  updatePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('productId', () => ID, productId) product: string,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('input', () => UpdatePriceInput, { description: 'The changes.' }) input: UpdatePriceInput,
  ): Promise<PriceRow> {
    return tenant.write((unit) => updatePrice(unit, product, id, input));
  }
}
