import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { findCustomer, type CustomerRow } from '../../billing/customers/customers.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { CustomerAction } from '../../storage/model/common.ts';
import type { CustomerSession as Session } from '../../tenancy/apiKeyCache.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import {
  createCustomerSession,
  customerActions,
  findCustomerSession,
  listCustomerSessions,
  revokeCustomerSession,
  type CustomerSessionRow,
} from './sessions.ts';

const CustomerActions = Object.fromEntries(customerActions.map((action) => [action, action]));
registerEnumType(CustomerActions, {
  name: 'CustomerAction',
  description:
    "What a customer's session may do besides reading, as far as the settings of the portal permit it.",
  valuesConfig: {
    subscribe: { description: 'Order a subscription: `createSubscriptionIntent`.' },
    change_subscription: { description: 'Change the plan, the quantity and add-ons: `changeSubscription`.' },
    cancel_subscription: {
      description: 'Cancel, and revert it: `cancelSubscription`, `uncancelSubscription`.',
    },
    apply_discount: { description: 'Redeem a promotion code: `applyDiscount`.' },
    pay_invoice: { description: 'Pay an open invoice with the saved method: `payInvoice`.' },
    update_customer: {
      description: 'Change their own names, company, address, tax ids and language: `updateCustomer`.',
    },
    manage_payment_methods: {
      description:
        'Open the page of the payment methods: `createPortalSession` with the flow `payment_method`.',
    },
  },
});

@Extensions(refetchBy(({ read }, id) => findCustomerSession(read, id)))
@ObjectType('CustomerSession', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A session of a customer in a page of yours, whose token calls GraphQL. Its times are real, even if a test tenant has its ' +
    'own clock.',
})
class CustomerSession extends Node {
  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

  @Field(() => [CustomerActions], { description: 'What it may do besides reading.' })
  allow!: string[];

  @Field(() => DateTime, { description: 'When it ends.' })
  expiresAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked.' })
  revokedAt!: string | null;

  @Field(() => DateTime, { description: 'When it began.' })
  createdAt!: string;
}

@ObjectType('CreatedCustomerSession', { description: 'A new session of a customer.' })
class CreatedCustomerSession {}

@ObjectType('Viewer', { simpleResolvers: true, description: 'The customer whose session sends the request.' })
export class Viewer {
  @Extensions(openToCustomers)
  @Field(() => [CustomerActions], { description: 'What the session may do besides reading.' })
  allow!: string[];

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When the session ends.' })
  expiresAt!: string;
}

@InputType({ description: 'A session of a customer to begin.' })
class CreateCustomerSessionInput {
  @Field(() => ID, { nullable: true, description: 'The customer, or `associatedId`.' })
  customerId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The customer's id in your own system, or `customerId`.",
  })
  associatedId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How long it lasts, 60 to 86,400 seconds. Default: 3,600.',
  })
  expiresInSeconds?: number | null;

  @Field(() => [CustomerActions], {
    nullable: true,
    description: 'What it may do, as far as the settings of the portal permit it. Default: only read.',
  })
  allow?: CustomerAction[] | null;
}

const CustomerSessionConnection = defineConnection<CustomerSessionRow>(
  'CustomerSession',
  () => CustomerSession,
);

const sessionId = { description: 'The session.' };

@Resolver(() => CreatedCustomerSession)
export class CreatedCustomerSessionResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The token that the page sends as `Authorization: Bearer`. It is shown only now and stored nowhere: null in the response ' +
      'to a repeat of the request.',
  })
  token(@Ctx() { tenant }: Context, @Root() { id }: CustomerSessionRow): string | null {
    return tenant.newKeys?.get(id) ?? null;
  }

  @FieldResolver(() => DateTime, { description: 'When it ends.' })
  expiresAt(@Root() { expiresAt }: CustomerSessionRow): string {
    return expiresAt;
  }

  @FieldResolver(() => CustomerSession, { description: 'The session.' })
  session(@Root() session: CustomerSessionRow): CustomerSessionRow {
    return session;
  }
}

@Resolver(() => Viewer)
export class ViewerResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Customer, { description: 'The customer.' })
  customer(@Ctx() { tenant }: Context, @Root() { customerId }: Session): MaybePromise<CustomerRow> {
    return findCustomer(tenant.read, customerId);
  }

  @Query(() => Viewer, {
    nullable: true,
    description: 'Returns the customer whose session sends the request; null for an API key and an operator.',
    permission: 'read',
    openTo: { customer: { args: [] } },
    reasons: [],
  })
  viewer(@Ctx() { session }: Context, @CurrentTenant() _tenant: TenantScope): Session | null {
    return session ?? null;
  }
}

@Resolver(() => CustomerSession)
export class CustomerSessionResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: CustomerSessionRow) {
    return context.byId('customers', customerId);
  }

  @Query(() => CustomerSession, {
    nullable: true,
    description: 'Returns a session of a customer by id.',
    permission: 'read',
    reasons: ['customer_session_not_found'],
  })
  customerSession(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, sessionId) id: string,
  ): Promise<CustomerSessionRow> {
    return findCustomerSession(tenant.read, id);
  }

  @Query(() => CustomerSessionConnection, {
    nullable: true,
    description: 'Lists the sessions of a customer. Those that ended 30 days ago are deleted.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async customerSessions(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
  ) {
    return new CustomerSessionConnection(await listCustomerSessions(tenant, customerId, page));
  }

  @Mutation(() => CreatedCustomerSession, {
    nullable: true,
    description:
      'Begins a session of a customer, whose token your page sends as `Authorization: Bearer`: it reads what belongs to the ' +
      'customer (`viewer`) and does what `allow` and the settings of the portal permit. Call it from your server, for the ' +
      'customer who is signed in there. The session ends with its time, by `revokeCustomerSession` and with its customer.',
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  createCustomerSession(
    @Ctx() { permissions }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCustomerSessionInput, { description: 'The session.' })
    input: CreateCustomerSessionInput,
  ): Promise<CustomerSessionRow> {
    return createCustomerSession(tenant, input, permissions, ({ id }, token) =>
      (tenant.newKeys ??= new Map()).set(id, token),
    );
  }

  @Mutation(() => CustomerSession, {
    nullable: true,
    description: 'Ends a session of a customer; every server refuses it within a second.',
    permission: 'manage_customers',
    reasons: ['customer_session_not_found'],
  })
  revokeCustomerSession(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, sessionId) id: string,
  ): Promise<CustomerSessionRow> {
    return tenant.write((unit) => revokeCustomerSession(unit, id, tenant.serviceNow()));
  }
}
