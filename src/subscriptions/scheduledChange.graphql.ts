import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { Price } from '../catalog/prices.graphql.ts';
import { Product } from '../catalog/products.graphql.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime } from '../graphql/scalars.ts';
import { cancelScheduledChange } from './applyPlanChange.ts';
import type { IntentRow } from './intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType({ simpleResolvers: true, description: 'A change of plan that waits for the end of the period.' })
class ScheduledChange {
  @Field(() => ID, { description: 'The intent by which it was agreed to.' })
  intentId!: string;

  @Field(() => ID, { description: 'The product that it changes to.' })
  productId!: string;

  @Field(() => ID, { description: 'The price that it changes to.' })
  priceId!: string;

  @Field(() => String, { description: "The product's name as it was agreed to." })
  productName!: string;

  @Field(() => DateTime, {
    description: 'When it takes effect; where the subscription ends with its period, it does not.',
  })
  effectiveAt!: string;
}

type Scheduled = IntentRow & { intentId: string; effectiveAt: string };

@Resolver(() => ScheduledChange)
export class ScheduledChangeResolver {
  @FieldResolver(() => Money, { description: 'What a whole cycle will cost, as it was agreed to.' })
  agreedPrice(@Root() { amountMinor, currency }: Scheduled): Money {
    return toMoney(amountMinor, currency);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The product as it is now; null once deleted.',
  })
  async product(@Ctx() context: Context, @Root() { productId }: Scheduled) {
    const product = await context.byId('products', productId);
    return product?.deletedAt ? null : product;
  }

  @FieldResolver(() => Price, { nullable: true, description: 'The price as it is now; null once deleted.' })
  price(@Ctx() context: Context, @Root() { priceId }: Scheduled) {
    return context.byId('prices', priceId);
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionScheduleResolver {
  @FieldResolver(() => ScheduledChange, {
    nullable: true,
    description: 'The change of plan that waits for the end of the period; null where none does.',
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
    description: 'Takes back the change of plan that waits for the end of the period; nothing is charged.',
  })
  cancelScheduledChange(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => cancelScheduledChange(unit, id));
  }
}
