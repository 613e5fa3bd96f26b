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
import { sumGivenBack } from '../invoicing/returns.ts';
import { Price } from '../catalog/prices.graphql.ts';
import { Product } from '../catalog/products.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { tenantAlias } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime, JSONObject } from '../graphql/scalars.ts';
import {
  activeSubscriptions,
  findSubscription,
  listSubscriptions,
  runningNow,
  computeStatus,
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
    incomplete: { description: 'Has reached its start, and its first period has not been paid yet.' },
    active: { description: 'Has started, and is paid.' },
    past_due: { description: 'A charge has failed, and is tried again.' },
    paused: { description: 'Is not billed until it is resumed.' },
    cancelled: { description: 'Is over; nothing more is billed.' },
  },
});

@ObjectType('SubscriptionContract', {
  implements: Node,
  simpleResolvers: true,
  description: 'An agreement to pay for a product at a price, cycle after cycle.',
})
export class SubscriptionContract extends Node {
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

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it is cancelled, where that is set; the period that contains it is billed up to it.',
  })
  cancelAt!: string | null;

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

@ObjectType({ simpleResolvers: true, description: 'What a period cost, and which period it was.' })
class Billing {
  @Field(() => Money, { description: 'What the period cost.' })
  price!: Money;

  @Field(() => DateTime, { description: 'Where the period begins, included.' })
  startDate!: string;

  @Field(() => DateTime, { description: 'Where the period ends, not included.' })
  endDate!: string;
}

@ObjectType('SubscriptionHistoryItem', {
  simpleResolvers: true,
  description: 'A period that a customer has paid for.',
})
class SubscriptionHistoryItem {
  @Field(() => ID, { description: 'Unique among all items.' })
  id!: string;

  @Field(() => ID, { description: 'Who paid.' })
  customerId!: string;

  @Field(() => String, { description: "The product's name at the time." })
  productName!: string;
}

const SubscriptionContractConnection = defineConnection<SubscriptionRow>(
  'SubscriptionContract',
  () => SubscriptionContract,
);
const HistoryConnection = defineConnection<PaidPeriodRow>(
  'SubscriptionHistoryItem',
  () => SubscriptionHistoryItem,
);

@Resolver(() => SubscriptionHistoryItem)
export class HistoryResolver {
  @FieldResolver(() => Money, {
    description:
      'What was paid for the period on balance: its price, paid by money, balance or credit, less what plan changes ' +
      'have credited and refunds have given back of it. Over a whole history it comes to what was charged, less ' +
      'what was refunded and what is left as balance.',
  })
  paid(@Root() line: PaidPeriodRow): Money {
    return toMoney(line.amountMinor - sumGivenBack(line), line.currency);
  }

  @FieldResolver(() => Billing, { description: 'What the period cost, and which it was.' })
  billing(@Root() line: PaidPeriodRow): Billing {
    const { amountMinor, currency, periodStart, periodEnd } = line;
    return { price: toMoney(amountMinor, currency), startDate: periodStart, endDate: periodEnd };
  }

  @Query(() => HistoryConnection, {
    nullable: true,
    description: 'The periods that a customer has paid for.',
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

@Resolver(() => SubscriptionContract)
export class SubscriptionResolver {
  @FieldResolver(() => SubscriptionStatuses, { description: 'Where it stands now.' })
  status(@Ctx() context: Context, @Root() subscription: SubscriptionRow): SubscriptionStatus {
    return computeStatus(subscription, context.tenant().now());
  }

  @FieldResolver(() => Money, { description: 'What a whole cycle costs, as it was agreed to.' })
  agreedPrice(@Root() subscription: SubscriptionRow): Money {
    return toMoney(subscription.amountMinor, subscription.currency);
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

  @Query(() => SubscriptionContract, {
    nullable: true,
    description: 'The subscription of that id.',
  })
  subscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return findSubscription(context.tenant(alias).read, id);
  }

  @Query(() => SubscriptionContractConnection, {
    nullable: true,
    description: 'The subscriptions of a tenant.',
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
    return new SubscriptionContractConnection(await listSubscriptions(context.tenant(alias), filter, page));
  }

  @Query(() => [SubscriptionContract], {
    nullable: true,
    description: 'What a customer subscribes to now: paid for and not cancelled.',
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
  @FieldResolver(() => [SubscriptionContract], {
    description: 'What the customer subscribes to now, oldest first.',
  })
  async activeSubscriptions(@Ctx() context: Context, @Root() customer: Customer): Promise<SubscriptionRow[]> {
    const now = context.tenant().now();
    return context.listBy('subscriptions', 'customerId', customer.id, runningNow(now));
  }
}
