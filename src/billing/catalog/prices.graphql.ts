import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  ObjectType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Query, Mutation } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney, toUnitMoney } from '../../graphql/money.ts';
import { keyedBy } from '../../graphql/lookupKeys.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { Context } from '../../graphql/context.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import { WarningType } from '../../graphql/warnings.ts';
import { declareWork } from '../../graphql/work.ts';
import type { Warning } from '../../lib/warnings.ts';
import { listPriceWarnings } from './priceWarnings.ts';
import { lookupKeyField } from './lookupKey.graphql.ts';
import { CreatePricesInput, Frequency, TaxBehavior, UpdatePriceInput } from './priceInput.graphql.ts';
import { archivePrice, findPrice, unarchivePrice, updatePrice, type PriceRow } from './prices.ts';
import { findUnitAmount } from '../../tenancy/traces/shownFields.ts';
import { createPrices } from './products.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@ObjectType({ simpleResolvers: true, description: 'The billing interval of a price.' })
class Recurring {
  @Extensions(openToBrowsers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The billing anchor; null means the start of the subscription.',
  })
  executionDate!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => Int, { description: 'The number of units between two charges.' })
  period!: number;

  @Extensions(openToBrowsers)
  @Field(() => Frequency, { description: 'The unit of the period.' })
  frequency!: Frequency;
}

// That of a deleted product too: subscriptions keep it.
@Extensions(refetchBy(({ read }, id) => read.one('prices', { id })))
@Extensions(keyedBy('prices', 'lookupKey'))
@ObjectType('Price', {
  implements: Node,
  simpleResolvers: true,
  description: 'A price of a product: an amount and a billing interval.',
})
export class Price extends Node {
  @Extensions(openToBrowsers)
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;

  @Extensions(openToBrowsers)
  @Field(() => Int, {
    nullable: true,
    description: 'The minimum quantity; null for 1.',
  })
  minQuantity!: number | null;

  @Extensions(openToBrowsers)
  @Field(() => Int, {
    nullable: true,
    description: 'The maximum quantity; null for no limit.',
  })
  maxQuantity!: number | null;

  @Field(() => String, { nullable: true, description: 'A name for your own use.' })
  nickname!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => String, lookupKeyField)
  lookupKey!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => Int, { nullable: true, description: 'The days of its trial; null for none.' })
  trialDays!: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was archived: new orders and changes cannot choose it; null for an active price.',
  })
  archivedAt!: string | null;

  @Field(() => DateTime, { description: 'When the price was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the price was last changed.' })
  updatedAt!: string;
}

/** The columns that queries read only for these fields. */
const fieldsOfColumns = {
  executionDate: ['executionDate'],
  period: ['period'],
  frequency: ['frequency'],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  minQuantity: ['minQuantity'],
  maxQuantity: ['maxQuantity'],
  nickname: ['nickname'],
  lookupKey: ['lookupKey'],
  trialDays: ['trialDays'],
  setupFeeMinor: ['setupFee'],
  taxBehavior: ['taxBehavior'],
  archivedAt: ['active', 'archivedAt'],
} as const;

/** Returns the columns of prices that an operation does not read. */
export const listUnreadColumns = (info: GraphQLResolveInfo): readonly (keyof PriceRow)[] =>
  listUnread(info, fieldsOfColumns);

const priceId = { description: 'The id of the price.' };

@Resolver(() => Price)
export class PriceResolver {
  @FieldResolver(() => Boolean, {
    description: 'Whether new orders and changes can choose it: it is not archived.',
  })
  active(@Root() { archivedAt }: PriceRow): boolean {
    return archivedAt === null;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Recurring, { description: 'The billing interval.' })
  recurring(@Root() { executionDate, period, frequency }: PriceRow) {
    return { executionDate, period, frequency };
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description:
      'The amount per cycle, unit or package, depending on the model; for a price with tiers, that of a unit in the first ' +
      'tier. `quote` returns what a quantity costs.',
  })
  details(@Root() price: PriceRow): Money {
    const unitAmount = findUnitAmount(price);
    return unitAmount === null
      ? toMoney(price.amountMinor, price.currency)
      : toUnitMoney(unitAmount, price.currency);
  }

  @Extensions(declareWork({ cost: 5, size: 1 }))
  @FieldResolver(() => [WarningType], {
    description:
      'What is probably not meant: `amount_unusual` if it costs at least 100 times what the earlier prices of its product do, ' +
      'or all others if it is among the first, of the same currency and model for the same time (50 times for another ' +
      'interval). It is probably an amount in cents.',
  })
  async warnings(@Root() price: PriceRow, @Ctx() context: Context): Promise<Warning[]> {
    const ofProduct = await context.memoize(`price warnings ${price.productId}`, async () =>
      listPriceWarnings(await context.listBy('prices', 'productId', price.productId)),
    );
    return ofProduct.get(price.id) ?? [];
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { nullable: true, description: 'The set-up fee; null for none.' })
  setupFee(@Root() { setupFeeMinor, currency }: PriceRow): Money | null {
    return setupFeeMinor === null ? null : toMoney(setupFeeMinor, currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => TaxBehavior, { description: 'Whether the amounts contain the tax.' })
  taxBehavior(@Root() { taxBehavior }: PriceRow): keyof typeof TaxBehavior {
    return taxBehavior ?? TaxBehavior.exclusive;
  }

  @Query(() => Price, {
    nullable: true,
    description: 'Returns a price by id.',
    permission: 'read',
    reasons: ['price_not_found'],
  })
  price(
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('productId', () => ID, { nullable: true, description: 'Its product, verified if given.' })
    product?: string,
  ): MaybePromise<PriceRow> {
    return findPrice(tenant.read, product, id, listUnreadColumns(info));
  }

  @Mutation(() => [Price], {
    nullable: true,
    description: 'Creates 1 to 100 prices for a product, all or none.',
    permission: 'manage_catalog',
    reasons: ['product_not_found', 'lookup_key_exists', 'meter_not_found', ...moneyReasons],
  })
  createPrices(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreatePricesInput, { description: 'The prices.' })
    { productId: product, prices }: CreatePricesInput,
  ): Promise<PriceRow[]> {
    return tenant.write((unit) => createPrices(unit, product, prices));
  }

  @Mutation(() => Price, {
    nullable: true,
    description: 'Changes a price. Existing subscriptions keep the price they agreed to.',
    permission: 'manage_catalog',
    reasons: ['price_not_found', 'lookup_key_exists', ...moneyReasons],
  })
  updatePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, priceId) id: string,
    @Arg('input', () => UpdatePriceInput, { description: 'The changes.' })
    { productId: product, ...changes }: UpdatePriceInput,
  ): Promise<PriceRow> {
    return tenant.write((unit) => updatePrice(unit, product, id, changes));
  }

  @Mutation(() => Price, {
    nullable: true,
    description:
      'Archives a price: new orders and changes cannot choose it, and browsers do not see it. Its subscriptions keep it and ' +
      'renew, and intents that were created before can be paid until they expire. Repeating it changes nothing.',
    permission: 'manage_catalog',
    reasons: ['price_not_found'],
  })
  archivePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, priceId) id: string,
  ): Promise<PriceRow> {
    return tenant.write((unit) => archivePrice(unit, id));
  }

  @Mutation(() => Price, {
    nullable: true,
    description: 'Lets new orders and changes choose an archived price again. Repeating it changes nothing.',
    permission: 'manage_catalog',
    reasons: ['price_not_found'],
  })
  unarchivePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, priceId) id: string,
  ): Promise<PriceRow> {
    return tenant.write((unit) => unarchivePrice(unit, id));
  }
}
