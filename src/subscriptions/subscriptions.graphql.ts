import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Price } from '../catalog/prices.graphql.ts';
import { Product } from '../catalog/products.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { tenantAlias } from '../graphql/arguments.ts';
import { ConnectionArgs, connectionOf } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Money, moneyOf } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime, JSONObject } from '../graphql/scalars.ts';
import {
  activeSubscriptions,
  findSubscription,
  listSubscriptions,
  statusOf,
  subscriptionHistory,
  subscriptionStatuses,
  type PaidPeriodRow,
  type SubscriptionRow,
  type SubscriptionStatus,
} from './subscriptions.ts';

const SubscriptionStatuses = Object.fromEntries(subscriptionStatuses.map((status) => [status, status]));
registerEnumType(SubscriptionStatuses, {
  name: 'SubscriptionStatus',
  description: 'Where a subscription stands.',
  valuesConfig: {
    scheduled: { description: 'Starts on a day that lies ahead.' },
    active: { description: 'Has started, and is paid.' },
    past_due: { description: 'A charge has failed, and is tried again.' },
    paused: { description: 'Is not billed until it is resumed.' },
    cancelled: { description: 'Is over; nothing more is billed.' },
  },
});

@ObjectType('Subscription', {
  implements: Node,
  simpleResolvers: true,
  description: 'An agreement to pay for a product at a price, cycle after cycle (interface, section 2).',
})
export class Subscription extends Node {
  @Field(() => String, { description: 'The tenant that it belongs to.' })
  tenantAlias!: string;

  @Field(() => ID, { description: 'The intent whose payment started it.' })
  paymentIntentId!: string;

  @Field(() => ID, { description: 'Who subscribes.' })
  customerId!: string;

  @Field(() => ID, { description: 'To what.' })
  productId!: string;

  @Field(() => ID, { description: 'At which price.' })
  priceId!: string;

  @Field(() => String, { description: "The product's name as it was agreed to." })
  productName!: string;

  @Field(() => DateTime, { description: 'When it was, or will be, billed first.' })
  firstBillingDate!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it will be billed next; null once cancelled.' })
  nextBillingDate!: string | null;

  @Field(() => Float, { description: 'How many cycles have been paid.' })
  billedCount!: number;

  @Field(() => DateTime, { nullable: true, description: 'Where the period that was paid last begins.' })
  currentPeriodStart!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Where the period that was paid last ends.' })
  currentPeriodEnd!: string | null;

  @Field(() => Boolean, { description: 'Whether it is cancelled at the end of the period that is paid.' })
  cancelAtPeriodEnd!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'Since when a charge has been failing.' })
  pastDueSince!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Since when it has been paused.' })
  pausedAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it is charged, or tried again, next.' })
  dueAt!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why billing has set it aside: its books do not add up.',
  })
  parkedReason!: string | null;

  @Field(() => JSONObject, { description: "The client's own data." })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was cancelled.' })
  cancelledAt!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What was paid for a period, and which period it was.' })
class Billing {
  @Field(() => Money, { description: 'What was paid.' })
  price!: Money;

  @Field(() => DateTime, { description: 'Where the period begins, included.' })
  startDate!: string;

  @Field(() => DateTime, { description: 'Where the period ends, not included.' })
  endDate!: string;
}

@ObjectType('SubscriptionHistoryItem', {
  simpleResolvers: true,
  description: 'A period that a customer has paid for (interface, section 2).',
})
class SubscriptionHistoryItem {
  @Field(() => ID, { description: 'Unique among all items.' })
  id!: string;

  @Field(() => ID, { description: 'Who paid.' })
  customerId!: string;

  @Field(() => String, { description: "The product's name at the time." })
  productName!: string;
}

const SubscriptionConnection = connectionOf<SubscriptionRow>('Subscription', () => Subscription);
const HistoryConnection = connectionOf<PaidPeriodRow>(
  'SubscriptionHistoryItem',
  () => SubscriptionHistoryItem,
);

@Resolver(() => SubscriptionHistoryItem)
export class HistoryResolver {
  @FieldResolver(() => Billing, { description: 'What was paid, and for which period.' })
  billing(@Root() line: PaidPeriodRow): Billing {
    const { amountMinor, currency, periodStart, periodEnd } = line;
    return { price: moneyOf(amountMinor, currency), startDate: periodStart, endDate: periodEnd };
  }

  @Query(() => HistoryConnection, {
    nullable: true,
    description:
      'The periods that a customer has paid for. Errors: `customer_not_found`, `validation_failed`, `cursor_invalid`.',
  })
  async subscriptionHistory(
    @Ctx() context: Context,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('startDate', () => DateTime, {
      nullable: true,
      description: 'Only periods that begin here or later.',
    })
    startDate?: string,
    @Arg('endDate', () => DateTime, {
      nullable: true,
      description: 'Only periods that begin here or earlier; a date alone is the whole of that day.',
    })
    endDate?: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ) {
    const filter = { customerId, startDate, endDate };
    return new HistoryConnection(await subscriptionHistory(context.tenant(alias), filter, page));
  }
}

@Resolver(() => Subscription)
export class SubscriptionResolver {
  @FieldResolver(() => SubscriptionStatuses, { description: 'Where it stands now.' })
  status(@Ctx() context: Context, @Root() subscription: SubscriptionRow): SubscriptionStatus {
    return statusOf(subscription, context.tenant().now());
  }

  @FieldResolver(() => Money, { description: 'What a whole cycle costs, as it was agreed to.' })
  agreedPrice(@Root() subscription: SubscriptionRow): Money {
    return moneyOf(subscription.amountMinor, subscription.currency);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'Who subscribes; null once deleted.' })
  customer(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    return context.byId('customers', subscription.customerId);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The product as it is now; null once deleted.',
  })
  async product(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    const product = await context.byId('products', subscription.productId);
    return product?.deletedAt ? null : product;
  }

  @FieldResolver(() => Price, { nullable: true, description: 'The price as it is now; null once deleted.' })
  price(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    return context.byId('prices', subscription.priceId);
  }

  @Query(() => Subscription, {
    nullable: true,
    description: 'The subscription of that id. Error: `subscription_not_found`.',
  })
  subscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return findSubscription(context.tenant(alias).read, id);
  }

  @Query(() => SubscriptionConnection, {
    nullable: true,
    description:
      'The subscriptions of a tenant. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`.',
  })
  async subscriptions(
    @Ctx() context: Context,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Only those of this customer.' })
    customerId?: string,
    @Arg('status', () => SubscriptionStatuses, { nullable: true, description: 'Only those that stand so.' })
    status?: SubscriptionStatus,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ) {
    const filter = { customerId, status };
    return new SubscriptionConnection(await listSubscriptions(context.tenant(alias), filter, page));
  }

  @Query(() => [Subscription], {
    nullable: true,
    description: 'What a customer subscribes to now: started and not cancelled. Error: `customer_not_found`.',
  })
  activeSubscriptions(
    @Ctx() context: Context,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow[]> {
    return activeSubscriptions(context.tenant(alias), customerId);
  }
}

@Resolver(() => Customer)
export class CustomerSubscriptionsResolver {
  @FieldResolver(() => [Subscription], { description: 'What the customer subscribes to now, oldest first.' })
  async activeSubscriptions(@Ctx() context: Context, @Root() customer: Customer): Promise<SubscriptionRow[]> {
    const now = context.tenant().now();
    return context.having('subscriptions', 'customerId', customer.id, {
      cancelledAt: null,
      startsAt: { to: now },
    });
  }
}
