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
        body: withoutKeys(request.body?.toString('utf8') ?? '').slice(0, echoedBodyCharacters),
        headers: allowed(request.headers),
        url: withoutKeys(request.url),
        method: request.method,
      },
      response: { body: error.message, headers },
    },
  };
}

function allowed(headers: EchoedRequest['headers']): Record<string, string> {
  const kept = echoedHeaders.filter((name) => typeof headers[name] === 'string');
  return Object.fromEntries(kept.map((name) => [name, withoutKeys(headers[name] as string)]));
}

const keyForm = /prn_([a-z0-9-]{1,63})_([0-9a-z]{12})_[0-9a-z]{40}/g;

/** A key in the wrong place comes back without its secret: error bodies are kept in logs, and shown to others. */
const withoutKeys = (text: string) => text.replace(keyForm, 'prn_$1_$2_…');
