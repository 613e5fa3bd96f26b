import type { BillingError } from '../lib/errors.ts';
import { redactIssue, redactKeys } from '../lib/redaction.ts';

/** The request that an error answers, as it came. */
interface EchoedRequest {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | undefined;
}

/** Only these come back in an error: a header may hold a key, a cookie, an address. */
const echoedHeaders = [
  'accept',
  'content-length',
  'content-type',
  'user-agent',
  'x-executor-id',
  'x-request-id',
];
const echoedBodyCharacters = 16_384;
// A key that begins within what is echoed is found whole, however it is encoded.
const searchedBodyCharacters = echoedBodyCharacters + 4096;

/** The error body of the REST interface. */
export function errorBody(error: BillingError, request: EchoedRequest, headers: Record<string, string>) {
  return {
    cause:
      error.issues.length === 0 ? null : { message: error.message, issues: error.issues.map(redactIssue) },
    body: {
      code: error.status,
      reason: error.reason,
      request: {
        body: echoBody(request.body),
        headers: allowed(request.headers),
        url: redactKeys(request.url),
        method: request.method,
      },
      response: { body: error.message, headers },
    },
  };
}

function allowed(headers: EchoedRequest['headers']): Record<string, string> {
  const kept = echoedHeaders.filter((name) => typeof headers[name] === 'string');
  return Object.fromEntries(kept.map((name) => [name, redactKeys(headers[name] as string)]));
}

function echoBody(body: Buffer | undefined): string {
  if (body === undefined) return '';
  // No character has more than four bytes.
  const text = body
    .subarray(0, 4 * searchedBodyCharacters)
    .toString('utf8')
    .slice(0, searchedBodyCharacters);
  return redactKeys(text).slice(0, echoedBodyCharacters);
}
