import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import {
  createSourceEventStream,
  execute,
  GraphQLError,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { BillingError, refuse } from '../../lib/errors.ts';
import { Context } from '../../graphql/context.ts';
import { formatFailure, toBillingError } from '../../graphql/errors.ts';
import type { DocumentRequest, TrustedDocuments } from '../../graphql/trustedDocuments.ts';
import { refuseBadText } from '../../lib/storableText.ts';
import { reservePoints, type PointBudget } from '../../lib/pointBudget.ts';
import { computeBytesLeft, ReadBudget } from '../../lib/readBudget.ts';
import { refuseClosed } from '../../graphql/openness.ts';
import { authenticate } from '../../tenancy/authenticate.ts';
import type { ConsoleClient } from '../../tenancy/actor.ts';
import type { Audience, Principal } from '../../tenancy/apiKeyCache.ts';
import { EndedKey } from '../../tenancy/endedKey.ts';
import { openTenant } from '../../tenancy/openTenant.ts';
import type { Service } from '../../tenancy/service.ts';
import type { PortalPart } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { refuseHiddenParts } from '../../tenants/portalSettings.ts';
import type { FairQueue } from '../../runtime/fairQueue.ts';
import { nameCustomerExecutor } from '../../tenancy/customerSessions.ts';
import { findNetwork } from '../address.ts';
import { findBudget, readPerAnswer } from '../admission.ts';
import { findLiveOperator } from '../operators/admission.ts';
import { refuseForeignPage } from '../cors.ts';
import { isExecutor } from '../executor.ts';
import { refuseOtherTenant } from '../tenantHeader.ts';
import type { RateLimits } from '../rateLimit.ts';
import type { Timing } from '../timeouts.ts';

interface LiveSessionDeps {
  service: Service;
  schema: GraphQLSchema;
  documents: TrustedDocuments;
  limits: RateLimits;
  turns: FairQueue;
  publicUrl: string;
  /** The maximum size of an event. */
  maxResponseBytes: number;
  log: FastifyBaseLogger;
  timing: Timing;
}

/** What a client proves who it is with: an API key, or the cookie of an operator's session and a tenant. */
export interface LiveCredentials {
  apiKey?: string;
  /** The headers of the request, which name the page that sent it. */
  headers: IncomingHttpHeaders;
  operator?: { token: string | undefined };
  /** The alias of the tenant: it selects that of an operator; that of a key is verified. */
  tenantAlias: string | undefined;
  address: string;
  executor?: string;
}

/** A client's subscription, before validation. */
export interface SubscriptionRequest extends DocumentRequest {
  variables?: unknown;
  operationName?: unknown;
}

/** A subscription that may be started, and the context of each of its events, which are read as of the event. */
interface LiveExecution extends ExecutionArgs {
  openContext: () => Context;
  /** Resolves when the next event may be executed, after requests of browsers that wait; undefined if it may be at once. */
  waitForTurn: () => Promise<void> | undefined;
}

/** An open connection and the API key or the operator that opened it. */
export interface LiveSession {
  principal: Principal;
  /**
   * Counts one request of the key, validates a subscription and charges the cost of one event. Errors: `rate_limited`, `validation_failed`,
   * `document_not_found`, `document_not_trusted`, `closed_to_browsers`, `action_not_allowed`, or a GraphQLError for an invalid
   * document.
   */
  prepare(request: SubscriptionRequest): Promise<ExecutionArgs>;
  /** Call once, after the connection has closed. */
  close(): void;
}

/** Opens sessions for WebSockets and server-sent events. */
export type LiveSessions = ReturnType<typeof createLiveSessions>;

const connectionsPerKey = 100;
/** A page has one connection; a customer may have several pages, and a network several customers. */
const connectionsPerCustomerSession = 10;
const connectionsPerNetwork = 100;

interface Identified {
  principal: Principal;
  client?: ConsoleClient;
}

async function identify(
  { service, publicUrl }: Pick<LiveSessionDeps, 'service' | 'publicUrl'>,
  { apiKey, headers, operator, tenantAlias, address }: LiveCredentials,
  onTenant: (tenant: Row<'tenants'>) => void = () => {},
): Promise<Identified> {
  if (operator) return findLiveOperator(service, operator.token, tenantAlias, address);
  const principal = await authenticateLive(service, apiKey, address, onTenant);
  refuseForeignPage(headers, principal, publicUrl);
  refuseOtherTenant(tenantAlias, principal);
  // No subscription is open to them.
  if (principal.audience === 'publishable') refuseClosed('api-key');
  return { principal };
}

async function authenticateLive(
  service: Service,
  apiKey: string | undefined,
  address: string,
  onTenant: (tenant: Row<'tenants'>) => void,
): Promise<Principal> {
  try {
    const principal = await authenticate(service, apiKey, address);
    if (principal.audience) onTenant(principal.tenant);
    return principal;
  } catch (error) {
    if (error instanceof EndedKey) onTenant(error.tenant);
    throw error;
  }
}

/** Counts the open connections of each key, and those of customers by network, too. */
function createConnectionLimits() {
  const open = new Map<string, number>();
  const add = (key: string, most: number, path: string): (() => void) => {
    const others = open.get(key) ?? 0;
    if (others >= most) refuse('rate_limited', { path, message: `has ${most} connections open` });
    open.set(key, others + 1);
    return () => {
      const left = open.get(key)! - 1;
      if (left === 0) open.delete(key);
      else open.set(key, left);
    };
  };
  /** Returns the function to call when the connection has closed. Error: `rate_limited`. */
  return ({ keyId, audience }: Principal, { operator, address }: LiveCredentials): (() => void) => {
    if (!audience) return add(keyId, connectionsPerKey, operator ? 'cookie' : 'api-key');
    const leaveSession = add(keyId, connectionsPerCustomerSession, 'authorization');
    try {
      // An alias of a tenant or an id is no network.
      const leaveNetwork = add(`network ${findNetwork(address)}`, connectionsPerNetwork, 'address');
      return () => {
        leaveSession();
        leaveNetwork();
      };
    } catch (error) {
      leaveSession();
      throw error;
    }
  };
}

/** Creates the factory of live sessions, which have the same authentication, tenancy and limits as queries. */
export function createLiveSessions(parts: LiveSessionDeps) {
  const { publicUrl, limits, timing, log } = parts;
  const countConnection = createConnectionLimits();

  /**
   * Authenticates a connection. `onRefused` is called if its key or session is revoked or expires later, or if the tenant
   * closes what it reads; `onTenant` with the tenant whose pages may read the response. Errors: `api_key_missing`, `api_key_invalid`, `address_not_allowed`, `secret_key_in_browser`, `origin_not_allowed`,
   * `closed_to_browsers`, `sign_in_required`, `tenant_missing`, `tenant_mismatch`, `rate_limited`.
   */
  const openSession = async (
    given: LiveCredentials,
    onRefused: (error: BillingError) => void,
    onTenant: (tenant: Row<'tenants'>) => void = () => {},
  ): Promise<LiveSession> => {
    let identified = await limits.countFailures(given.address, identify(parts, given, onTenant));
    const leave = countConnection(identified.principal, given);
    const selectedParts = new Set<PortalPart>();
    const checkKey = async () => {
      try {
        identified = await identify(parts, given);
        refuseHiddenParts(identified.principal.tenant, [...selectedParts]);
      } catch (error) {
        if (error instanceof BillingError && [401, 403].includes(error.status)) onRefused(error);
      }
    };
    // A key that was verified by a request is trusted for half a second more.
    const checkMs = identified.principal.audience ? timing.checkMs / 2 : timing.checkMs;
    const watch = setInterval(() => void checkKey().catch(() => {}), checkMs);
    return {
      principal: identified.principal,
      prepare: async (request) => {
        spend(limits, identified.principal, given.address);
        const openContext = () => createContext(parts, identified, given);
        const budget = findBudget(limits, identified.principal, given.address);
        return prepareSubscription(parts, request, openContext, budget, selectedParts);
      },
      close: () => {
        clearInterval(watch);
        leave();
      },
    };
  };

  /** Formats errors like every GraphQL response; unexpected errors are logged. */
  const format = (errors: readonly unknown[]) =>
    errors.map((error) => {
      const refusal = toBillingError(error);
      if (refusal.reason === 'internal_error') log.error({ err: error }, 'internal error');
      const formatted = error instanceof GraphQLError ? error.toJSON() : { message: refusal.message };
      return formatFailure(formatted, error);
    });

  const formatResult = ({ errors, ...result }: ExecutionResult) => {
    if (computeBytesLeft(result.data, parts.maxResponseBytes) < 0) {
      return { data: null, errors: format([new BillingError('result_too_large')]) };
    }
    return errors ? { ...result, errors: format(errors) } : result;
  };

  return { openSession, format, formatResult, subscribe, timing, log, publicUrl };
}

function spend(limits: RateLimits, principal: Principal, address: string): void {
  if (principal.audience) limits.spendOfBrowser(principal, address);
  else limits.spend(principal.keyId);
}

/** Creates the context of a subscription or of one of its events. It reads the primary: a replica may lack the event. */
function createContext(
  { service, publicUrl, maxResponseBytes }: LiveSessionDeps,
  { principal, client }: Identified,
  { operator, executor, address }: LiveCredentials,
): Context {
  const { keyId, session, audience } = principal;
  const ofKey = !operator && !audience && executor && isExecutor(executor) ? executor : keyId;
  const executorId = session ? nameCustomerExecutor(session.customerId) : ofKey;
  const tenant = openTenant(
    service,
    principal,
    { traceId: service.ids.traceId(), executorId },
    {
      readFrom: 'primary',
      budget: new ReadBudget(maxResponseBytes * readPerAnswer),
      network: audience && findNetwork(address),
    },
  );
  return new Context(tenant, publicUrl, client);
}

function prepareSubscription(
  { documents, schema, turns }: LiveSessionDeps,
  request: SubscriptionRequest,
  openContext: () => Context,
  budget: PointBudget,
  selectedParts: Set<PortalPart>,
): LiveExecution {
  const contextValue = openContext();
  const { tenant, audience } = contextValue;
  const { parts, cost, ...subscription } = readSubscription(documents, request, audience);
  refuseHiddenParts(tenant.record, parts);
  // Others cause the events, browsers too: what they cost must not slow the tenant's programs.
  reservePoints(budget, cost.requested);
  for (const part of parts) selectedParts.add(part);
  const waitForTurn = () => (audience ? turns.wait(`${tenant.alias} browsers`) : undefined);
  return { schema, contextValue, ...subscription, openContext, waitForTurn };
}

function readSubscription(
  documents: TrustedDocuments,
  request: SubscriptionRequest,
  audience: Audience | undefined,
) {
  const { variables, operationName } = request;
  const query = documents.findText(request);
  if (typeof query !== 'string') refuse('validation_failed', { path: 'query', message: 'must be text' });
  if (!isMap(variables)) refuse('validation_failed', { path: 'variables', message: 'must be an object' });
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = documents.read(query, name);
  if (operation?.definition.operation !== OperationTypeNode.SUBSCRIPTION) {
    throw new GraphQLError('Must be one subscription; queries and mutations are posted to /graphql.');
  }
  const parts = audience ? operation.checkOpenness(audience) : [];
  const variableValues = (variables ?? {}) as Record<string, unknown>;
  refuseBadText(variableValues);
  operation.checkVariables(variableValues);
  const cost = operation.checkCost(variableValues, audience !== undefined);
  const { document } = operation;
  return { document, operationName: name, variableValues, hideSuggestions: true, parts, cost };
}

type Results = AsyncIterableIterator<ExecutionResult>;

/** Starts a subscription, like graphql-js, but with a context for each event, so that no event shows what an earlier one read. */
async function subscribe(args: ExecutionArgs): Promise<Results | ExecutionResult> {
  const { openContext, waitForTurn, ...execution } = args as LiveExecution;
  const source = await createSourceEventStream(execution);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]();
  const results: Results = {
    [Symbol.asyncIterator]: () => results,
    next: async () => {
      const { done, value: rootValue } = await events.next();
      if (done) return { done, value: undefined };
      await waitForTurn();
      return { value: await execute({ ...execution, rootValue, contextValue: openContext() }) };
    },
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
  return results;
}

const isMap = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value));
