import { instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, type JsonObject } from './common.ts';

export const actionRequestStatuses = [
  'pending',
  'approved',
  'declined',
  'withdrawn',
  'expired',
  'failed',
] as const;

export type ActionRequestStatus = (typeof actionRequestStatuses)[number];

/** What an amount of a preview is. */
export const actionAmountKinds = [
  'refund',
  'to_balance',
  'credit_note',
  'charge',
  'payment',
  'invoice',
  'from_balance',
  'next_invoice',
  'voided',
  'uncollectible',
  'credit_granted',
  'credit_voided',
  'recurring_before',
  'recurring_after',
] as const;

export type ActionAmountKind = (typeof actionAmountKinds)[number];

/** An amount of money, in minor units as text, or credits of a credit type. */
export type ActionAmount = { kind: ActionAmountKind } & (
  { amountMinor: string; currency: string } | { credits: string; creditTypeId: string }
);

/** What an operation would do. */
export interface ActionPreview {
  /** Names the amounts and the changes: the same for the same ones. */
  version: string;
  /** The sum of each kind and currency. */
  amounts: ActionAmount[];
  /** The events that would be recorded; `resourceId` is null for what would be created. */
  changes: { activityType: string; action: string; resourceId: string | null }[];
}

/** The reason and the message with which an operation was refused. */
export interface ActionFailure {
  reason: string;
  message: string;
}

/** Requests for operations that another one has to approve. */
export const approving = {
  actionRequests: table(
    'action_requests',
    {
      tenantAlias: text(),
      id: text(),
      /** The name of the mutation. */
      operation: text(),
      /** Its arguments, as a client writes them. */
      input: json<JsonObject>(),
      /** Why it is asked for. */
      reason: nullable(text()),
      preview: json<ActionPreview>(),
      /** The customer whom it concerns; null if it concerns none or several. */
      customerId: nullable(text()),
      /** The credential that asked: a key's id, or `operator:` and an id. */
      requestedBy: text(),
      /** The name of the key or of the operator, as it was then. */
      requestedByName: nullable(text()),
      requestedAt: instant(),
      expiresAt: instant(),
      status: text<ActionRequestStatus>(),
      /** The credential that approved, declined or withdrew it. */
      decidedBy: nullable(text()),
      decidedByName: nullable(text()),
      decidedAt: nullable(instant()),
      /** Why it was declined. */
      declineReason: nullable(text()),
      /** When the operation of an approved request had ended. */
      completedAt: nullable(instant()),
      /** What the operation returned. */
      resultId: nullable(text()),
      failure: nullable(json<ActionFailure>()),
    },
    {
      ...byTenant,
      indexes: {
        action_requests_requested: { columns: ['tenantAlias', 'requestedAt', 'id'] },
        action_requests_status: { columns: ['tenantAlias', 'status', 'requestedAt', 'id'] },
        action_requests_operation: { columns: ['tenantAlias', 'operation', 'requestedAt', 'id'] },
        action_requests_requester: { columns: ['tenantAlias', 'requestedBy', 'requestedAt', 'id'] },
        action_requests_customer: { columns: ['tenantAlias', 'customerId', 'requestedAt', 'id'] },
        action_requests_expiry: {
          columns: ['tenantAlias', 'expiresAt', 'id'],
          where: { status: 'pending' },
        },
        action_requests_begun: {
          columns: ['tenantAlias', 'decidedAt', 'id'],
          where: { status: 'approved', completedAt: null },
        },
      },
      foreign: tenantKey,
    },
  ),
};
