import { Arg, FieldResolver, ID, Int, Mutation, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { toMoney } from '../graphql/money.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { showAddOns, SubscriptionItem } from './addOns.graphql.ts';
import { findQuantity } from './agreement.ts';
import { adjustQuantity } from './subscriptionChange.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

function showMain(subscription: SubscriptionRow): SubscriptionItem {
  const { id, productId, priceId, productName, amountMinor, currency, startsAt } = subscription;
  return {
    id: `${id}:main`,
    productId,
    priceId,
    productName,
    quantity: findQuantity(subscription),
    agreedPrice: toMoney(amountMinor, currency),
    addedAt: startsAt,
    isMain: true,
  };
}

@Resolver(() => SubscriptionContract)
export class SubscriptionItemsResolver {
  @FieldResolver(() => [SubscriptionItem], { description: 'The main price, and the add-ons.' })
  items(@Root() subscription: SubscriptionRow): SubscriptionItem[] {
    return [showMain(subscription), ...showAddOns(subscription)];
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      "Adds to the quantity of an item, or subtracts from it; billed by the tenant's change policy. Parallel adjustments " +
      'add up. A quantity scheduled for the end of the period is the one adjusted.',
  })
  adjustQuantity(
    @CurrentTenant() tenant: TenantScope,
    @Arg('itemId', () => ID, { description: 'The item, from `items` of the subscription.' }) itemId: string,
    @Arg('by', () => Int, { description: 'The number of units to add; negative to subtract.' }) by: number,
  ): Promise<SubscriptionRow> {
    return adjustQuantity(tenant, itemId, by);
  }
}
