import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, isTransient, refuse, type Reason } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import type { OperatorRole } from '../storage/model/operators.ts';
import { holdsKey } from '../lib/redaction.ts';
import { refuseInFlight, type IdempotentRequest } from '../tenancy/idempotency.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { PreparedResponse } from './respond.ts';

/** Returns the stored response of a repeated request, or prepares the response and stores it. */
export type RespondOnce = (
  request: FastifyRequest,
  tenant: TenantScope,
  prepare: () => MaybePromise<PreparedResponse>,
) => MaybePromise<PreparedResponse>;

const keyHeader = 'idempotency-key';
const keyForm = /^[\x21-\x7e]{1,255}$/;

/** A GET or HEAD changes nothing, so its key is ignored. */
const hasKey = ({ method, headers }: FastifyRequest): boolean =>
  headers[keyHeader] !== undefined && method !== 'GET' && method !== 'HEAD';

/**
 * The idempotency key of a request with the hash of its method, address and body, and of the role in which an operator
 * sends it, or undefined without a key.
 * Error: `validation_failed` for a key that is not 1 to 255 printable ASCII characters, or that contains an API key.
 */
export function parseIdempotencyKey(
  request: FastifyRequest,
  nowMs: number,
  role?: OperatorRole,
): IdempotentRequest | undefined {
  if (!hasKey(request)) return undefined;
  const { method, url, headers, body } = request;
  const key = headers[keyHeader];
  if (typeof key !== 'string' || !keyForm.test(key)) {
    return refuse('validation_failed', {
      path: keyHeader,
      message: 'must be 1 to 255 printable ASCII characters',
    });
  }
  if (holdsKey(key)) {
    refuse('validation_failed', { path: keyHeader, message: 'must not hold an API key' });
  }
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  if (Buffer.isBuffer(body)) hash.update(body);
  if (role) hash.update(`\n${role}`);
  return { key, hash: hash.digest('hex'), at: toInstant(nowMs) };
}

/**
 * Responds to a repeated request with the response to the first, byte for byte.
 * Errors: `idempotency_key_reused`, `request_in_flight`.
 */
export function createRespondOnce(): RespondOnce {
  const underWay = new Set<string>();
  /**
   * The number of completed requests. If it grows while a stored response is looked up, the look-up is repeated,
   * because the response may have been stored meanwhile.
   */
  let ended = 0;
  const respondWithKey: RespondOnce = async (request, tenant, prepare) => {
    const endedBefore = ended;
    const text =
      (await tenant.findStoredResponse()) ??
      (ended > endedBefore ? await tenant.findStoredResponse() : undefined);
    const given = text === undefined ? undefined : (JSON.parse(text) as PreparedResponse);
    if (given && isFinal(given)) return { ...given, headers: { 'idempotent-replayed': 'true' } };
    const flight = `${tenant.alias} ${String(request.headers[keyHeader])}`;
    if (underWay.has(flight)) refuseInFlight();
    underWay.add(flight);
    try {
      const prepared = await prepare();
      if (isFinal(prepared)) await store(tenant, prepared);
      return prepared;
    } finally {
      underWay.delete(flight);
      ended += 1;
    }
  };
  // An API key that may only read changes nothing, and must not see the response to one that may write.
  return (request, tenant, prepare) =>
    tenant.mayWrite && hasKey(request) ? respondWithKey(request, tenant, prepare) : prepare();
}

/** Stores a response. Its change is durable: where the database has become unavailable, the client still gets it. */
async function store(tenant: TenantScope, prepared: PreparedResponse): Promise<void> {
  const { status, type, text, location } = prepared;
  try {
    await tenant.storeResponse(JSON.stringify({ status, type, text, location }));
  } catch (error) {
    if (!(error instanceof BillingError && isTransient(error.reason))) throw error;
  }
}

interface GraphqlResponse {
  errors?: { extensions?: { reason?: Reason } }[];
}

/** Whether a repeat may get the same response: one with a transient error is executed again. */
function isFinal({ status, text }: PreparedResponse): boolean {
  if (status === 429 || status >= 500) return false;
  // Most have no errors and need not be parsed.
  if (!text.startsWith('{"errors":')) return true;
  const { errors = [] } = JSON.parse(text) as GraphqlResponse;
  return !errors.some(({ extensions }) => extensions?.reason && isTransient(extensions.reason));
}
