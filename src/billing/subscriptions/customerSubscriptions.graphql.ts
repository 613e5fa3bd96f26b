import { Arg, Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { openToCustomers } from '../../graphql/openness.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { ConnectionArgs, nestedPage } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import {
  SubscriptionContract,
  SubscriptionContractConnection,
  SubscriptionStatuses,
} from './subscriptions.graphql.ts';
import {
  buildActiveConditions,
  listSubscriptions,
  type SubscriptionRow,
  type SubscriptionStatus,
} from './subscriptions.ts';

@Resolver(() => Customer)
export class CustomerSubscriptionsResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => [SubscriptionContract], {
    description: "The customer's active subscriptions, oldest first.",
  })
  async activeSubscriptions(@Ctx() context: Context, @Root() customer: Customer): Promise<SubscriptionRow[]> {
    const now = context.tenant.now();
    return context.listBy('subscriptions', 'customerId', customer.id, buildActiveConditions(now));
  }

  @Extensions(nestedPage)
  @Extensions(openToCustomers)
  @FieldResolver(() => SubscriptionContractConnection, {
    nullable: true,
    description: 'The subscriptions of the customer in any status.',
  })
  async subscriptions(
    @Ctx() { tenant }: Context,
    @Root() { id: customerId }: Customer,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('status', () => SubscriptionStatuses, { nullable: true, description: 'Filter by status.' })
    status?: SubscriptionStatus,
  ) {
    return new SubscriptionContractConnection(await listSubscriptions(tenant, { customerId, status }, page));
  }
}

@Resolver(() => Invoice)
export class InvoiceSubscriptionResolver {
  @FieldResolver(() => SubscriptionContract, {
    nullable: true,
    description: 'The billed subscription; null until it has started.',
  })
  async subscription(
    @Ctx() context: Context,
    @Root() { subscriptionId: id }: InvoiceRow,
  ): Promise<SubscriptionRow | null> {
    return id === null ? null : context.byId('subscriptions', id);
  }
}
