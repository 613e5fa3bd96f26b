import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { openToCustomers } from '../../graphql/openness.ts';
import { Query, Mutation, type CustomerUse } from '../../graphql/operations.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, UrlScalar } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import { listActionPermissions } from '../customers/sessions.ts';
import {
  buildLinkPath,
  createPortalSession,
  findPortalSession,
  listPortalSessions,
  portalFlows,
  revokePortalSession,
  type IssuedSession,
  type PortalSessionRow,
} from './sessions.ts';

const PortalFlowType = Object.fromEntries(portalFlows.map((flow) => [flow, flow]));
registerEnumType(PortalFlowType, {
  name: 'PortalFlowType',
  description: 'The page that a portal link opens.',
  valuesConfig: {
    overview: { description: 'The subscriptions and their next invoices.' },
    cancel: { description: 'The cancellation of a subscription.' },
    change_plan: { description: 'The change of a plan, its quantity and its add-ons.' },
    payment_method: { description: 'The payment methods.' },
    invoices: { description: 'The invoices and credit notes.' },
    details: { description: 'The details on invoices.' },
  },
});

@ObjectType('PortalFlow', { simpleResolvers: true, description: 'The page that a portal link opens.' })
class PortalFlowObject {
  @Field(() => PortalFlowType, { description: 'The page.' })
  type!: string;

  @Field(() => ID, { nullable: true, description: 'The subscription, for `cancel` and `change_plan`.' })
  subscriptionId!: string | null;
}

@Extensions(refetchBy(({ read }, id) => findPortalSession(read, id)))
@ObjectType('PortalSession', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A session of the customer portal, begun by a one-use link or by a code. Its times are real, even if a test tenant ' +
    'has its own clock.',
})
class PortalSession extends Node {
  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

  @Field(() => PortalFlowObject, {
    nullable: true,
    description: 'The page that its link opens; null for the overview.',
  })
  flow!: PortalFlowObject | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description: "The address of the link back to the seller's site.",
  })
  returnUrl!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When its link was used; null if it was not.' })
  linkUsedAt!: string | null;

  @Field(() => DateTime, { description: 'When the link ends; once it was used, when the session ends.' })
  expiresAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked or signed out.' })
  revokedAt!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;
}

@ObjectType('CreatedPortalSession', { simpleResolvers: true, description: 'A portal session and its link.' })
class CreatedPortalSession {
  @Field(() => PortalSession, { description: 'The session.' })
  session!: PortalSession;
}

@InputType({ description: 'The page that a portal link opens.' })
class PortalFlowInput {
  @Field(() => PortalFlowType, { description: 'The page.' })
  type!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The subscription; required for `cancel` and `change_plan`.',
  })
  subscriptionId?: string | null;
}

@InputType({ description: 'A portal session to create.' })
class CreatePortalSessionInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => PortalFlowInput, { nullable: true, description: 'The page to open. Default: the overview.' })
  flow?: PortalFlowInput | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      "The http or https URL of the link back to your site. Default: that of the portal's settings.",
  })
  returnUrl?: string | null;
}

const PortalSessionConnection = defineConnection<PortalSessionRow>('PortalSession', () => PortalSession);

const sessionId = { description: 'The session.' };

/** Customers get a link to the page of their payment methods, of which the portal shows as much as it has. */
const methodPageUse: CustomerUse = {
  args: ['input.customerId', 'input.flow', 'input.returnUrl'],
  action: 'manage_payment_methods',
  own: { 'input.customerId': 'customers' },
  findForbidden: ({ record }, { input }: { input: CreatePortalSessionInput }) =>
    input.flow?.type === 'payment_method' && findPortalSettings(record).paymentMethods
      ? undefined
      : 'input.flow',
};

@Resolver(() => CreatedPortalSession)
export class CreatedPortalSessionResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => UrlScalar, {
    description: 'The URL that signs the customer in, once, within 12 hours. It is not shown again.',
  })
  url(@Ctx() { tenant, publicUrl }: Context, @Root() { sealedToken }: IssuedSession): string {
    return publicUrl + buildLinkPath(tenant.alias, tenant.reveal(sealedToken));
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => DateTime, { description: 'When the URL expires.' })
  expiresAt(@Root() { session }: IssuedSession): string {
    return session.expiresAt;
  }
}

@Resolver(() => PortalSession)
export class PortalSessionResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: PortalSessionRow) {
    return context.byId('customers', customerId);
  }

  @Query(() => PortalSession, {
    nullable: true,
    description: 'Returns a portal session by id.',
    permission: 'read',
    reasons: ['portal_session_not_found'],
  })
  portalSession(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, sessionId) id: string,
  ): Promise<PortalSessionRow> {
    return findPortalSession(tenant.read, id);
  }

  @Query(() => PortalSessionConnection, {
    nullable: true,
    description: 'Lists the portal sessions of a customer. Those that ended 30 days ago are deleted.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async portalSessions(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
  ) {
    return new PortalSessionConnection(await listPortalSessions(tenant, customerId, page));
  }

  @Mutation(() => CreatedPortalSession, {
    nullable: true,
    description:
      'Creates a link by which a customer signs in to the portal once. Who opens it does only what its maker may do: a link ' +
      'made by an operator without `manage_subscriptions` cancels nothing.',
    permission: 'manage_customers',
    openTo: { customer: methodPageUse },
    reasons: ['customer_not_found', 'subscription_not_found'],
  })
  createPortalSession(
    @Ctx() { permissions, session }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreatePortalSessionInput, { description: 'The session.' })
    input: CreatePortalSessionInput,
  ): Promise<IssuedSession> {
    return createPortalSession(tenant, input, session ? listActionPermissions(session.allow) : permissions);
  }

  @Mutation(() => PortalSession, {
    nullable: true,
    description: 'Ends a portal session and its link at once.',
    permission: 'manage_customers',
    reasons: ['portal_session_not_found'],
  })
  revokePortalSession(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, sessionId) id: string,
  ): Promise<PortalSessionRow> {
    return tenant.write((unit) => revokePortalSession(unit, id, tenant.serviceNow()));
  }
}
