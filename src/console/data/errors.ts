import type { CombinedError } from 'urql';

/** What is wrong with a field: a sentence of the server and, where there is one, a code, and the number or amount that it means. */
export interface Issue {
  path: string;
  message: string;
  code?: string;
  limit?: number;
  left?: { decimal: string; currency: string };
}

/** An error of the server's catalogue, or of the way to it. */
export interface Problem {
  /** The reason of the catalogue; `offline` if no response came. */
  reason: string;
  message: string;
  status: number;
  issues: Issue[];
  /** The permission that the operator lacks. */
  permission?: string;
}

/** Returns the first error of a response in the words of the catalogue. */
export function readProblem(error: CombinedError): Problem {
  const first = error.graphQLErrors[0];
  if (!first) return { reason: 'offline', message: error.message, status: 0, issues: [] };
  const { reason, status, issues, permission } = first.extensions as Partial<Problem>;
  return {
    reason: reason ?? 'internal_error',
    message: first.message,
    status: status ?? 500,
    issues: issues ?? [],
    ...(permission && { permission }),
  };
}

const signedOut = new Set(['api_key_missing', 'api_key_invalid', 'session_missing', 'session_invalid']);

/** Whether the session has ended, so that only signing in again helps. */
export const endsSession = ({ reason, status }: Problem): boolean => signedOut.has(reason) || status === 401;
