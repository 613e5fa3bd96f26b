/** Approving a request: its operation is performed once, by the right of who approves it. */
import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import { authorizeUse } from '../../graphql/authorization.ts';
import type { Context } from '../../graphql/context.ts';
import { getDeclaration } from '../../graphql/operations.ts';
import { BillingError, isTransient, refuse, type Reason } from '../../lib/errors.ts';
import type { ActionPreview } from '../../storage/model/approvals.ts';
import type { IdempotentRequest } from '../../tenancy/idempotency.ts';
import type { Supervise } from '../../tenancy/scopeOptions.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { describeCaller } from './askFor.graphql.ts';
import { describeUnit } from './preview.ts';
import { execute, findProposable, type Proposable } from '../../graphql/proposable.ts';
import {
  approveRequest,
  completeRequest,
  declineRequest,
  describeFailure,
  failRequest,
  findRequest,
  nameApproval,
  refuseClosed,
  renewPreview,
  type Decider,
  type RequestRow,
} from './requests.ts';

/** Refusals of the caller and of the moment, which leave a request as it is. */
const refusalsOfCaller: ReadonlySet<Reason> = new Set<Reason>([
  'permission_missing',
  'step_up_required',
  'sign_in_required',
  'tenant_missing',
  'insufficient_scope',
  'action_request_not_found',
  'action_request_closed',
  'action_request_changed',
]);

/**
 * Approves a request and performs its operation, once: whoever approves it at the same time waits for the outcome or is refused.
 * `previewVersion` names the preview that was seen. Returns the request, with its `failure` if the operation was refused.
 * Errors: `action_request_not_found`, `action_request_own`, `action_request_closed`, `action_request_changed`,
 * `permission_missing`, `step_up_required`, `request_in_flight`, `unavailable`.
 */
export async function approveAction(
  context: Context,
  schema: GraphQLSchema,
  id: string,
  previewVersion: string,
): Promise<RequestRow> {
  const { tenant } = context;
  const approver = describeCaller(context);
  const request = await findRequest(tenant.primaryReads, id);
  const action = findProposable(schema, request.operation) ?? refuse('action_request_closed');
  authorizeUse(context, { permission: getDeclaration(action.field).permission }, {}, true);
  refuseOwn(request, approver);
  if (request.status === 'approved' && request.decidedBy === approver.id) {
    if (request.completedAt !== null) return request;
  } else refuseClosed(request, tenant.now());
  let changed: ActionPreview | undefined;
  const onChange = (preview: ActionPreview) => {
    changed = preview;
  };
  const performed = supervise(request, { approver, previewVersion, onChange });
  try {
    const resultId = await perform(context, action, request, performed);
    const done = await tenant.write((unit) => completeRequest(unit, id, resultId));
    return done.status === 'pending'
      ? await fail(context, id, new BillingError('action_without_effect'))
      : done;
  } catch (error) {
    if (changed) await tenant.writeStep((unit) => renewPreview(unit, id, changed!));
    if (!(error instanceof BillingError) || isTransient(error.reason) || refusalsOfCaller.has(error.reason))
      throw error;
    return fail(context, id, error);
  }
}

const fail = (context: Context, id: string, error: BillingError): Promise<RequestRow> =>
  context.tenant.write((unit) => failRequest(unit, id, describeCaller(context), describeFailure(error)));

/** Refuses the decision of who asked. Error: `action_request_own`. */
function refuseOwn({ requestedBy }: RequestRow, { id }: Decider): void {
  if (requestedBy === id) refuse('action_request_own');
}

function perform(
  context: Context,
  action: Proposable,
  request: RequestRow,
  supervised: Supervise,
): Promise<string | undefined> {
  const { id, operation, input, requestedBy } = request;
  const { tenant } = context;
  const hash = createHash('sha256')
    .update(JSON.stringify([operation, input]))
    .digest('hex');
  const once: IdempotentRequest = { key: nameApproval(request.id), hash, at: tenant.serviceNow() };
  const approval = { actionRequestId: id, requestedBy };
  const scope = tenant.openSupervised(supervised, { approval, request: once });
  return execute(action, context.openWithin('approval', scope), input);
}

/** Makes the unit of work in which an operation is decided that of its approval, too. */
function supervise(
  asked: RequestRow,
  terms: { approver: Decider; previewVersion: string; onChange: (preview: ActionPreview) => void },
): Supervise {
  const { approver, previewVersion, onChange } = terms;
  return async (unit, rule) => {
    const request = await findRequest(unit, asked.id);
    if (request.status === 'approved' && request.decidedBy === approver.id && (await isBegun(unit, request)))
      return rule(unit);
    refuseClosed(request, unit.now);
    await approveRequest(unit, request, approver);
    const value = await rule(unit);
    const preview = await describeUnit(unit);
    if (preview.version === previewVersion) return value;
    onChange(preview);
    return refuse('action_request_changed', { path: 'previewVersion', message: `is now ${preview.version}` });
  };
}

/** Whether an execution of the operation has begun, which this one continues. */
const isBegun = async (unit: UnitOfWork, request: RequestRow): Promise<boolean> =>
  (await unit.one('idempotency', { idempotencyKey: nameApproval(request.id), field: request.operation })) !==
  undefined;

/**
 * Declines a request. Errors: `action_request_not_found`, `action_request_own`, `action_request_closed`, `permission_missing`,
 * `validation_failed`.
 */
export async function declineAction(
  context: Context,
  schema: GraphQLSchema,
  id: string,
  input: { reason?: string | null },
): Promise<RequestRow> {
  const { tenant } = context;
  const decider = describeCaller(context);
  const request = await findRequest(tenant.primaryReads, id);
  const field = findProposable(schema, request.operation)?.field;
  // Declining does nothing that needs a recent sign-in.
  if (field) authorizeUse(context, { permission: getDeclaration(field).permission }, {}, false);
  refuseOwn(request, decider);
  return tenant.write((unit) => declineRequest(unit, id, decider, input));
}
