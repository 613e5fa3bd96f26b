import type { FastifyReply, FastifyRequest } from 'fastify';
import { Context } from '../../graphql/context.ts';
import { BillingError, refuse } from '../../lib/errors.ts';
import { ReadBudget } from '../../lib/readBudget.ts';
import { isStorable } from '../../lib/storableText.ts';
import { findSession, type SessionUse } from '../../access/operators/sessions.ts';
import {
  nameOperatorExecutor,
  requirePermission,
  type ConsoleClient,
  type SignedIn,
} from '../../tenancy/actor.ts';
import type { Principal } from '../../tenancy/apiKeyCache.ts';
import { ServerScope, type Membership } from '../../tenancy/serverScope.ts';
import { openTenant } from '../../tenancy/openTenant.ts';
import type { Service } from '../../tenancy/service.ts';
import { findNetwork } from '../address.ts';
import { chooseTraceId, readCredential, readPerAnswer, type AdmissionDeps } from '../admission.ts';
import { parseIdempotencyKey } from '../idempotency.ts';
import { readTenantHeader } from '../tenantHeader.ts';
import { createAttemptLimit } from '../../lib/attemptLimit.ts';
import { readSessionCookie } from './cookie.ts';
import { consoleHeader, isConsoleRequest, refuseForeignRequest } from './origin.ts';

/** The header of requests whose rows the console saves as a file. */
const exportHeader = 'perennial-export';

const attemptWindowSeconds = 15 * 60;
const attemptsPerAddress = 30;
const attemptsPerAccount = 10;

/** Counts attempts to sign in by IP address and by account. Error: `rate_limited`. */
export type CountAttempt = (address: string, account?: string) => void;

/** Creates the limits of attempts to sign in, kept in memory. Unknown accounts are limited like known ones. */
export function createSignInLimits(): CountAttempt {
  const countAddress = createAttemptLimit(attemptsPerAddress, attemptWindowSeconds);
  const countAccount = createAttemptLimit(attemptsPerAccount, attemptWindowSeconds);
  return (address, account) => {
    countAddress(findNetwork(address));
    if (account !== undefined) countAccount(account);
  };
}

/** An operator who is signed in, and the membership in the tenant that the request chose, if it chose one. */
interface OperatorCaller {
  signedIn: SignedIn;
  chosen?: Membership;
}

/**
 * Returns the operator of a cookie; undefined if no session is open. The session is read with each request, so a revoked
 * one ends at once on every server. Error: `tenant_mismatch` if the operator does not work for the tenant `alias`.
 */
async function findOperatorCaller(
  service: Service,
  token: string | undefined,
  alias: string | undefined,
  use: SessionUse = 'request',
): Promise<OperatorCaller | undefined> {
  const server = new ServerScope(service);
  const signedIn = token === undefined ? undefined : await findSession(server, token, use);
  if (!signedIn || alias === undefined) return signedIn && { signedIn };
  if (!isStorable(alias)) return refuse('tenant_mismatch');
  const chosen = await server.findMembership(signedIn.operator.id, alias);
  return chosen ? { signedIn, chosen } : refuse('tenant_mismatch');
}

/** Returns the principal of an operator in a tenant. */
function toPrincipal({ operator }: SignedIn, { membership, tenant }: Membership): Principal {
  const scope = membership.role === 'viewer' ? 'read' : 'write';
  return { tenant, keyId: nameOperatorExecutor(operator.id), scope };
}

/**
 * Admits a request of the console: by the cookie of its operator, or without one, to sign in. Errors: `csrf_refused`,
 * `rate_limited`, `tenant_mismatch`; for rows of an export also `permission_missing`, `step_up_required`.
 */
export async function admitOperator(
  deps: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Context> {
  const { service, limits, turns, publicUrl, maxResponseBytes } = deps;
  const { headers, method, ip: address } = request;
  refuseForeignRequest(method, headers, publicUrl);
  const token = readSessionCookie(headers.cookie, publicUrl);
  if (token === undefined) limits.spend(`address ${address}`, reply);
  const find = () => findOperatorCaller(service, token, readTenantHeader(headers));
  let caller = await find();
  if (token !== undefined) limits.spend(caller ? caller.signedIn.operator.id : `address ${address}`, reply);
  request.tenantAlias = caller?.chosen?.tenant.alias;
  const turn = turns.wait(request.tenantAlias ?? '');
  // The tenant's clock, the role and the session may have changed during the wait.
  if (turn) caller = await turn.then(find);
  const client = buildClient(deps, request, caller);
  const name = caller ? nameOperatorExecutor(caller.signedIn.operator.id) : `address ${address}`;
  const budget = limits.findBudget(name);
  if (!caller?.chosen) return new Context(undefined, publicUrl, client, budget);
  if (headers[exportHeader] !== undefined) requirePermission(client, 'export_data', false);
  const principal = toPrincipal(caller.signedIn, caller.chosen);
  const origin = {
    traceId: chooseTraceId(request),
    executorId: principal.keyId,
    isGone: () => reply.raw.destroyed,
    arrivedMs: () => performance.now() - reply.elapsedTime,
  };
  // After a change of the role, the stored response may show more than the operator may still see.
  const idempotent = parseIdempotencyKey(request, service.clock.nowMs(), caller.chosen.membership.role);
  const limited = {
    // A key with a space is no client's: operators do not see responses to others.
    request: idempotent && { ...idempotent, key: `${principal.keyId} ${idempotent.key}` },
    budget: new ReadBudget(maxResponseBytes * readPerAnswer),
  };
  return new Context(openTenant(service, principal, origin, limited), publicUrl, client, budget);
}

function buildClient(deps: AdmissionDeps, request: FastifyRequest, caller?: OperatorCaller): ConsoleClient {
  const { ip: address, headers } = request;
  return {
    server: new ServerScope(deps.service),
    signedIn: caller?.signedIn,
    role: caller?.chosen?.membership.role,
    address,
    origin: headers.origin,
    userAgent: headers['user-agent'] ?? null,
    hasOidc: deps.hasOidc,
    countAttempt: (account) => deps.countSignIn(address, account),
    setCookie: (token) => {
      request.sessionCookie = { token };
    },
  };
}

/**
 * Returns the client and the principal of a live connection. Errors: `sign_in_required`, `tenant_missing`,
 * `tenant_mismatch`.
 */
export async function findLiveOperator(
  service: Service,
  token: string | undefined,
  tenantAlias: string | undefined,
  address: string,
): Promise<{ client: ConsoleClient; principal: Principal }> {
  const caller = await findOperatorCaller(service, token, tenantAlias, 'watch');
  if (!caller) return refuse('sign_in_required');
  const { signedIn, chosen } = caller;
  if (!chosen) return refuse('tenant_missing');
  const client: ConsoleClient = {
    server: new ServerScope(service),
    signedIn,
    role: chosen.membership.role,
    address,
    origin: undefined,
    userAgent: null,
    hasOidc: false,
    // Nobody signs in over a live connection.
    countAttempt: () => refuse('sign_in_required'),
    setCookie: () => {},
  };
  return { client, principal: toPrincipal(signedIn, chosen) };
}

/** Refuses a cookie that no header of the console accompanies; explains it instead of asking for an API key. */
export function refuseBareCookie({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): void {
  if (readCredential(headers) !== undefined || isConsoleRequest(headers)) return;
  if (readSessionCookie(headers.cookie, publicUrl) === undefined) return;
  throw new BillingError('csrf_refused', [{ path: consoleHeader, message: 'is required' }]);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The session cookie to set; to remove without a token. */
    sessionCookie?: { token?: string };
  }
}
