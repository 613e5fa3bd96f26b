/** Issues in the words of a REST request: its clients know neither the arguments nor the types of GraphQL. */
import { BillingError, type Issue } from '../lib/errors.ts';

/** The message for a field that a request does not have. */
export const notAField = 'is not a field of this request';

/** What graphql-js says of a value, with the name of a type, and what REST says instead. */
const messages: [begins: RegExp, message: string][] = [
  [/^Value .* does not exist in "\w+" enum/s, 'is not one of the values of this field'],
  [/^Enum "/, 'is not one of the values of this field'],
  [/^Int cannot represent/, 'must be a whole number'],
  [/^Float cannot represent/, 'must be a number'],
  [/^(String|ID) cannot represent/, 'must be text'],
  [/^Boolean cannot represent/, 'must be true or false'],
  [/^Expected type "\w+" to be an object/, 'must be an object'],
  [/^JSONObject cannot represent/, 'must be an object'],
  [/^\w+ cannot represent/, 'is not valid'],
  [/^Field "/, 'has a field that is unknown'],
];

/** Rewords an issue without the names of GraphQL's types. */
export function rewordIssue(issue: Issue): Issue {
  const { path, message } = issue;
  const [, missing] = /^Field "(\w+)" of required type /.exec(message) ?? [];
  if (missing !== undefined) return { path: `${path}.${missing}`, message: 'is required' };
  const [, unknown] = /^Field "(.*)" is not defined by type /s.exec(message) ?? [];
  if (unknown !== undefined) return { path: `${path}.${unknown}`, message: notAField };
  const reworded = messages.find(([begins]) => begins.test(message));
  return reworded ? { ...issue, message: reworded[1] } : issue;
}

/**
 * Returns an error with the fields of the request instead of the arguments that take them: the argument `first` is the field
 * `limit`.
 */
export function rewordError(error: BillingError, fieldByArgument: Map<string, string>): BillingError {
  if (error.issues.length === 0) return error;
  const issues = error.issues.map((issue) => {
    const [first, ...rest] = issue.path.split('.');
    return rewordIssue({ ...issue, path: [fieldByArgument.get(first!) ?? first, ...rest].join('.') });
  });
  return new BillingError(error.reason, issues, error.retryAfterSeconds);
}
