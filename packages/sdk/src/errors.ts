import type { Reason } from './generated/reasons.ts';
import type { ClientReason } from './options.ts';

/** An amount as an issue has it. */
interface IssueAmount {
  amount: number;
  decimal: string;
  currency: string;
}

/** A problem with one field of a request. */
export interface Issue {
  /** The field, such as `input.prices.0.details.amount`. */
  path: string;
  message: string;
  /** What is wrong, for programs. */
  code?: string;
  /** Where the payer must confirm, for `payment_action_required`. */
  actionUrl?: string;
  /** Why the charge was declined, for `payment_failed`. */
  declineCode?: string;
  /** What would be charged, for `amount_changed`. */
  total?: IssueAmount;
  /** The most that is possible. */
  left?: IssueAmount;
  [detail: string]: unknown;
}

/** How an error is described. */
export interface Failure {
  reason: Reason | ClientReason;
  message: string;
  /** The HTTP status of the reason; 0 without a response. */
  status: number;
  issues?: Issue[];
  retryAfterMs?: number;
  cause?: unknown;
}

/** Adds the first field that is wrong to the message, so that a log says what it is about. */
function describe(message: string, [issue]: readonly Issue[]): string {
  if (!issue?.path) return message;
  // Errors of GraphQL itself repeat the message in the issue.
  if (issue.message.startsWith(message)) return `${issue.path}: ${message}`;
  return `${message.replace(/\.$/, '')}: ${issue.path}: ${issue.message}`;
}

/** A request that was refused or failed. Its class says which kind of `status` it has, and `reason` why. */
export class PerennialError extends Error {
  override readonly name: string = 'PerennialError';
  readonly reason: Reason | ClientReason;
  readonly status: number;
  readonly issues: readonly Issue[];
  /** How long the server asks to wait before a repeat. */
  readonly retryAfterMs: number | undefined;

  constructor({ reason, message, status, issues = [], retryAfterMs, cause }: Failure) {
    super(describe(message, issues), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.issues = issues;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The request is not valid (400, 413, 415, 422): `issues` names the fields. */
export class InvalidRequestError extends PerennialError {
  override readonly name = 'InvalidRequestError';
}

/** The key is missing, unknown, revoked or expired (401). */
export class AuthenticationError extends PerennialError {
  override readonly name = 'AuthenticationError';
}

/** The key may only ask for this (202): the issue `actionRequest` has the id of the request, which others approve. */
export class ApprovalRequiredError extends PerennialError {
  override readonly name = 'ApprovalRequiredError';
}

/** The charge was declined, or the payer has to confirm it (402). */
export class PaymentError extends PerennialError {
  override readonly name = 'PaymentError';
}

/** The key may not do this (403). */
export class PermissionError extends PerennialError {
  override readonly name = 'PermissionError';
}

/** There is no such record (404). */
export class NotFoundError extends PerennialError {
  override readonly name = 'NotFoundError';
}

/** The state of a record does not allow this (409). */
export class ConflictError extends PerennialError {
  override readonly name = 'ConflictError';
}

/** Too many requests (429). */
export class RateLimitError extends PerennialError {
  override readonly name = 'RateLimitError';
}

/** The server failed, or is not available (5xx). */
export class ServerError extends PerennialError {
  override readonly name = 'ServerError';
}

/** There was no response, or none of the server: the mutation may have been made, so repeat it with the same key only. */
export class ConnectionError extends PerennialError {
  override readonly name = 'ConnectionError';
}

const classes: Record<number, typeof PerennialError> = {
  0: ConnectionError,
  202: ApprovalRequiredError,
  401: AuthenticationError,
  402: PaymentError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** Builds the error of a failure, by its status. */
export function createError(failure: Failure): PerennialError {
  const Class = classes[failure.status] ?? (failure.status >= 500 ? ServerError : InvalidRequestError);
  return new Class(failure);
}

const repeatable = new Set<string>([
  'connection_failed',
  'timed_out',
  'response_invalid',
  'unavailable',
  'outcome_unknown',
  'request_in_flight',
  'rate_limited',
]);

/** Whether the same request may succeed later. */
export const isRepeatable = ({ reason }: PerennialError): boolean => repeatable.has(reason);
