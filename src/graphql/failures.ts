import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { BillingError, catalogue, type Issue } from '../errors.ts';

/**
 * What went wrong in terms of the catalogue. A document or variable that GraphQL itself refused is
 * `validation_failed`; what nobody foresaw is `internal_error`, whose details stay in the log.
 */
export function toBillingError(error: unknown): BillingError {
  if (error instanceof BillingError) return error;
  if (!(error instanceof GraphQLError)) return new BillingError('internal_error');
  if (error.originalError && !(error.originalError instanceof GraphQLError)) {
    return toBillingError(error.originalError);
  }
  if (isOwnBug(error)) return new BillingError('internal_error');
  return new BillingError('validation_failed', [issueOf(error)]);
}

/** GraphQL raises these about our answers, not about the client's question. */
const isOwnBug = (error: GraphQLError) =>
  /^Cannot return null|^Expected (value|Iterable)/.test(error.message);

const refusedVariable = /^Variable "\$(\w+)" (?:got invalid value .*? at "([^"]+)"|.*?); ?(.*)$/s;

/** Where in the question the fault lies: the variable's field, or else the place in the document. */
function issueOf(error: GraphQLError): Issue {
  const [, variable, field, said] = refusedVariable.exec(error.message) ?? [];
  if (variable) return { path: field ?? variable, message: said || error.message };
  const at = error.locations?.[0];
  return { path: at ? `query:${at.line}:${at.column}` : 'query', message: error.message };
}

/** The error as GraphQL answers it: the catalogue's sentence, its reason, and the fields at fault. */
export function formatFailure(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { reason, message, issues, retryAfterSeconds } = toBillingError(error);
  return {
    message: issues.length === 1 && issues[0]!.path.startsWith('query') ? issues[0]!.message : message,
    locations: formatted.locations,
    path: formatted.path,
    extensions: {
      reason,
      code: reason.toUpperCase(),
      status: catalogue[reason].status,
      ...(issues.length > 0 && { issues }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}
