import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode, type GraphQLSchema } from 'graphql';
import { mapMaybe } from '../lib/maybePromise.ts';
import { BillingError, maxIssues, refuse } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { formatFailure, toBillingError } from '../graphql/errors.ts';
import type { Operations } from '../graphql/operation.ts';
import type { TrustedDocuments } from '../graphql/trustedDocuments.ts';
import { refuseBadText } from '../lib/storableText.ts';
import { readJson, refuseBadEncoding } from './body.ts';
import { acceptsHtml, type Explorer } from './explorer.ts';
import { executeGraphql } from './graphqlExecution.ts';
import { executeOperations, finishResponse, NoSubscriptionRule, setStatus } from './apolloPlugin.ts';
import type { AdmissionDeps, RequestPipeline } from './admission.ts';
import { isPreflight, sendPreflight } from './cors.ts';
import { formatSessionCookie } from './operators/cookie.ts';
import type { PreparedResponse } from './respond.ts';
import { toSingleEvent, wantsSingleEvent } from './singleEvent.ts';
import type { SendEvents } from './realtime/sse.ts';
import { getRetryHeaders } from './retryHeaders.ts';

export const graphqlPath = '/graphql';

/** The request header that, with the value 1, adds the cost to the response. */
const costHeader = 'x-graphql-cost';

const json = 'application/json; charset=utf-8';
/**
 * Headers that a page of another origin can send only after a CORS preflight, which this server permits for the first alone.
 * Every request has one of the first three: a credential, or the header of the console, without which no cookie counts.
 */
const preflighted = [
  'authorization',
  'api-key',
  'perennial-console',
  'x-apollo-operation-name',
  'apollo-require-preflight',
];

/**
 * Starts Apollo on a schema, without the plugins that wrap every resolver or send data to other servers. Introspection shows
 * the published schema.
 */
export async function startApollo(
  schema: GraphQLSchema,
  published: GraphQLSchema,
  log: FastifyBaseLogger,
  operations: Operations,
  maxResponseBytes: number,
): Promise<ApolloServer<Context>> {
  // One listener, because Apollo calls and awaits each listener at each step.
  const listener: GraphQLRequestListener<Context> = {
    ...executeOperations(published, operations, (errors) => logBugs(errors, log)),
    willSendResponse: (answered) => finishResponse(answered, maxResponseBytes),
    didEncounterErrors: async (failed) => {
      setStatus(failed);
      logBugs(failed.errors, log);
    },
  };
  const listening = Promise.resolve(listener);
  const { validationRules, ...options } = operations.apolloOptions;
  const plugins: ApolloServerPlugin<Context>[] = [
    { requestDidStart: () => listening },
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    // Disabled even if APOLLO_KEY is set: no usage data leaves the server.
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ];
  const apollo = new ApolloServer<Context>({
    // These options hide suggestions. Apollo's own plugin for it would run with each request.
    ...options,
    schema,
    includeStacktraceInErrorResponses: false,
    executionOptions: { maxCoercionErrors: maxIssues - 1 },
    stopOnTerminationSignals: false,
    csrfPrevention: { requestHeaders: preflighted },
    validationRules: [...validationRules, NoSubscriptionRule],
    formatError: formatFailure,
    // Apollo would keep the text of any client; `TrustedDocuments` reads the hash.
    persistedQueries: false,
    plugins,
  });
  await apollo.start();
  // Apollo awaits every plugin with each request. The others act only at the start and would slow down small
  // queries.
  plugins.splice(1);
  return apollo;
}

/** Logs internal errors. The client receives only `internal_error`; the details are in the log. */
function logBugs(errors: readonly Error[], log: FastifyBaseLogger) {
  for (const error of errors.map(toBillingError)) {
    if (error.reason === 'internal_error') log.error({ err: error }, 'internal error');
  }
}

interface GraphqlDeps extends Pick<AdmissionDeps, 'maxResponseBytes' | 'publicUrl'> {
  documents: TrustedDocuments;
  /** Responds with server-sent events. */
  sendEvents: SendEvents;
}

/**
 * Serves GraphQL over HTTP at `/graphql`: POST with JSON, and GET for queries. A POST that takes only server-sent events
 * gets those of its subscription, or one with the result of its query or mutation. Browsers get the explorer, if enabled.
 */
export function serveGraphql(
  server: FastifyInstance,
  apollo: ApolloServer<Context>,
  { admit, respondOnce, respond }: RequestPipeline,
  { maxResponseBytes, publicUrl, documents, sendEvents }: GraphqlDeps,
  explorer?: Explorer,
): void {
  server.route({
    method: ['GET', 'POST'],
    url: graphqlPath,
    handler: (request, reply) => {
      if (explorer && acceptsHtml(request)) return explorer.sendPage(reply);
      const inEvents = wantsEvents(request);
      if (inEvents && !wantsSingleEvent(request, documents)) return sendEvents(request, reply);
      // Apollo chooses the format of the result by it.
      if (inEvents) request.headers.accept = 'application/json';
      return mapMaybe(admit(request, reply), (context) => {
        checkQueryParameters(request);
        refuseOtherMediaTypes(request);
        const { operation } = context;
        operation.reportsCost = request.headers[costHeader] === '1';
        const execute = () => executeGraphql(apollo, context, request, { documents, maxResponseBytes });
        const prepared = context.hasTenant ? respondOnce(request, context.tenant, execute) : execute();
        return mapMaybe(prepared, (executed) => {
          const shown = inEvents ? toSingleEvent(executed) : executed;
          const response = addSessionCookie(shown, request, publicUrl);
          request.operation = operation.name;
          return respond(
            response,
            reply,
            operation.kind === OperationTypeNode.MUTATION ? 'now' : 'endOfTurn',
          );
        });
      });
    },
  });
  server.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: graphqlPath,
    handler: async (request, reply) => {
      if (isPreflight(request)) return sendPreflight(reply);
      void reply.header('allow', 'GET, HEAD, POST');
      return refuse('method_not_allowed');
    },
  });
}

function addSessionCookie(
  response: PreparedResponse,
  { sessionCookie }: FastifyRequest,
  publicUrl: string,
): PreparedResponse {
  if (!sessionCookie) return response;
  const cookie = formatSessionCookie(publicUrl, sessionCookie.token);
  return { ...response, headers: { ...response.headers, 'set-cookie': cookie } };
}

const jsonWanted = /(^|[\s,])(\*\/\*|application\/(\*|json|graphql-response\+json))/i;

/** Clients that also take JSON name event streams with every operation. */
const wantsEvents = ({ method, headers: { accept } }: FastifyRequest): boolean =>
  method === 'POST' && accept?.includes('text/event-stream') === true && !jsonWanted.test(accept);

/** Apollo also refuses these, but only after the operation has been executed. */
function refuseOtherMediaTypes({ headers: { accept } }: FastifyRequest) {
  if (!accept || jsonWanted.test(accept)) return;
  refuse('validation_failed', { path: 'accept', message: 'must take application/json' });
}

/** Validates the parameters of a GET request like the body of a POST request. */
function checkQueryParameters({ url, query }: FastifyRequest) {
  refuseBadEncoding(url);
  const parameters = query as Record<string, string | string[]>;
  refuseBadText(parameters);
  for (const name of ['variables', 'extensions']) {
    const given = parameters[name];
    if (given === undefined) continue;
    for (const text of [given].flat()) readJson(Buffer.from(text), name);
  }
}

/** Sends an error from before execution in the format of GraphQL over HTTP. */
export function sendGraphqlError(error: BillingError, reply: FastifyReply) {
  const content = { errors: [formatFailure({ message: error.message }, error)] };
  void reply.headers(getRetryHeaders(error) ?? {});
  return reply.code(error.status).type(json).send(JSON.stringify(content));
}
