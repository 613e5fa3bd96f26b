/** Requests for actions: who asked for what, until when, and what became of it. */
import * as z from 'zod';
import { dayMs, minuteMs } from '../../lib/durations.ts';
import { catalogue, notInFuture, refuse, tooFarAhead, type Issue, type Reason } from '../../lib/errors.ts';
import { addMs, parseInstant } from '../../lib/time.ts';
import { name as shortText, parseInput } from '../../lib/validation.ts';
import type { ActionFailure, ActionPreview, ActionRequestStatus } from '../../storage/model/approvals.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refusePermission } from '../../tenancy/actor.ts';
import { decodeOutcome } from '../../tenancy/idempotencyOutcome.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type RequestRow = Row<'actionRequests'>;

const standardDays = 7;
const longestRequestDays = 90;
const shortestRequestMs = 5 * minuteMs;
const requestsPerBatch = 100;

/** Who asks or decides: a key, or an operator. */
export interface Decider {
  /** A key's id, or `operator:` and an id. */
  id: string;
  /** The name of the operator; null for a key, whose name is read from its record. */
  name: string | null;
}

const reasonText = shortText.nullish().transform((text) => text ?? null);

const requestTerms = z.object({
  reason: reasonText,
  expiresAt: z.string().nullish(),
});

/** The terms of a request: why it is asked for, and until when it can be approved. */
export type RequestTerms = z.input<typeof requestTerms>;

/** What is asked for. */
interface Asked {
  operation: string;
  input: Record<string, unknown>;
  preview: ActionPreview;
  customerId: string | null;
}

/** Checks the terms of a request; without an expiry they have the standard one. Error: `validation_failed`. */
export function parseTerms(
  tenant: Pick<TenantScope, 'now' | 'record'>,
  terms: RequestTerms,
): { reason: string | null; expiresAt: string | undefined } {
  const { reason, expiresAt: given } = parseInput(requestTerms, terms);
  if (!given) return { reason, expiresAt: undefined };
  const now = tenant.now();
  const expiresAt = parseInstant(given, tenant.record.timezone, 'expiresAt');
  if (expiresAt <= now) refuse('validation_failed', { path: 'expiresAt', ...notInFuture });
  if (expiresAt < addMs(now, shortestRequestMs))
    refuse('validation_failed', { path: 'expiresAt', message: 'must be at least 5 minutes ahead' });
  if (expiresAt > addMs(now, longestRequestDays * dayMs))
    refuse('validation_failed', { path: 'expiresAt', ...tooFarAhead(longestRequestDays) });
  return { reason, expiresAt };
}

/** Records a request. */
export async function createRequest(
  unit: UnitOfWork,
  asker: Decider,
  asked: Asked,
  terms: ReturnType<typeof parseTerms>,
): Promise<RequestRow> {
  return unit.create('actionRequests', {
    id: unit.id('areq'),
    ...asked,
    reason: terms.reason,
    expiresAt: terms.expiresAt ?? addMs(unit.now, standardDays * dayMs),
    requestedBy: asker.id,
    requestedByName: await findName(unit, asker),
    requestedAt: unit.now,
    status: 'pending',
  });
}

/** Returns the name of a key or an operator. */
async function findName(unit: UnitOfWork, { id, name }: Decider): Promise<string | null> {
  return name ?? (await unit.one('apiKeys', { id }))?.name ?? null;
}

/** Returns the request with this id. Error: `action_request_not_found`. */
export const findRequest = async (reads: Reads, id: string): Promise<RequestRow> =>
  (await reads.one('actionRequests', { id })) ?? refuse('action_request_not_found');

interface RequestFilter {
  status?: ActionRequestStatus | null;
  operation?: string | null;
  requestedBy?: string | null;
  customerId?: string | null;
}

/** Lists requests; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listRequests(
  tenant: TenantScope,
  { status, operation, requestedBy, customerId }: RequestFilter,
  args: PageArgs,
): Promise<Page<RequestRow>> {
  const where = {
    ...(status && { status }),
    ...(operation && { operation }),
    ...(requestedBy && { requestedBy }),
    ...(customerId && { customerId }),
  };
  const list = { name: 'actionRequests', table: 'actionRequests', where } as const;
  return readPage(tenant, { ...list, by: ['requestedAt', 'id'] }, args);
}

/** Refuses a request that was decided, or is over. Error: `action_request_closed`. */
export function refuseClosed({ status, expiresAt }: RequestRow, now: string): void {
  const state = status === 'pending' && expiresAt <= now ? 'expired' : status;
  if (state !== 'pending') refuse('action_request_closed', { path: 'id', message: `is ${state}` });
}

/** Returns the columns of a decision. */
const decide = async (unit: UnitOfWork, decider: Decider) => ({
  decidedBy: decider.id,
  decidedByName: await findName(unit, decider),
  decidedAt: unit.now,
});

/** Approves a pending request: the unit that does so begins its operation. */
export async function approveRequest(
  unit: UnitOfWork,
  request: RequestRow,
  approver: Decider,
): Promise<RequestRow> {
  const decision = { status: 'approved' as const, ...(await decide(unit, approver)) };
  return unit.change('actionRequests', request, decision, { action: 'approved' });
}

/** Records that the operation of an approved request has ended, and what it returned; repeating it changes nothing. */
export async function completeRequest(
  unit: UnitOfWork,
  id: string,
  resultId: string | undefined,
): Promise<RequestRow> {
  const request = await findRequest(unit, id);
  if (request.status !== 'approved' || request.completedAt !== null) return request;
  const completed = { completedAt: unit.now, resultId: resultId ?? null };
  return unit.change('actionRequests', request, completed, { action: 'completed' });
}

/** The idempotency key under which the operation of a request is performed. One with a space is no client's. */
export const nameApproval = (id: string): string => `approval ${id}`;

/** Describes a refusal with its first issue. */
export function describeFailure({ reason, issues }: { reason: Reason; issues: Issue[] }): ActionFailure {
  const { message } = catalogue[reason];
  const [issue] = issues;
  return { reason, message: issue ? `${message} ${issue.path}: ${issue.message}` : message };
}

/** Records that the operation of a request was refused: nothing was done, or not all of it. */
export async function failRequest(
  unit: UnitOfWork,
  id: string,
  approver: Decider | undefined,
  failure: ActionFailure,
): Promise<RequestRow> {
  const request = await findRequest(unit, id);
  if (request.status !== 'pending' && request.status !== 'approved') return request;
  const decision = request.status === 'pending' && approver ? await decide(unit, approver) : {};
  const failed = { status: 'failed' as const, failure, completedAt: unit.now, ...decision };
  return unit.change('actionRequests', request, failed, { action: 'failed' });
}

/** Keeps what the operation of a pending request would do now. */
export async function renewPreview(
  unit: UnitOfWork,
  id: string,
  preview: ActionPreview,
): Promise<RequestRow> {
  const request = await findRequest(unit, id);
  return request.status === 'pending' ? unit.change('actionRequests', request, { preview }) : request;
}

const refusal = z.object({ reason: reasonText });

/** Declines a pending request. Errors: `action_request_not_found`, `action_request_closed`, `validation_failed`. */
export async function declineRequest(
  unit: UnitOfWork,
  id: string,
  decider: Decider,
  input: z.input<typeof refusal>,
): Promise<RequestRow> {
  const { reason: declineReason } = parseInput(refusal, input);
  const request = await findRequest(unit, id);
  refuseClosed(request, unit.now);
  const declined = { status: 'declined' as const, declineReason, ...(await decide(unit, decider)) };
  return unit.change('actionRequests', request, declined, { action: 'declined' });
}

/**
 * Withdraws a pending request: who asked may, and who may change all settings. Errors: `action_request_not_found`,
 * `action_request_closed`, `permission_missing`.
 */
export async function withdrawRequest(
  unit: UnitOfWork,
  id: string,
  { mayWithdrawAll, ...asker }: Decider & { mayWithdrawAll: boolean },
): Promise<RequestRow> {
  const request = await findRequest(unit, id);
  if (!mayWithdrawAll && request.requestedBy !== asker.id) refusePermission('manage_settings');
  refuseClosed(request, unit.now);
  const withdrawn = { status: 'withdrawn' as const, ...(await decide(unit, asker)) };
  return unit.change('actionRequests', request, withdrawn, { action: 'withdrawn' });
}

/**
 * Ends approved requests whose execution was interrupted: by what their idempotency records say, or once those
 * are forgotten. What is left of an operation, such as a refund that was begun, is continued as for any other. Returns how many.
 */
export async function endInterrupted(tenant: TenantScope): Promise<number> {
  const begun = await tenant.read.many('actionRequests', {
    where: { status: 'approved', completedAt: null },
    orderBy: ['decidedAt', 'id'],
    limit: requestsPerBatch,
  });
  if (begun.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let ended = 0;
    for (const { id, operation } of begun) {
      const record = await unit.one('idempotency', { idempotencyKey: nameApproval(id), field: operation });
      const outcome = record?.outcome ? decodeOutcome(record.outcome) : undefined;
      if (record && !outcome) continue;
      if (outcome && 'reason' in outcome) await failRequest(unit, id, undefined, describeFailure(outcome));
      else await completeRequest(unit, id, (outcome?.value as { id?: string } | undefined)?.id);
      ended += 1;
    }
    return ended;
  });
}

/** Lists the pending requests that expire until `end`, the first ones first. */
export const listExpiring = (reads: Reads, end: string, limit: number) =>
  reads.many('actionRequests', {
    where: { status: 'pending', expiresAt: { to: end } },
    orderBy: ['expiresAt', 'id'],
    limit,
  });

/** Records that requests have expired by `now`; returns how many. */
export async function expireRequests(tenant: TenantScope, now: string): Promise<number> {
  const due = await listExpiring(tenant.read, now, requestsPerBatch);
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let expired = 0;
    for (const { id } of due) {
      const request = await findRequest(unit, id);
      if (request.status !== 'pending') continue;
      await unit.change('actionRequests', request, { status: 'expired' }, { action: 'expired' });
      expired += 1;
    }
    return expired;
  });
}
