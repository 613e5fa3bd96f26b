import {
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
import { Price } from '../../catalog/prices.graphql.ts';
import type { Context } from '../../../graphql/context.ts';
import { withoutId } from '../../../graphql/derivedTypes.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import { openToCustomers } from '../../../graphql/openness.ts';
import { Node, refetchBy } from '../../../graphql/node.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import type { AddOn } from '../../../storage/model/common.ts';
import type { SubscriptionRow } from '../subscriptions.ts';
import { findQuantity } from './agreement.ts';

@Extensions(
  refetchBy(async ({ read }, id) => {
    const subscription = await read.one('subscriptions', { id: id.slice(0, id.indexOf(':')) });
    return subscription && listItems(subscription).find((item) => item.id === id);
  }),
)
@ObjectType('SubscriptionItem', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A price with a quantity that a subscription bills: its main price, or an add-on. Its id is that of the subscription, ' +
    'and `main` or the id of the price.',
})
export class SubscriptionItem extends Node {
  @Extensions(openToCustomers)
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, { description: 'The id of the price.' })
  priceId!: string;

  @Extensions(openToCustomers)
  @Field(() => String, { description: "The product's name at the time of the agreement." })
  productName!: string;

  @Extensions(openToCustomers)
  @Field(() => Int, { description: 'The number of units; 1 for a flat price.' })
  quantity!: number;

  @Extensions(openToCustomers)
  @Field(() => Money, { description: 'The agreed price of a full cycle for the whole quantity.' })
  agreedPrice!: Money;

  @Extensions(openToCustomers)
  @Field(() => Money, {
    nullable: true,
    description:
      'The set-up fee of an add-on that no invoice has charged yet: the next one that bills the add-on does. Null for ' +
      'none, and for the main price.',
  })
  setupFee!: Money | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was added.' })
  addedAt!: string;

  @Extensions(openToCustomers)
  @Field(() => Boolean, { description: 'Whether it is the main price.' })
  isMain!: boolean;
}

/** Declares that a field of `SubscriptionItem` shows what a subscription does not bill yet. */
export const ofOrder = withoutId({
  name: 'OrderedItem',
  description: 'A price with a quantity that an order or a scheduled change contains.',
});

/** Lists the items of a subscription: its main price, and the add-ons. */
export function listItems(subscription: SubscriptionRow): SubscriptionItem[] {
  const { id, productId, priceId, productName, amountMinor, currency, startsAt } = subscription;
  const main = {
    id: `${id}:main`,
    productId,
    priceId,
    productName,
    quantity: findQuantity(subscription),
    agreedPrice: toMoney(amountMinor, currency),
    setupFee: null,
    addedAt: startsAt,
    isMain: true,
  };
  return [main, ...showAddOns(subscription)];
}

/** Shows the add-ons of a subscription or an intent. */
export const showAddOns = (owner: {
  id: string;
  addOns: AddOn[] | null;
  currency: string;
}): SubscriptionItem[] =>
  (owner.addOns ?? []).map(({ amountMinor, setupFeeMinor, priceId, ...addOn }) => ({
    id: `${owner.id}:${priceId}`,
    productId: addOn.productId,
    priceId,
    productName: addOn.productName,
    quantity: addOn.quantity,
    agreedPrice: toMoney(BigInt(amountMinor), owner.currency),
    setupFee: setupFeeMinor === undefined ? null : toMoney(BigInt(setupFeeMinor), owner.currency),
    addedAt: addOn.addedAt,
    isMain: false,
  }));

@InputType({
  description:
    'An add-on: a price with a quantity that is billed with the main price. The set-up fee of the price is charged once, ' +
    'by the first invoice that bills the add-on. Its `trialDays` do not apply: a trial is that of the subscription.',
})
export class AddOnInput {
  @Field(() => ID, {
    description: 'A price of any product, in the currency and with the interval of the main price.',
  })
  priceId!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of units, within the bounds of the price; 1 for a flat price. Default: the current quantity, or the ' +
      'minimum of the price.',
  })
  quantity?: number | null;
}

@Resolver(() => SubscriptionItem)
export class SubscriptionItemResolver {
  @FieldResolver(() => Price, {
    nullable: true,
    description: 'The current state of the price; null if it was deleted.',
  })
  price(@Ctx() context: Context, @Root() { priceId }: SubscriptionItem) {
    return context.byId('prices', priceId);
  }
}
