/** The codes of issues about values that the types of GraphQL refuse. */
import type { GraphQLError } from 'graphql';
import type { CodedIssue, IssueCode } from '../lib/issueCodes.ts';

const codeKey = 'issueCode';

/** Returns the extensions of the error by which a scalar refuses a value. */
export const withCode = (code: IssueCode) => ({ [codeKey]: code });

/** Returns the code of an error about a value; the scalars of graphql-js have none of their own. */
export function readIssueCode({ extensions, message }: GraphQLError): CodedIssue {
  const code = extensions[codeKey] as IssueCode | undefined;
  if (code) return { code };
  if (message.startsWith('Int cannot represent')) return { code: 'not_a_whole_number' };
  return message.startsWith('Float cannot represent') ? { code: 'not_a_number' } : {};
}
