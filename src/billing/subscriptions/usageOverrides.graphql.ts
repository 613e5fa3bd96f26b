import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney, toUnitMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { PercentageTerms, PriceTier } from '../../storage/model/common.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findUnitAmount } from '../../tenancy/traces/shownFields.ts';
import { Price } from '../catalog/prices.graphql.ts';
import { PriceTierInput, PriceTierType, PricingModel, showTier } from '../catalog/priceTiers.graphql.ts';
import { PercentagePrice, UsageRate, UsageTermsInput } from '../catalog/usagePrices.graphql.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import {
  findOverride,
  listOverrides,
  overrideUsagePrice,
  pickOverrides,
  removeUsagePriceOverride,
  type OverrideRow,
} from './usageOverrides.ts';

@Extensions(refetchBy(({ read }, id) => findOverride(read, id)))
@ObjectType('UsagePriceOverride', {
  implements: Node,
  simpleResolvers: true,
  description:
    "A customer's own terms of a price of usage, instead of those of the price, from a time on. Those of a subscription go " +
    'before those of a customer, and otherwise those that began last.',
})
class UsagePriceOverride extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The subscription; null for all subscriptions of the customer.',
  })
  subscriptionId!: string | null;

  @Field(() => ID, { description: 'The price.' })
  priceId!: string;

  @Field(() => Currency, { description: 'The currency of the terms.' })
  currency!: string;

  @Field(() => DateTime, { description: 'They hold for usage from this time on.' })
  startsAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'They hold for usage before this time; null as long as they are not removed.',
  })
  endsAt!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({
  description:
    "A customer's own terms of a price of usage. Terms that are left out stay those of the price; null takes included units, " +
    'rates, the minimum or the maximum off.',
})
class OverrideUsagePriceInput extends UsageTermsInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The customer, for all their subscriptions, also later ones; either this or `subscriptionId`.',
  })
  customerId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The subscription, which has the price.' })
  subscriptionId?: string | null;

  @Field(() => ID, { description: 'The price of usage.' })
  priceId!: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'The time from which usage costs this, not before the end of what was billed. Within a period tiers and included units ' +
      'begin anew then. Default: now.',
  })
  startsAt?: string | null;

  @Field(() => PricingModel, { nullable: true, description: 'The model. Default: that of the price.' })
  model?: PricingModel | null;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'The price of a unit or package in major units, with up to 12 decimals; beside `rates`, of units that no rate matches.',
  })
  unitAmount?: string | null;

  @Field(() => [PriceTierInput], {
    nullable: true,
    description: 'The tiers of a graduated or volume price in ascending order, at most 100.',
  })
  tiers?: PriceTierInput[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units in a package, for the model `package`.',
  })
  packageSize?: number | null;
}

const UsagePriceOverrideConnection = defineConnection<OverrideRow>(
  'UsagePriceOverride',
  () => UsagePriceOverride,
);

const overrideId = { description: 'The override.' };
const showSpend = (amountMinor: string | undefined, currency: string): Money | null =>
  amountMinor === undefined ? null : toMoney(BigInt(amountMinor), currency);

@Resolver(() => UsagePriceOverride)
export class UsagePriceOverrideTermsResolver {
  @FieldResolver(() => Price, { nullable: true, description: 'The price; null if it was deleted.' })
  price(@Ctx() context: Context, @Root() { priceId }: OverrideRow) {
    return context.byId('prices', priceId);
  }

  @FieldResolver(() => PricingModel, { description: 'The model.' })
  model(@Root() { pricing }: OverrideRow): string {
    return pricing.model;
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The price of a unit or package, or of a unit in the first tier; null for a percentage.',
  })
  unitPrice(@Root() { pricing, currency }: OverrideRow): Money | null {
    const unitAmount = findUnitAmount({ pricing });
    return unitAmount === null ? null : toUnitMoney(unitAmount, currency);
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The number of units in a package; null for others.',
  })
  packageSize(@Root() { pricing }: OverrideRow): number | null {
    return pricing.model === 'package' ? pricing.packageSize : null;
  }

  @Extensions(declareWork({ cost: 0, size: 3 }))
  @FieldResolver(() => [PriceTierType], { description: 'The tiers; empty for other models.' })
  tiers(@Root() { pricing, currency }: OverrideRow): PriceTier[] {
    return 'tiers' in pricing ? pricing.tiers.map((tier) => showTier(tier, currency)) : [];
  }

  @Extensions(declareWork({ cost: 0, size: 3 }))
  @FieldResolver(() => [UsageRate], { description: 'The prices of units by the properties of their events.' })
  rates(@Root() { pricing }: OverrideRow): UsageRate[] {
    return pricing.usage.rates ?? [];
  }

  @FieldResolver(() => PercentagePrice, {
    nullable: true,
    description: 'The terms of the model `percentage`.',
  })
  percentage(@Root() { pricing }: OverrideRow): PercentageTerms | null {
    return pricing.model === 'percentage' ? pricing.percentage : null;
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The units of a period that cost nothing; null for none.',
  })
  includedUnits(@Root() { pricing }: OverrideRow): string | null {
    return pricing.usage.includedUnits ?? null;
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'What the usage of a whole period costs at least; null for no minimum.',
  })
  minimumSpend(@Root() { pricing, currency }: OverrideRow): Money | null {
    return showSpend(pricing.usage.minimumMinor, currency);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'What the usage of a whole period costs at most; null for no maximum.',
  })
  maximumSpend(@Root() { pricing, currency }: OverrideRow): Money | null {
    return showSpend(pricing.usage.maximumMinor, currency);
  }
}

@Resolver(() => UsagePriceOverride)
export class UsagePriceOverrideResolver {
  @Query(() => UsagePriceOverride, {
    nullable: true,
    description: "Returns a customer's own terms of a price of usage by id.",
    permission: 'read',
    reasons: ['usage_price_override_not_found'],
  })
  usagePriceOverride(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, overrideId) id: string,
  ): Promise<OverrideRow> {
    return findOverride(tenant.read, id);
  }

  @Query(() => UsagePriceOverrideConnection, {
    nullable: true,
    description: "Lists customers' own terms of prices of usage, also those that were removed.",
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async usagePriceOverrides(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string | null,
    @Arg('subscriptionId', () => ID, { nullable: true, description: 'Filter by subscription.' })
    subscriptionId?: string | null,
  ) {
    return new UsagePriceOverrideConnection(
      await listOverrides(tenant, { customerId, subscriptionId }, page),
    );
  }

  @Mutation(() => UsagePriceOverride, {
    nullable: true,
    description:
      'Gives a customer own terms of a price of usage, for a subscription or for all that they have of the price. All bills and ' +
      'previews follow.',
    permission: 'manage_catalog',
    proposable: true,
    reasons: [
      'customer_not_found',
      'subscription_not_found',
      'subscription_not_active',
      'price_not_found',
      ...moneyReasons,
    ],
  })
  overrideUsagePrice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => OverrideUsagePriceInput, { description: 'The terms.' })
    input: OverrideUsagePriceInput,
  ): Promise<OverrideRow> {
    return tenant.write((unit) => overrideUsagePrice(unit, input));
  }

  @Mutation(() => UsagePriceOverride, {
    nullable: true,
    description:
      "Removes a customer's own terms of a price of usage: later usage costs what the price says. Within a period tiers and " +
      'included units begin anew then. Repeating it changes nothing.',
    permission: 'manage_catalog',
    proposable: true,
    reasons: ['usage_price_override_not_found'],
  })
  removeUsagePriceOverride(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, overrideId) id: string,
  ): Promise<OverrideRow> {
    return tenant.write((unit) => removeUsagePriceOverride(unit, id));
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionOverridesResolver {
  @Extensions(declareWork({ cost: 5, size: 3 }))
  @FieldResolver(() => [UsagePriceOverride], {
    description:
      "The customer's own terms of its prices of usage that hold now or later, also those that hold for all subscriptions.",
  })
  async usagePriceOverrides(
    @Ctx() context: Context,
    @Root() subscription: SubscriptionRow,
  ): Promise<OverrideRow[]> {
    if (subscription.usageSince === null) return [];
    const rows = await context.listBy('usagePriceOverrides', 'customerId', subscription.customerId);
    return pickOverrides(subscription, rows, context.tenant.now());
  }
}
