import type { BillingError, Issue } from '../lib/errors.ts';
import { redactIssue, redactKeys } from '../lib/redaction.ts';

/** The request as returned in an error body. */
interface EchoedRequest {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | undefined;
}

/** Other headers are not returned, because they may contain a key, a cookie or an address. */
const echoedHeaders = [
  'accept',
  'content-length',
  'content-type',
  'user-agent',
  'x-executor-id',
  'x-request-id',
];
const echoedBodyCharacters = 16_384;
// Text beyond the returned part is searched too, so that a key at its end is found complete, in any encoding.
const searchedBodyCharacters = echoedBodyCharacters + 4096;

/** Builds the error body of the REST interface. */
export function buildErrorBody(error: BillingError, request: EchoedRequest, headers: Record<string, string>) {
  return {
    cause: error.issues.length === 0 ? null : { message: error.message, issues: error.issues.map(showIssue) },
    body: {
      code: error.status,
      reason: error.reason,
      request: {
        body: echoBody(request.body),
        headers: filterHeaders(request.headers),
        url: redactKeys(request.url),
        method: request.method,
      },
      response: { body: error.message, headers },
    },
  };
}

/** Codes of issues are of GraphQL alone: the error bodies of REST stay as its clients know them. */
const showIssue = ({ code: _, limit: __, left: ___, ...issue }: Issue): Issue => redactIssue(issue);

function filterHeaders(headers: EchoedRequest['headers']): Record<string, string> {
  const kept = echoedHeaders.filter((name) => typeof headers[name] === 'string');
  return Object.fromEntries(kept.map((name) => [name, redactKeys(headers[name] as string)]));
}

function echoBody(body: Buffer | undefined): string {
  if (body === undefined) return '';
  // A character has at most four bytes.
  const text = body
    .subarray(0, 4 * searchedBodyCharacters)
    .toString('utf8')
    .slice(0, searchedBodyCharacters);
  return redactKeys(text).slice(0, echoedBodyCharacters);
}
