import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import {
  GraphQLError,
  OperationTypeNode,
  subscribe,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { BillingError, refuse } from '../../lib/errors.ts';
import { Context } from '../../graphql/context.ts';
import { formatFailure, toBillingError } from '../../graphql/errors.ts';
import type { DocumentRequest, TrustedDocuments } from '../../graphql/trustedDocuments.ts';
import { refuseBadText } from '../../lib/storableText.ts';
import { computeBytesLeft } from '../../lib/readBudget.ts';
import { refuseClosed } from '../../graphql/openness.ts';
import { authenticate } from '../../tenancy/apiKeys.ts';
import type { ConsoleClient } from '../../tenancy/actor.ts';
import type { Principal } from '../../tenancy/apiKeyCache.ts';
import { openTenant } from '../../tenancy/tenantScope.ts';
import type { Service } from '../../tenancy/service.ts';
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

/** An open connection and the API key or the operator that opened it. */
export interface LiveSession {
  principal: Principal;
  /**
   * Counts one request of the key and validates a subscription. Errors: `rate_limited`, `validation_failed`,
   * `document_not_found`, `document_not_trusted`, or a GraphQLError for an invalid document.
   */
  prepare(request: SubscriptionRequest): Promise<ExecutionArgs>;
  /** Call once, after the connection has closed. */
  close(): void;
}

/** Opens sessions for WebSockets and server-sent events. */
export type LiveSessions = ReturnType<typeof createLiveSessions>;

const connectionsPerKey = 100;

async function identify(
  { service, publicUrl }: Pick<LiveSessionDeps, 'service' | 'publicUrl'>,
  { apiKey, headers, operator, tenantAlias, address }: LiveCredentials,
): Promise<{ principal: Principal; client?: ConsoleClient }> {
  if (operator) return findLiveOperator(service, operator.token, tenantAlias, address);
  const principal = await authenticate(service, apiKey);
  refuseForeignPage(headers, principal, publicUrl);
  refuseOtherTenant(tenantAlias, principal);
  // No subscription is open to browsers.
  if (principal.audience) refuseClosed('api-key');
  return { principal };
}

/** Creates the factory of live sessions, which have the same authentication, tenancy and limits as queries. */
export function createLiveSessions(parts: LiveSessionDeps) {
  const { service, limits, publicUrl, timing, log } = parts;
  const open = new Map<string, number>();

  /**
   * Authenticates a connection. `onRefused` is called if its key or session is revoked or expires later. Errors:
   * `api_key_missing`, `api_key_invalid`, `secret_key_in_browser`, `origin_not_allowed`, `closed_to_browsers`,
   * `sign_in_required`, `tenant_missing`, `tenant_mismatch`, `rate_limited`.
   */
  const openSession = async (
    given: LiveCredentials,
    onRefused: (error: BillingError) => void,
  ): Promise<LiveSession> => {
    const { operator, address, executor } = given;
    const { principal, client } = await limits.countFailures(address, identify(parts, given));
    const { keyId } = principal;
    const others = open.get(keyId) ?? 0;
    if (others >= connectionsPerKey) {
      refuse('rate_limited', {
        path: operator ? 'cookie' : 'api-key',
        message: `has ${connectionsPerKey} connections open`,
      });
    }
    open.set(keyId, others + 1);
    const watch = setInterval(() => void checkKey().catch(() => {}), timing.checkMs);
    const checkKey = async () => {
      try {
        await identify(parts, given);
      } catch (error) {
        if (error instanceof BillingError && [401, 403].includes(error.status)) onRefused(error);
      }
    };
    return {
      principal,
      prepare: async (request) => {
        limits.spend(keyId);
        const executorId = !operator && executor && isExecutor(executor) ? executor : keyId;
        const origin = { traceId: service.ids.traceId(), executorId };
        const contextValue = new Context(openTenant(service, principal, origin), publicUrl, client);
        return { schema: parts.schema, contextValue, ...readSubscription(parts.documents, request) };
      },
      close: () => {
        clearInterval(watch);
        const left = (open.get(keyId) ?? 1) - 1;
        if (left === 0) open.delete(keyId);
        else open.set(keyId, left);
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

function readSubscription(documents: TrustedDocuments, request: SubscriptionRequest) {
  const { variables, operationName } = request;
  const query = documents.findText(request);
  if (typeof query !== 'string') refuse('validation_failed', { path: 'query', message: 'must be text' });
  if (!isMap(variables)) refuse('validation_failed', { path: 'variables', message: 'must be an object' });
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = documents.read(query, name);
  if (operation?.definition.operation !== OperationTypeNode.SUBSCRIPTION) {
    throw new GraphQLError('Must be one subscription; queries and mutations are posted to /graphql.');
  }
  const variableValues = (variables ?? {}) as Record<string, unknown>;
  refuseBadText(variableValues);
  operation.checkVariables(variableValues);
  operation.checkCost(variableValues);
  return { document: operation.document, operationName: name, variableValues, hideSuggestions: true };
}

const isMap = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value));
