import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, FieldResolver, ID, Info, InputType, Resolver, Root } from 'type-graphql';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { getDeclaration, Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import type { ActionRequestStatus } from '../../storage/model/approvals.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { needsStepUp, type Permission } from '../../tenancy/permissions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { PermissionEnum } from '../operators/operatorTypes.graphql.ts';
import {
  ActionPreviewType,
  ActionRequest,
  ActionRequestStatusEnum,
  showAmount,
} from './actionRequestTypes.graphql.ts';
import { approveAction, declineAction } from './approve.graphql.ts';
import { describeCaller, proposeAction } from './askFor.graphql.ts';
import { findProposable } from '../../graphql/proposable.ts';
import { findRequest, listRequests, withdrawRequest, type RequestRow } from './requests.ts';

@InputType({ description: 'An operation to ask for.' })
class ProposeActionInput {
  @Field(() => String, { description: 'The name of the mutation, such as `refundInvoice`.' })
  operation!: string;

  @Field(() => ID, { nullable: true, description: 'Its `id`, if it takes one.' })
  id?: string | null;

  @Field(() => JSONObject, { nullable: true, description: 'Its `input`, if it takes one.' })
  input?: Record<string, unknown> | null;

  @Field(() => String, { nullable: true, description: 'Why it is asked for, at most 200 characters.' })
  reason?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when it can be approved: 5 minutes to 90 days ahead. Default: in 7 days.',
  })
  expiresAt?: string | null;
}

@InputType({ description: 'What is approved.' })
class ApproveActionRequestInput {
  @Field(() => String, { description: 'The `version` of the preview that was seen.' })
  previewVersion!: string;
}

@InputType({ description: 'Why a request is declined.' })
class DeclineActionRequestInput {
  @Field(() => String, { nullable: true, description: 'The reason, at most 200 characters.' })
  reason?: string | null;
}

const ActionRequestConnection = defineConnection<RequestRow>('ActionRequest', () => ActionRequest);

const id = { description: 'The request.' };

@Resolver(() => ActionRequest)
export class ActionRequestResolver {
  @FieldResolver(() => ActionPreviewType, {
    description:
      'What the operation would do, or did, as of the request or of the last attempt to approve it.',
  })
  preview(@Root() { preview }: RequestRow): ActionPreviewType {
    return { ...preview, amounts: preview.amounts.map(showAmount) };
  }

  @FieldResolver(() => Customer, {
    nullable: true,
    description: 'The customer; null if there is none, or deleted.',
  })
  customer(
    @Ctx() context: Context,
    @Root() { customerId }: RequestRow,
  ): Promise<Row<'customers'> | null> | null {
    return customerId === null ? null : context.byId('customers', customerId);
  }

  @FieldResolver(() => PermissionEnum, {
    nullable: true,
    description:
      'The permission that who decides needs; null for an operation that this release does not have.',
  })
  permission(@Info() { schema }: GraphQLResolveInfo, @Root() { operation }: RequestRow): Permission | null {
    const action = findProposable(schema, operation);
    return action ? (getDeclaration(action.field).permission as Permission) : null;
  }

  @FieldResolver(() => Boolean, { description: 'Whether operators need a recent sign-in to approve it.' })
  needsStepUp(@Info() { schema }: GraphQLResolveInfo, @Root() { operation }: RequestRow): boolean {
    const action = findProposable(schema, operation);
    return action !== undefined && needsStepUp(getDeclaration(action.field).permission as Permission, true);
  }

  @Query(() => ActionRequest, {
    nullable: true,
    description: 'Returns a request for an action by id.',
    permission: 'read',
    reasons: ['action_request_not_found'],
  })
  actionRequest(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) requestId: string,
  ): Promise<RequestRow> {
    return findRequest(tenant.read, requestId);
  }

  @Query(() => ActionRequestConnection, {
    nullable: true,
    description: 'Lists requests for actions.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async actionRequests(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('status', () => ActionRequestStatusEnum, { nullable: true, description: 'Filter by status.' })
    status?: ActionRequestStatus | null,
    @Arg('operation', () => String, { nullable: true, description: 'Filter by operation.' })
    operation?: string | null,
    @Arg('requestedBy', () => String, { nullable: true, description: 'Filter by who asked.' })
    requestedBy?: string | null,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string | null,
  ) {
    const filter = { status, operation, requestedBy, customerId };
    return new ActionRequestConnection(await listRequests(tenant, filter, page));
  }

  @Mutation(() => ActionRequest, {
    nullable: true,
    description:
      'Asks for an operation that moves money or cannot be undone, which is not performed until somebody with its permission ' +
      'approves it. It is refused for the reasons of the operation. A key with `propose` that calls the operation itself asks for ' +
      'it, too: the error names the request.',
    permission: 'propose',
    proposes: true,
    work: { cost: 200 },
    reasons: ['action_without_effect'],
  })
  proposeAction(
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg('input', () => ProposeActionInput, { description: 'The operation.' }) input: ProposeActionInput,
  ): Promise<RequestRow> {
    return proposeAction(context, schema, input);
  }

  @Mutation(() => ActionRequest, {
    nullable: true,
    description:
      'Approves a request and performs its operation, once, by the permission of the caller, who also needs that of the operation, ' +
      'and its recent sign-in. If the operation would do something else than was seen, it is not performed: the request has the ' +
      'new preview then. If the operation is refused, the request has failed.',
    permission: 'propose',
    work: { cost: 200 },
    reasons: [
      'action_request_not_found',
      'action_request_own',
      'action_request_closed',
      'action_request_changed',
    ],
  })
  approveActionRequest(
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg('id', () => ID, id) requestId: string,
    @Arg('input', () => ApproveActionRequestInput, { description: 'What was seen.' })
    { previewVersion }: ApproveActionRequestInput,
  ): Promise<RequestRow> {
    return approveAction(context, schema, requestId, previewVersion);
  }

  @Mutation(() => ActionRequest, {
    nullable: true,
    description: 'Declines a request, by the permission of its operation: nothing is done.',
    permission: 'propose',
    reasons: ['action_request_not_found', 'action_request_own', 'action_request_closed'],
  })
  declineActionRequest(
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg('id', () => ID, id) requestId: string,
    @Arg('input', () => DeclineActionRequestInput, { nullable: true, description: 'Why.' })
    input?: DeclineActionRequestInput | null,
  ): Promise<RequestRow> {
    return declineAction(context, schema, requestId, input ?? {});
  }

  @Mutation(() => ActionRequest, {
    nullable: true,
    description: 'Withdraws a request. Who asked may, and who has the permission `manage_settings`.',
    permission: 'propose',
    reasons: ['action_request_not_found', 'action_request_closed'],
  })
  withdrawActionRequest(
    @Ctx() context: Context,
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) requestId: string,
  ): Promise<RequestRow> {
    const mayWithdrawAll = context.permissions.includes('manage_settings');
    const caller = { ...describeCaller(context), mayWithdrawAll };
    return tenant.write((unit) => withdrawRequest(unit, requestId, caller));
  }
}
