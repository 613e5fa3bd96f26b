import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { ApolloServer } from '@apollo/server';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { BillingError, refuse } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { toBillingError } from '../graphql/errors.ts';
import { refuseClosed } from '../graphql/openness.ts';
import { mapMaybe } from '../lib/maybePromise.ts';
import { redactKeys } from '../lib/redaction.ts';
import type { Service, Stored } from '../tenancy/service.ts';
import { bodyLimitBytes } from './body.ts';
import type { FindAllowed } from './allowedMethods.ts';
import { createRespond, type Respond } from './respond.ts';
import { refuseMalformedRequest } from './malformedRequest.ts';
import { serveCallbacks } from './callbacks.ts';
import { serveConsole } from './console.ts';
import { serveDocs } from './docs.ts';
import { serveExplorer, type Explorer } from './explorer.ts';
import type { TrustedDocuments } from '../graphql/trustedDocuments.ts';
import { graphqlPath, sendGraphqlError, serveGraphql } from './graphql.ts';
import { createRateLimits, type RateLimits } from './rateLimit.ts';
import { createLiveSessions } from './realtime/session.ts';
import { serveSockets } from './realtime/websocket.ts';
import { serveStream } from './realtime/sse.ts';
import { RequestLog } from './log.ts';
import { observeRequests, type Observe } from './observe.ts';
import { createRespondOnce } from './idempotency.ts';
import { admit as admitRequest, type Admit } from './admission.ts';
import { sendRestError, serveRest } from './rest.ts';
import { admitOperator, createSignInLimits, refuseBareCookie } from './operators/admission.ts';
import { serveOidc } from './operators/oidc.ts';
import { isConsoleRequest } from './operators/origin.ts';
import { createOidc, type Oidc } from '../access/operators/oidc.ts';
import { addSecurityHeaders } from './securityHeaders.ts';
import type { ServerState } from './shutdown.ts';
import type { Timing } from './timeouts.ts';
import { createFairQueue } from '../runtime/fairQueue.ts';

/** What the pages for payers need of the server. */
export interface PageDeps {
  service: Service;
  limits: RateLimits;
  /** The public base URL of this server. */
  publicUrl: string;
  /** The header in which the proxy reports the country of an IP address, in lower case; undefined for none. */
  countryHeader?: string | undefined;
  /** Converts an error to one of the catalogue. */
  toRefusal(error: unknown, request: FastifyRequest): BillingError;
}

/** What `/mcp` needs of the server. */
export interface AgentDeps {
  /** Admits programs: secret keys, not credentials of browsers. */
  admit: Admit;
  respond: Respond;
  /** Converts an error to one of the catalogue. */
  toRefusal: (error: unknown, request: FastifyRequest) => BillingError;
}

interface ServerParts {
  config: Config;
  service: Service;
  schema: GraphQLSchema;
  apollo: ApolloServer<Context>;
  documents: TrustedDocuments;
  timing: Timing;
  /** The time by which requests are limited. Default: `performance.now`. */
  monotonicMs?: () => number;
  state: ServerState;
  log: Logger;
  /** Adds the routes of the payment page and the portal. */
  servePages(server: FastifyInstance, deps: PageDeps): void;
  /** Adds the route of agents. */
  serveAgents(server: FastifyInstance, deps: AgentDeps): void;
  /** Observers of completed requests: metrics and telemetry. */
  observers: Observe[];
  /** The folder of the built explorer, which may be missing. */
  explorerFolder: string;
  /** The folder of the built console, which may be missing. */
  consoleFolder: string;
  /** The folder of the built documentation, which may be missing. */
  docsFolder: string;
}

const pathParameterLimit = 8192;

/** Creates the HTTP server with all routes; it does not listen yet. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { config, service, schema, apollo, log, timing } = parts;
  const loggerInstance: FastifyBaseLogger = log;
  const server = fastify({
    loggerInstance,
    logController: new RequestLog(log.isLevelEnabled('info')),
    genReqId: () => service.ids.traceId(),
    frameworkErrors: (error, request, reply) => {
      // Requests without a route do not run hooks.
      secure.put(reply);
      void sendError(toRefusal(error, request), request, reply);
      request.log.info({ method: request.method, route: null, status: reply.statusCode }, 'request');
    },
    clientErrorHandler: refuseMalformedRequest,
    bodyLimit: bodyLimitBytes,
    requestTimeout: timing.requestMs,
    trustProxy: config.trustProxy > 0 && ((_, hop) => hop < config.trustProxy),
    routerOptions: { maxParamLength: pathParameterLimit, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      requireHostHeader: false,
      headersTimeout: timing.headersMs,
      connectionsCheckingInterval: timing.checkMs,
    },
  });
  const secure = addSecurityHeaders(server, config.publicUrl);
  // Node would respond to an unknown expectation without a body. HTTP allows a server to ignore it.
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange));
  acceptJsonOnly(server);
  refuseCompressed(server);
  closeConnectionsAfterStop(server, parts.state);
  observeRequests(server, parts.observers);
  const limits = createRateLimits(config, parts.monotonicMs);
  const { publicUrl, maxResponseBytes } = config;
  const oidc = createOidcFor(config);
  const deps = {
    service,
    limits,
    turns: createFairQueue(),
    publicUrl,
    maxResponseBytes,
    hasOidc: oidc !== undefined,
    countSignIn: createSignInLimits(),
  };
  const admit: Admit = (request, reply) => admitRequest(deps, request, reply);
  const admitProgram: Admit = (request, reply) =>
    mapMaybe(admit(request, reply), (context) => (context.audience ? refuseClosed('path') : context));
  const admitAny: Admit = (request, reply) => {
    if (isConsoleRequest(request.headers)) return admitOperator(deps, request, reply);
    refuseBareCookie(request, publicUrl);
    return admit(request, reply);
  };
  server.setErrorHandler((error, request, reply) => sendError(toRefusal(error, request), request, reply));
  const respond = createRespond(secure, parts.state);
  const pipeline = { admit: admitProgram, respondOnce: createRespondOnce(), respond };
  refuseUnknown(server, serveRest(server, schema, pipeline, config));
  const explorer = serveBrowserPages(server, parts);
  serveOidc(server, deps, oidc);
  parts.servePages(server, { ...deps, countryHeader: config.countryHeader, toRefusal });
  if (config.mcp) parts.serveAgents(server, { admit: admitProgram, respond, toRefusal });
  serveCallbacks(server, service, limits);
  const live = createLiveSessions({ ...parts, ...deps });
  serveSockets(server, live, config.trustProxy);
  const sendEvents = serveStream(server, live, secure);
  serveGraphql(server, apollo, { ...pipeline, admit: admitAny }, { ...parts, ...deps, sendEvents }, explorer);
  serveHealth(server, service, parts.state);
  servePublicKeys(server, service);
  return server;
}

function createOidcFor({ oidcIssuer: issuer, oidcClientId: clientId, ...config }: Config): Oidc | undefined {
  if (issuer === undefined || clientId === undefined) return undefined;
  return createOidc({ issuer, clientId, clientSecret: config.oidcClientSecret, publicUrl: config.publicUrl });
}

/**
 * Closes each connection after its next response once the server has stopped listening. Closing earlier would make
 * clients reconnect, and the stop would break some of the new connections.
 */
function closeConnectionsAfterStop(server: FastifyInstance, state: ServerState) {
  server.addHook('onSend', (_, reply, payload, done) => {
    if (!state.acceptsConnections) void reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Refuses what no route takes: a method that its path does not have, or a path that there is not. */
function refuseUnknown(server: FastifyInstance, findAllowed: FindAllowed) {
  server.setNotFoundHandler(({ method, url }, reply) => {
    const allowed = findAllowed(method, url);
    if (allowed === undefined) return refuse('route_not_found');
    void reply.header('allow', allowed);
    return refuse('method_not_allowed');
  });
}

/** Serves what is for browsers, as far as it is switched on and built: GraphiQL, which it returns, console and documentation. */
function serveBrowserPages(server: FastifyInstance, parts: ServerParts): Explorer | undefined {
  const { config, explorerFolder, consoleFolder, docsFolder } = parts;
  const explorer = config.explorer ? serveExplorer(server, explorerFolder) : undefined;
  const hasConsole = config.console && serveConsole(server, consoleFolder);
  if (hasConsole || explorer) redirectStart(server, hasConsole ? '/console' : graphqlPath);
  if (config.docs) serveDocs(server, docsFolder);
  return explorer;
}

function redirectStart(server: FastifyInstance, target: string) {
  server.get('/', (_, reply) => reply.redirect(target));
}

/** A small compressed body can expand to a huge one. */
function refuseCompressed(server: FastifyInstance) {
  server.addHook('onRequest', (request, _, done) => {
    const encoding = request.headers['content-encoding'];
    const isPlain = encoding === undefined || encoding === '' || encoding === 'identity';
    done(isPlain ? undefined : new BillingError('unsupported_media_type'));
  });
}

/** Bodies remain bytes until the route parses them, so that errors can echo the body and invalid UTF-8 is detected. */
function acceptJsonOnly(server: FastifyInstance) {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/json(\s*;|$)/, { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  );
}

function serveHealth(server: FastifyInstance, { store }: Stored, state: ServerState) {
  server.get('/livez', () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    if (state.retiring) {
      void reply.header('connection', 'close');
      throw new BillingError('unavailable', [], 1);
    }
    await store.ping();
    return { status: 'ok' };
  });
}

/** Serves the keys by which others check what this server signs (RFC 7517). The next one is among them, so they may be kept. */
function servePublicKeys(server: FastifyInstance, { signingKeys, clock }: Service) {
  server.get('/.well-known/jwks.json', (_, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' })
      .type('application/jwk-set+json')
      .send(JSON.stringify({ keys: signingKeys.listPublic(clock.nowMs()) })),
  );
}

const refusalByCode: Record<string, BillingError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new BillingError('request_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new BillingError('unsupported_media_type'),
  FST_ERR_BAD_URL: new BillingError('validation_failed', [
    { path: 'url', message: 'must be percent-encoded UTF-8' },
  ]),
  FST_ERR_MAX_PARAM_LENGTH: new BillingError('validation_failed', [
    { path: 'url', message: `must have parts of at most ${pathParameterLimit} characters` },
  ]),
};

function toRefusal(error: unknown, request: FastifyRequest): BillingError {
  const known = refusalByCode[(error as { code?: string }).code ?? ''];
  if (known) return known;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500) return new BillingError('validation_failed');
  const refusal = toBillingError(error);
  if (refusal.reason === 'internal_error') request.log.error({ err: error }, 'internal error');
  // For example a full disk: only the operator can resolve it, so it is logged.
  if (refusal.reason === 'unavailable' && refusal.cause instanceof Error) {
    const { code, message } = refusal.cause as NodeJS.ErrnoException;
    request.log.warn({ code, failure: redactKeys(message) }, 'the database is unavailable');
  }
  return refusal;
}

function sendError(error: BillingError, request: FastifyRequest, reply: FastifyReply) {
  const isGraphql = request.url.startsWith(graphqlPath);
  return isGraphql ? sendGraphqlError(error, reply) : sendRestError(error, request, reply);
}
