import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, isTransient, refuse, type Reason } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import { holdsKey } from '../lib/redaction.ts';
import { refuseInFlight, type IdempotentRequest } from '../tenancy/idempotency.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

/** An answer before it is sent. */
export interface Prepared {
  status: number;
  type: string;
  text: string;
  /** More that this answer alone is to say. */
  headers?: Record<string, string>;
}

export type AnswerOnce = (
  request: FastifyRequest,
  tenant: TenantScope,
  prepare: () => MaybePromise<Prepared>,
) => MaybePromise<Prepared>;

const keyForm = /^[\x21-\x7e]{1,255}$/;

/**
 * The name that a client has given to a request that changes something, or undefined. The hash is that of method,
 * address and body. Error: `validation_failed` for a name that is not 1 to 255 printable ASCII characters.
 */
export function parseKey(
  { method, url, headers, body }: FastifyRequest,
  nowMs: number,
): IdempotentRequest | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || method === 'GET') return undefined;
  if (typeof key !== 'string' || !keyForm.test(key)) {
    return refuse('validation_failed', {
      path: 'idempotency-key',
      message: 'must be 1 to 255 printable ASCII characters',
    });
  }
  if (holdsKey(key)) {
    refuse('validation_failed', { path: 'idempotency-key', message: 'must not hold an API key' });
  }
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  if (Buffer.isBuffer(body)) hash.update(body);
  return { key, hash: hash.digest('hex'), at: toInstant(nowMs) };
}

/**
 * Answers a named request as it was answered before, byte for byte, or prepares its answer and keeps it.
 * Errors: `idempotency_key_reused`, `request_in_flight`.
 */
export function createAnswerOnce(): AnswerOnce {
  const underWay = new Set<string>();
  /** How many requests have ended: one that ended while its answer was looked for may be found by looking again. */
  let ended = 0;
  const answerNamed: AnswerOnce = async (request, tenant, prepare) => {
    const endedBefore = ended;
    const text =
      (await tenant.findStoredResponse()) ??
      (ended > endedBefore ? await tenant.findStoredResponse() : undefined);
    const given = text === undefined ? undefined : (JSON.parse(text) as Prepared);
    if (given && isFinal(given)) return { ...given, headers: { 'idempotent-replayed': 'true' } };
    const flight = `${tenant.alias} ${String(request.headers['idempotency-key'])}`;
    if (underWay.has(flight)) refuseInFlight();
    underWay.add(flight);
    try {
      const prepared = await prepare();
      if (isFinal(prepared)) await keep(tenant, prepared);
      return prepared;
    } finally {
      underWay.delete(flight);
      ended += 1;
    }
  };
  return (request, tenant, prepare) => {
    // A key that may only read changes nothing that could be repeated, and must not be given what a key that may write was answered.
    const isNamed =
      tenant.mayWrite && request.headers['idempotency-key'] !== undefined && request.method !== 'GET';
    return isNamed ? answerNamed(request, tenant, prepare) : prepare();
  };
}

/** Keeps an answer. What it tells of is durable: where the database is gone since, it is given all the same. */
async function keep(tenant: TenantScope, { status, type, text }: Prepared): Promise<void> {
  try {
    await tenant.storeResponse(JSON.stringify({ status, type, text }));
  } catch (error) {
    if (!(error instanceof BillingError && isTransient(error.reason))) throw error;
  }
}

interface GraphqlAnswer {
  errors?: { extensions?: { reason?: Reason } }[];
}

/** Whether an answer stays true: a field of it may have failed in passing, and is answered when it is asked for again. */
function isFinal({ status, text }: Prepared): boolean {
  if (status === 429 || status >= 500) return false;
  // Nearly all have no errors, and need not be read.
  if (!text.startsWith('{"errors":')) return true;
  const { errors = [] } = JSON.parse(text) as GraphqlAnswer;
  return !errors.some(({ extensions }) => extensions?.reason && isTransient(extensions.reason));
}
