import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { BillingError, catalogue, type Issue, type Reason } from '../lib/errors.ts';
import { redactIssue, redactKeys } from '../lib/redaction.ts';

/**
 * What went wrong in terms of the catalogue. A document or variable that GraphQL itself refused is
 * `validation_failed`; what nobody foresaw is `internal_error`, whose details stay in the log.
 */
export function toBillingError(error: unknown): BillingError {
  if (error instanceof BillingError) return error;
  if (!(error instanceof GraphQLError)) return internalError(error);
  if (error.originalError && !(error.originalError instanceof GraphQLError)) {
    return toBillingError(error.originalError);
  }
  if (isOwnBug(error)) return internalError(error);
  return new BillingError(getReason(error), [toIssue(error)]);
}

function internalError(cause: unknown): BillingError {
  const error = new BillingError('internal_error');
  error.cause = cause;
  return error;
}

/** A fault of the question has no path in the answer, but for an argument that a variable left null. */
const isOwnBug = ({ path, message }: GraphQLError) => path !== undefined && !message.startsWith('Argument ');

const reasonOfStatus: Record<number, Reason> = { 405: 'method_not_allowed', 415: 'unsupported_media_type' };

/** What Apollo refuses before execution says its HTTP status. */
function getReason({ extensions }: GraphQLError): Reason {
  const { status } = (extensions['http'] ?? {}) as { status?: number };
  return reasonOfStatus[status ?? 0] ?? 'validation_failed';
}

const refusedVariable = /^Variable "\$(\w+)" (?:got invalid value .*? at "([^"]+)"|.*?); ?(.*)$/s;

/** Where in the question the fault lies: the variable's field, or else the place in the document. */
function toIssue(error: GraphQLError): Issue {
  const [, variable, field, said] = refusedVariable.exec(error.message) ?? [];
  if (variable) {
    // GraphQL writes `prices[0]` where every other path of ours is `prices.0`.
    const path = (field ?? variable).replace(/\[(\d+)\]/g, '.$1');
    return { path, message: shortenMessage(said || error.message) };
  }
  const at = error.locations?.[0];
  return { path: at ? `query:${at.line}:${at.column}` : 'query', message: shortenMessage(error.message) };
}

const readableLength = 500;
const searchedLength = 4096;

/** GraphQL repeats what it refuses, and that may be a megabyte. */
export function shortenMessage(message: string): string {
  // What is cut off may be the rest of a key.
  const safe = redactKeys(message.slice(0, searchedLength));
  return safe.length > readableLength ? `${safe.slice(0, readableLength).toWellFormed()}…` : safe;
}

/** The error as GraphQL answers it: the catalogue's sentence, its reason, and the fields at fault. */
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
