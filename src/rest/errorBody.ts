import type { BillingError } from '../errors.ts';

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

/** The error body of the interface (section 7). */
export function errorBody(error: BillingError, request: EchoedRequest, headers: Record<string, string>) {
  return {
    cause: error.issues.length === 0 ? null : { message: error.message, issues: error.issues },
    body: {
      code: error.status,
      reason: error.reason,
      request: {
        body: request.body?.toString('utf8').slice(0, echoedBodyCharacters) ?? '',
        headers: allowed(request.headers),
        url: request.url,
        method: request.method,
      },
      response: { body: error.message, headers },
    },
  };
}

function allowed(headers: EchoedRequest['headers']): Record<string, string> {
  const kept = echoedHeaders.filter((name) => typeof headers[name] === 'string');
  return Object.fromEntries(kept.map((name) => [name, headers[name] as string]));
}
