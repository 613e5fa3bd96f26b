import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Discount } from '../discounts/discounts.graphql.ts';
import { sortInForce, type DiscountRow } from '../discounts/discounts.ts';
import { PromotionCode } from '../discounts/promotionCodes.graphql.ts';
import type { Context } from '../../graphql/context.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import type { IntentRow } from './intents/intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

@Resolver(() => SubscriptionContract)
export class SubscriptionDiscountsResolver {
  @FieldResolver(() => [Discount], {
    description:
      'The discounts of its own that reduce its next invoices, in their order. Without any, those of the ' +
      'customer do.',
  })
  async discounts(@Ctx() context: Context, @Root() { id }: SubscriptionRow): Promise<DiscountRow[]> {
    const rows = await context.listBy('discounts', 'subscriptionId', id, { removedAt: null });
    return sortInForce(rows, context.tenant.now());
  }
}

@Resolver(() => Discount)
export class DiscountSubscriptionResolver {
  @FieldResolver(() => SubscriptionContract, {
    nullable: true,
    description: "The subscription; null for a discount of the customer's subscriptions.",
  })
  subscription(@Ctx() context: Context, @Root() { subscriptionId }: DiscountRow) {
    return subscriptionId === null ? null : context.byId('subscriptions', subscriptionId);
  }
}

@Resolver(() => SubscriptionIntent)
export class IntentCodeResolver {
  @FieldResolver(() => PromotionCode, {
    nullable: true,
    description: 'The promotion code that its payment redeems, if any.',
  })
  promotionCode(@Ctx() context: Context, @Root() { promotionCodeId }: IntentRow) {
    return promotionCodeId === null ? null : context.byId('promotionCodes', promotionCodeId);
  }
}
