import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { openToCustomers } from '../../graphql/openness.ts';
import { Query } from '../../graphql/operations.ts';
import { Price } from '../catalog/prices.graphql.ts';
import { Product } from '../catalog/products.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import { findQuantity } from './changes/agreement.ts';
import { cancellationReasons } from './lifecycle.ts';
import { readNextInvoiceAt } from './nextBill.ts';
import {
  listActiveSubscriptions,
  findSubscription,
  listSubscriptions,
  computeStatus,
  subscriptionStatuses,
  type SubscriptionRow,
  type SubscriptionStatus,
} from './subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export const SubscriptionStatuses = Object.fromEntries(
  subscriptionStatuses.map((status) => [status, status]),
);
registerEnumType(SubscriptionStatuses, {
  name: 'SubscriptionStatus',
  description: 'The status of a subscription.',
  valuesConfig: {
    scheduled: { description: 'Starts in the future.' },
    incomplete: { description: 'Reached its start date, but the first period is not paid yet.' },
    trialing: { description: 'In its trial: started, and not charged yet.' },
    active: { description: 'Started and paid.' },
    past_due: { description: 'A charge failed and is being retried.' },
    paused: { description: 'Not billed until it is resumed.' },
    cancelled: { description: 'Ended; nothing more is billed.' },
  },
});

export const CancellationReasons = Object.fromEntries(cancellationReasons.map((reason) => [reason, reason]));
registerEnumType(CancellationReasons, {
  name: 'CancellationReason',
  description: 'Why a customer cancels.',
  valuesConfig: {
    too_expensive: { description: 'It is too expensive.' },
    missing_features: { description: 'Features are missing.' },
    switched_service: { description: 'The customer uses another service.' },
    unused: { description: 'The customer does not use it enough.' },
    customer_service: { description: 'The customer service was not good enough.' },
    too_complex: { description: 'It is too hard to use.' },
    low_quality: { description: 'The quality was not good enough.' },
    other: { description: 'Another reason.' },
  },
});

@Extensions(refetchBy(({ read }, id) => findSubscription(read, id)))
@ObjectType('SubscriptionContract', {
  implements: Node,
  simpleResolvers: true,
  description: 'A subscription: an agreement to pay for a product in every billing cycle.',
})
export class SubscriptionContract extends Node {
  @Field(() => String, { description: 'The tenant that it belongs to.' })
  tenantAlias!: string;

  @Field(() => ID, { description: 'The intent that started it.' })
  paymentIntentId!: string;

  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

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
  @Field(() => DateTime, { description: 'The first billing date.' })
  firstBillingDate!: string;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description:
      'The start of the next period that is not paid; null after cancellation. A pause leaves it as it is: `nextInvoiceAt` ' +
      'is when the period is billed.',
  })
  nextBillingDate!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The end of its trial, at which the first period is billed; null if it had none.',
  })
  trialEndsAt!: string | null;

  @Field(() => Int, { description: 'The number of paid cycles.' })
  billedCount!: number;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The start of the current paid period, or of the trial.',
  })
  currentPeriodStart!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The end of the current paid period, or of the trial.',
  })
  currentPeriodEnd!: string | null;

  @Extensions(openToCustomers)
  @Field(() => Boolean, { description: 'Whether it ends with the paid period.' })
  cancelAtPeriodEnd!: boolean;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'When the open charge first failed; null if nothing is past due.',
  })
  pastDueSince!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { nullable: true, description: 'When it was paused; null if it is not.' })
  pausedAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'When the pause ends by itself; null without a pause, and for one that ends on request.',
  })
  resumesAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time of the next charge, retry or announcement of the end of a trial.',
  })
  dueAt!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why billing has parked the subscription: its books do not add up.',
  })
  parkedReason!: string | null;

  @Field(() => JSONObject, { description: "The client's own data." })
  metadata!: Record<string, unknown>;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { nullable: true, description: 'When it was cancelled.' })
  cancelledAt!: string | null;

  @Field(() => CancellationReasons, {
    nullable: true,
    description: 'Why the customer cancelled, or scheduled the cancellation; null if they did not say.',
  })
  cancellationReason!: string | null;

  @Field(() => String, { nullable: true, description: "The customer's own words about the cancellation." })
  cancellationComment!: string | null;
}

export const SubscriptionContractConnection = defineConnection<SubscriptionRow>(
  'SubscriptionContract',
  () => SubscriptionContract,
  openToCustomers,
);

@Resolver(() => SubscriptionContract)
export class SubscriptionResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      'When it ends by a cancellation: the date that was given, with the period that contains it billed up to that date, or the ' +
      'end of the paid period. Null if it is not cancelled.',
  })
  cancelAt(@Root() { cancelAt, cancelAtPeriodEnd, currentPeriodEnd }: SubscriptionRow): string | null {
    return cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      'When the next period is billed, as `forecast` has it; null if none is: it has ended or ends before, is parked, is ' +
      'paused until it is resumed, or has a trial that ends without a payment method.',
  })
  async nextInvoiceAt(
    @Ctx() context: Context,
    @Root() subscription: SubscriptionRow,
  ): Promise<string | null> {
    const { openInvoiceId, retriesStoppedReason } = subscription;
    if (retriesStoppedReason !== null) return null;
    const open = openInvoiceId === null ? undefined : await context.byId('invoices', openInvoiceId);
    const { tenant } = context;
    const scope = { read: tenant.read, tenant: tenant.record, now: tenant.now() };
    return readNextInvoiceAt(scope, subscription, open?.cycleEnd);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => SubscriptionStatuses, { description: 'The current status.' })
  status(@Ctx() context: Context, @Root() subscription: SubscriptionRow): SubscriptionStatus {
    return computeStatus(subscription, context.tenant.now());
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Int, { description: 'The number of units; 1 for a flat price.' })
  quantity(@Root() subscription: SubscriptionRow): number {
    return findQuantity(subscription);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Money, { description: 'The agreed price of a full cycle for the whole quantity.' })
  agreedPrice(@Root() subscription: SubscriptionRow): Money {
    return toMoney(subscription.amountMinor, subscription.currency);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    return context.byId('customers', subscription.customerId);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The current state of the product, also if it was deleted.',
  })
  product(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    return context.byId('products', subscription.productId);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Price, {
    nullable: true,
    description: 'The current state of the price; null if it was deleted.',
  })
  price(@Ctx() context: Context, @Root() subscription: SubscriptionRow) {
    return context.byId('prices', subscription.priceId);
  }

  @Query(() => SubscriptionContract, {
    nullable: true,
    description: 'Returns a subscription by id.',
    permission: 'read',
    reasons: ['subscription_not_found'],
  })
  subscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
  ): Promise<SubscriptionRow> {
    return findSubscription(tenant.read, id);
  }

  @Query(() => SubscriptionContractConnection, {
    nullable: true,
    description: 'Lists subscriptions.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async subscriptions(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('status', () => SubscriptionStatuses, { nullable: true, description: 'Filter by status.' })
    status?: SubscriptionStatus,
    @Arg('productId', () => ID, { nullable: true, description: 'Filter by product.' }) productId?: string,
    @Arg('search', () => String, searchFilter('their id, or of their customer')) search?: string,
  ) {
    const filter = { customerId, productId, status, search };
    return new SubscriptionContractConnection(await listSubscriptions(tenant, filter, page));
  }

  @Query(() => [SubscriptionContract], {
    nullable: true,
    description: "A customer's active subscriptions: paid or in a trial, and not cancelled.",
    permission: 'read',
    reasons: ['customer_not_found'],
  })
  activeSubscriptions(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
  ): Promise<SubscriptionRow[]> {
    return listActiveSubscriptions(tenant, customerId);
  }
}
