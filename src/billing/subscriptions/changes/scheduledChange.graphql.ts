import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Mutation } from '../../../graphql/operations.ts';
import { Price } from '../../catalog/prices.graphql.ts';
import { Product } from '../../catalog/products.graphql.ts';
import { CurrentTenant } from '../../../graphql/arguments.ts';
import type { Context } from '../../../graphql/context.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { ofOrder, showAddOns, SubscriptionItem } from './addOns.graphql.ts';
import { findQuantity } from './agreement.ts';
import { cancelScheduledChange } from './applyPlanChange.ts';
import type { IntentRow } from '../intents/intents.ts';
import { SubscriptionContract } from '../subscriptions.graphql.ts';
import type { SubscriptionRow } from '../subscriptions.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';

@ObjectType({ simpleResolvers: true, description: 'A plan change scheduled for the end of the period.' })
class ScheduledChange {
  @Field(() => ID, { description: 'The intent that scheduled it.' })
  intentId!: string;

  @Field(() => ID, { description: 'The new product.' })
  productId!: string;

  @Field(() => ID, { description: 'The new price.' })
  priceId!: string;

  @Field(() => String, { description: "The product's name at the time of the agreement." })
  productName!: string;

  @Field(() => DateTime, {
    description: 'When it takes effect, unless the subscription ends before.',
  })
  effectiveAt!: string;
}

type Scheduled = IntentRow & { intentId: string; effectiveAt: string };

@Resolver(() => ScheduledChange)
export class ScheduledChangeResolver {
  @FieldResolver(() => Int, { description: 'The number of units; 1 for a flat price.' })
  quantity(@Root() scheduled: Scheduled): number {
    return findQuantity(scheduled);
  }

  @Extensions(ofOrder)
  @FieldResolver(() => [SubscriptionItem], { description: 'The add-ons from then on.' })
  addOns(@Root() scheduled: Scheduled): SubscriptionItem[] {
    return showAddOns(scheduled);
  }

  @FieldResolver(() => Money, { description: 'The agreed price of a full cycle for the whole quantity.' })
  agreedPrice(@Root() { amountMinor, currency }: Scheduled): Money {
    return toMoney(amountMinor, currency);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The current state of the product, also if it was deleted.',
  })
  product(@Ctx() context: Context, @Root() { productId }: Scheduled) {
    return context.byId('products', productId);
  }

  @FieldResolver(() => Price, {
    nullable: true,
    description: 'The current state of the price; null if it was deleted.',
  })
  price(@Ctx() context: Context, @Root() { priceId }: Scheduled) {
    return context.byId('prices', priceId);
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionScheduleResolver {
  @FieldResolver(() => ScheduledChange, {
    nullable: true,
    description: 'The plan change scheduled for the end of the period, if any.',
  })
  async scheduledChange(
    @Ctx() context: Context,
    @Root() { nextIntentId, nextBillingDate }: SubscriptionRow,
  ): Promise<Scheduled | null> {
    if (nextIntentId === null || nextBillingDate === null) return null;
    const intent = await context.byId('intents', nextIntentId);
    return intent ? { ...intent, intentId: intent.id, effectiveAt: nextBillingDate } : null;
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Cancels the plan change scheduled for the end of the period. Nothing is charged.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active', 'no_scheduled_change'],
  })
  cancelScheduledChange(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => cancelScheduledChange(unit, id));
  }
}
