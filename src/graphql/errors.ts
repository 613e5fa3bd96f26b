import { GraphQLError, type ASTNode, type GraphQLFormattedError } from 'graphql';
import { BillingError, catalogue, type Issue, type Reason } from '../lib/errors.ts';
import { redactIssue, redactKeys } from '../lib/redaction.ts';
import { readIssueCode } from './issueCodes.ts';

/**
 * Converts an error to one of the catalogue. Documents and variables that GraphQL refuses are `validation_failed`;
 * unexpected errors are `internal_error`, and their details appear only in the log.
 */
export function toBillingError(error: unknown): BillingError {
  if (error instanceof BillingError) return error;
  if (!(error instanceof GraphQLError)) return createInternalError(error);
  if (error.originalError && !(error.originalError instanceof GraphQLError)) {
    return toBillingError(error.originalError);
  }
  if (isOwnBug(error)) return createInternalError(error);
  return new BillingError(getReason(error), [toIssue(error)]);
}

/** Builds the refusal of a part of a document before its execution, with the HTTP status of the error. */
export const refuseAt = (nodes: ASTNode, originalError: BillingError): GraphQLError =>
  new GraphQLError(originalError.message, {
    nodes,
    originalError,
    extensions: { http: { status: originalError.status } },
  });

function createInternalError(cause: unknown): BillingError {
  const error = new BillingError('internal_error');
  error.cause = cause;
  return error;
}

/**
 * A GraphQL error with a path is a bug, because validation errors have none; except for a null variable in a
 * required argument.
 */
const isOwnBug = ({ path, message }: GraphQLError) => path !== undefined && !message.startsWith('Argument ');

const reasonByStatus: Record<number, Reason> = { 405: 'method_not_allowed', 415: 'unsupported_media_type' };

/** Returns the reason for the HTTP status of an error that Apollo raised before execution. */
function getReason({ extensions }: GraphQLError): Reason {
  const { status } = (extensions['http'] ?? {}) as { status?: number };
  return reasonByStatus[status ?? 0] ?? 'validation_failed';
}

const refusedVariable = /^Variable "\$(\w+)" (?:got invalid value .*? at "([^"]+)"|.*?); ?(.*)$/s;

/** Locates an error in the request: the field of a variable, or the position in the document. */
function toIssue(error: GraphQLError): Issue {
  const [, variable, field, said] = refusedVariable.exec(error.message) ?? [];
  if (variable) {
    // GraphQL writes `prices[0]`; paths in this interface are `prices.0`.
    const path = (field ?? variable).replace(/\[(\d+)\]/g, '.$1');
    return { path, message: shortenMessage(said || error.message), ...readIssueCode(error) };
  }
  const at = error.locations?.[0];
  return { path: at ? `query:${at.line}:${at.column}` : 'query', message: shortenMessage(error.message) };
}

const readableLength = 500;
const searchedLength = 4096;

/** Shortens a message and removes API keys. GraphQL repeats the refused value, which can be a megabyte. */
export function shortenMessage(message: string): string {
  // A key may be cut at the end, so keys are removed before the text is shortened.
  const safe = redactKeys(message.slice(0, searchedLength));
  return safe.length > readableLength ? `${safe.slice(0, readableLength).toWellFormed()}…` : safe;
}

/** Formats an error for a GraphQL response: the message, reason, status and issues. */
export function formatFailure(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { reason, message, issues: found, retryAfterSeconds } = toBillingError(error);
  const issues = found.map(redactIssue);
  return {
    message: issues.length === 1 && issues[0]!.path.startsWith('query') ? issues[0]!.message : message,
    locations: formatted.locations,
    path: formatted.path?.map((part) => (typeof part === 'string' ? redactKeys(part) : part)),
    extensions: {
      reason,
      code: reason.toUpperCase(),
      status: catalogue[reason].status,
      ...(issues.length > 0 && { issues }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}
