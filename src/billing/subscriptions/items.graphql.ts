import { Arg, Extensions, Field, FieldResolver, ID, InputType, Int, Resolver, Root } from 'type-graphql';
import { openToCustomers } from '../../graphql/openness.ts';
import { Mutation } from '../../graphql/operations.ts';
import { changePaymentReasons, subscriptionChangeReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listItems, ofOrder, showAddOns, SubscriptionItem } from './changes/addOns.graphql.ts';
import { findQuantity } from './changes/agreement.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import type { IntentRow } from './intents/intents.ts';
import { adjustQuantity } from './changes/subscriptionChange.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

@InputType({ description: 'An adjustment of the quantity of an item.' })
class AdjustQuantityInput {
  @Field(() => Int, { description: 'The number of units to add; negative to subtract.' })
  by!: number;
}

@Resolver(() => SubscriptionContract)
export class SubscriptionItemsResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => [SubscriptionItem], { description: 'The main price, and the add-ons.' })
  items(@Root() subscription: SubscriptionRow): SubscriptionItem[] {
    return listItems(subscription);
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      "Adds to the quantity of an item, or subtracts from it; billed by the tenant's change policy. Parallel adjustments " +
      'add up. A quantity scheduled for the end of the period is the one adjusted.',
    permission: 'manage_subscriptions',
    proposable: true,
    reasons: [...subscriptionChangeReasons, ...changePaymentReasons],
  })
  adjustQuantity(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The item, from `items` of the subscription.' }) itemId: string,
    @Arg('input', () => AdjustQuantityInput, { description: 'The adjustment.' })
    { by }: AdjustQuantityInput,
  ): Promise<SubscriptionRow> {
    return adjustQuantity(tenant, itemId, by);
  }
}

@Resolver(() => SubscriptionIntent)
export class IntentItemsResolver {
  @FieldResolver(() => Int, { description: 'The number of units; 1 for a flat price.' })
  quantity(@Root() intent: IntentRow): number {
    return findQuantity(intent);
  }

  @Extensions(ofOrder)
  @FieldResolver(() => [SubscriptionItem], { description: 'The add-ons.' })
  addOns(@Root() intent: IntentRow): SubscriptionItem[] {
    return showAddOns(intent);
  }

  @FieldResolver(() => Money, { description: 'The price of a full cycle for the whole quantity.' })
  price(@Root() intent: IntentRow): Money {
    return toMoney(intent.amountMinor, intent.currency);
  }
}
