import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { Context } from '../graphql/context.ts';
import { authenticate } from '../tenancy/authenticate.ts';
import { nameCustomerExecutor } from '../tenancy/customerSessions.ts';
import { EndedKey } from '../tenancy/endedKey.ts';
import type { IdempotentRequest } from '../tenancy/idempotency.ts';
import type { Principal } from '../tenancy/apiKeyCache.ts';
import type { PointBudget } from '../lib/pointBudget.ts';
import { ReadBudget } from '../lib/readBudget.ts';
import { openTenant } from '../tenancy/openTenant.ts';
import type { Service } from '../tenancy/service.ts';
import { exposeResponse, refuseForeignPage } from './cors.ts';
import type { RateLimits } from './rateLimit.ts';
import type { Respond } from './respond.ts';
import { parseIdempotencyKey, type RespondOnce } from './idempotency.ts';
import { findNetwork } from './address.ts';
import { isExecutor } from './executor.ts';
import { readTenantHeader, refuseOtherTenant } from './tenantHeader.ts';
import type { FairQueue } from '../runtime/fairQueue.ts';

/** Authenticates a request and builds its context. Throws a BillingError if the request is refused. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<Context>;

/** The steps of every request: admission, idempotency around the execution, and the response. */
export interface RequestPipeline {
  admit: Admit;
  respondOnce: RespondOnce;
  respond: Respond;
}

export interface AdmissionDeps {
  service: Service;
  limits: RateLimits;
  turns: FairQueue;
  /** The public base URL of this server. */
  publicUrl: string;
  /** The maximum size of a response. */
  maxResponseBytes: number;
  /** Whether operators sign in at an identity provider. */
  hasOidc: boolean;
  /** Counts attempts of operators to sign in, by IP address and by account. Error: `rate_limited`. */
  countSignIn: (address: string, account?: string) => void;
}

/** Bytes of large values that may be read for each byte of the response. */
export const readPerAnswer = 2;

const traceparentForm = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const noTrace = '0'.repeat(32);

/** Returns the credential of a request: its API key, or a browser's credential as a bearer token (RFC 6750). */
export function readCredential({
  'api-key': apiKey,
  authorization,
}: IncomingHttpHeaders): string | undefined {
  if (apiKey !== undefined) return apiKey as string;
  return authorization && bearerForm.exec(authorization)?.[1];
}

// Other bearer tokens are those of a proxy.
const bearerForm = /^bearer +(prn_(?:pk|cs)_\w[\w-]*)$/i;

/**
 * Authenticates a request by its `api-key` or `authorization` header and builds its context. Further headers: `x-executor-id`
 * (1 to 255 printable ASCII characters; default: the key id), `perennial-tenant` (verified) and `traceparent` (W3C Trace
 * Context). Errors: `api_key_missing`, `api_key_invalid`, `address_not_allowed`, `secret_key_in_browser`, `origin_not_allowed`, `tenant_mismatch`,
 * `rate_limited`.
 */
export function admit(
  deps: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): MaybePromise<Context> {
  const { service, limits, turns } = deps;
  const { headers, ip } = request;
  const credential = readCredential(headers);
  const identified = limits.countFailures(ip, authenticate(service, credential, ip));
  return mapMaybe(
    headers.origin === undefined ? identified : checkPage(deps, reply, identified),
    (principal) => {
      const { audience, keyId } = principal;
      const { alias, clockAt } = principal.tenant;
      request.tenantAlias = alias;
      if (audience) limits.spendOfBrowser(principal, ip, reply);
      else limits.spend(keyId, reply);
      refuseOtherTenant(readTenantHeader(headers), principal);
      // Requests of browsers wait for each other, not the tenant's own programs for them. No alias contains a space.
      const turn = turns.wait(audience ? `${alias} browsers` : alias);
      if (!turn) return createContext(deps, request, reply, principal);
      // A tenant with its own clock keeps the time in its record, so the record is read again after the wait.
      const asOfNow = turn.then(() => (clockAt !== null ? authenticate(service, credential, ip) : principal));
      return asOfNow.then((newest) => createContext(deps, request, reply, newest));
    },
  );
}

/** Refuses the credential of a page that must not have it; otherwise lets the page read the response. */
async function checkPage(
  { publicUrl }: AdmissionDeps,
  reply: FastifyReply,
  identified: MaybePromise<Principal>,
): Promise<Principal> {
  try {
    const principal = await identified;
    refuseForeignPage(reply.request.headers, principal, publicUrl);
    if (principal.audience) exposeResponse(reply, principal.tenant);
    return principal;
  } catch (error) {
    if (error instanceof EndedKey) exposeResponse(reply, error.tenant);
    throw error;
  }
}

/** Returns the trace id of a request's changes: that of its `traceparent` header, else a new one. */
export function chooseTraceId(request: FastifyRequest): string {
  const traceparent = request.headers['traceparent'] as string | undefined;
  const sent = traceparent && traceparentForm.exec(traceparent)?.[1];
  request.traceId = sent && sent !== noTrace ? sent : request.id;
  return request.traceId;
}

function createContext(
  { service, limits, publicUrl, maxResponseBytes }: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
): Context {
  const { headers } = request;
  const origin = {
    traceId: chooseTraceId(request),
    executorId: chooseExecutor(headers, principal),
    // Node also destroys the request after the response has been sent.
    isGone: () => reply.raw.destroyed,
    arrivedMs: () => performance.now() - reply.elapsedTime,
  };
  const idempotent = parseIdempotencyKey(request, service.clock.nowMs());
  const limited = {
    request:
      principal.audience || principal.limits?.permissions ? keepApart(idempotent, principal) : idempotent,
    budget: new ReadBudget(maxResponseBytes * readPerAnswer),
    network: principal.audience && findNetwork(request.ip),
  };
  const budget = findBudget(limits, principal, request.ip);
  return new Context(openTenant(service, principal, origin, limited), publicUrl, undefined, budget);
}

/** Returns the points of a principal for the cost of its operations. */
export const findBudget = (limits: RateLimits, principal: Principal, address: string): PointBudget =>
  principal.audience ? limits.findBudgetOfBrowser(principal, address) : limits.findBudget(principal.keyId);

/** Returns the executor that traces record. Browsers do not choose it. */
function chooseExecutor(headers: IncomingHttpHeaders, { keyId, audience, session }: Principal): string {
  if (session) return nameCustomerExecutor(session.customerId);
  const executor = headers['x-executor-id'] as string | undefined;
  return executor && !audience && isExecutor(executor) ? executor : keyId;
}

/** A key with a space is no client's: browsers and limited keys neither see nor take the place of responses to others. */
const keepApart = (
  request: IdempotentRequest | undefined,
  { keyId }: Principal,
): IdempotentRequest | undefined => request && { ...request, key: `${keyId} ${request.key}` };
