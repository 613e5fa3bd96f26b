import { createError, isRepeatable, PerennialError, type Issue } from './errors.ts';
import type { Reason } from './generated/reasons.ts';
import { version } from './generated/operations.ts';
import type { PerennialOptions, RequestEvent, RequestOptions } from './options.ts';

/** A GraphQL operation with its variables. */
export interface Operation {
  name: string;
  isMutation: boolean;
  query: string;
  variables: Record<string, unknown>;
}

/** Sends an operation and returns its data. */
export type Send = <T>(operation: Operation, options?: RequestOptions) => Promise<T>;

const defaults = { maxRetries: 2, retryDelayMs: 500, timeoutMs: 60_000 };
const longestDelayMs = 8000;
/** A server that asks to wait longer is not asked again. */
const longestWaitMs = 60_000;

/** Returns the function that sends operations: a mutation has an `Idempotency-Key`, which its repeats have too. */
export function createSend(settings: PerennialOptions): Send {
  const endpoint = `${settings.url.replace(/\/+$/, '')}/graphql`;
  return async <T>(operation: Operation, options: RequestOptions = {}) => {
    const { name, isMutation, query, variables } = operation;
    const body = JSON.stringify({ query, variables });
    const idempotencyKey = isMutation ? (options.idempotencyKey ?? createKey()) : undefined;
    const maxRetries = options.maxRetries ?? settings.maxRetries ?? defaults.maxRetries;
    for (let attempt = 1; ; attempt += 1) {
      const headers = await buildHeaders(settings, options, idempotencyKey);
      const event: RequestEvent = { operation: name, attempt, idempotencyKey, headers };
      settings.hooks?.onRequest?.(event);
      const startedAt = performance.now();
      const outcome = await attemptOnce(settings, endpoint, body, headers, options);
      const { httpStatus, error } = outcome;
      const delayMs = error && attempt <= maxRetries ? findDelay(error, attempt, settings) : undefined;
      const durationMs = performance.now() - startedAt;
      settings.hooks?.onResponse?.({
        ...event,
        durationMs,
        httpStatus,
        error,
        retryInMs: delayMs,
      });
      if (!error) return outcome.data as T;
      if (delayMs === undefined) throw error;
      await wait(delayMs, options.signal);
    }
  };
}

interface Outcome {
  data?: unknown;
  httpStatus?: number;
  error?: PerennialError;
}

/** Makes one attempt. Only the caller's own signal makes it throw. */
async function attemptOnce(
  settings: PerennialOptions,
  endpoint: string,
  body: string,
  headers: Record<string, string>,
  options: RequestOptions,
): Promise<Outcome> {
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? defaults.timeoutMs;
  const { signal } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal!.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  let httpStatus: number | undefined;
  try {
    const send = settings.fetch ?? globalThis.fetch;
    const response = await send(endpoint, { method: 'POST', headers, body, signal: controller.signal });
    httpStatus = response.status;
    return { httpStatus, ...readResponse(response, await response.text()) };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const failure = isLate
      ? ({ reason: 'timed_out', message: `No response within ${timeoutMs} ms.` } as const)
      : ({
          reason: 'connection_failed',
          message: 'The connection failed before the response was complete.',
        } as const);
    return { httpStatus, error: createError({ ...failure, status: 0, cause }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

interface Body {
  data?: unknown;
  errors?: {
    message: string;
    extensions?: { reason?: Reason; status?: number; issues?: Issue[]; retryAfterSeconds?: number };
  }[];
}

function readResponse(response: Response, text: string): { data?: unknown; error?: PerennialError } {
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const body = parse(text);
  const first = body?.errors?.[0];
  const { reason, status, issues, retryAfterSeconds } = first?.extensions ?? {};
  if (first && reason) {
    const afterMs = retryAfterSeconds === undefined ? retryAfterMs : retryAfterSeconds * 1000;
    const failure = { reason, message: first.message, status: status ?? response.status, issues };
    return { error: createError({ ...failure, retryAfterMs: afterMs }) };
  }
  if (body?.data !== undefined && response.ok) return { data: body.data };
  // A proxy answered, or the response was cut.
  const message = `The response (HTTP ${response.status}) is not one of Perennial.`;
  const isRefusal = response.status >= 400 && response.status < 500 && response.status !== 429;
  const failure = { reason: 'response_invalid', message, retryAfterMs } as const;
  const error = createError({ ...failure, status: isRefusal ? response.status : 0 });
  return { error };
}

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After`: seconds, or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Returns the pause before the next attempt, half of it by chance; undefined if there is to be none. */
function findDelay(error: PerennialError, attempt: number, settings: PerennialOptions): number | undefined {
  if (!isRepeatable(error)) return undefined;
  if (error.reason === 'response_invalid' && error.status !== 0) return undefined;
  const firstMs = settings.retryDelayMs ?? defaults.retryDelayMs;
  const mostMs = Math.min(longestDelayMs, firstMs * 2 ** (attempt - 1));
  const delayMs = mostMs * (0.5 + randomBytes(1)[0]! / 510);
  const askedMs = error.retryAfterMs ?? 0;
  return askedMs > longestWaitMs ? undefined : Math.max(delayMs, askedMs);
}

async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Builds the headers of a request. */
export async function buildHeaders(
  { key, headers }: PerennialOptions,
  options: RequestOptions,
  idempotencyKey?: string,
): Promise<Record<string, string>> {
  const credential = typeof key === 'function' ? await key() : key;
  return {
    'content-type': 'application/json',
    // A page may not set it without asking for leave first.
    ...(!('document' in globalThis) && { 'user-agent': `perennial-sdk/${version}` }),
    ...(/^prn_(cs|pk)_/.test(credential)
      ? { authorization: `Bearer ${credential}` }
      : { 'api-key': credential }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
    ...options.headers,
  };
}

const createKey = (): string =>
  Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');

const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
