import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { mapMaybe } from '../lib/maybePromise.ts';
import { BillingError, mostIssues, refuse } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { formatFailure, toBillingError } from '../graphql/errors.ts';
import type { RefuseCostly } from '../graphql/rules/cost.ts';
import { documentRules, tokenLimit, validationOptions } from '../graphql/rules/validationRules.ts';
import { refuseBadText } from '../graphql/rules/textRule.ts';
import { readJson, refuseBadEncoding } from './body.ts';
import { compiledQueries } from './jitPlugin.ts';
import { isForPeople, type Explorer } from './explorer.ts';
import { executeGraphql } from './graphqlExecution.ts';
import { guardOperations, NoSubscriptionRule, settleAnswer, settleStatus } from './apolloPlugin.ts';
import type { Doors } from './admission.ts';
import { retryHeaders } from './retryHeaders.ts';

export const graphqlPath = '/graphql';

/** With 1 in it an answer tells its cost. */
const costHeader = 'x-graphql-cost';

const json = 'application/json; charset=utf-8';
/**
 * Headers that a page of another origin cannot send without asking first, and this server never agrees. The key is one
 * of them; it is no cookie, so a browser never sends it of its own accord.
 */
const preflighted = ['api-key', 'x-apollo-operation-name', 'apollo-require-preflight'];

/** What operations are held to. */
export interface OperationLimits {
  /** Whether the schema may be asked for. */
  introspection: boolean;
  refuseCostly: RefuseCostly;
  /** How large an answer may be. */
  maxResponseBytes: number;
}

/** Starts Apollo over the schema, without the parts that wrap every resolver or call out. */
export async function startApollo(
  schema: GraphQLSchema,
  log: FastifyBaseLogger,
  { introspection, refuseCostly, maxResponseBytes }: OperationLimits,
): Promise<ApolloServer<Context>> {
  // All in one, for Apollo asks and awaits each listener at each step.
  const listener: GraphQLRequestListener<Context> = {
    ...compiledQueries(schema, (errors) => logBugs(errors, log)),
    ...guardOperations(schema, refuseCostly),
    willSendResponse: async (answered) => settleAnswer(answered, maxResponseBytes),
    didEncounterErrors: async (failed) => {
      settleStatus(failed);
      logBugs(failed.errors, log);
    },
  };
  const listening = Promise.resolve(listener);
  const plugins: ApolloServerPlugin<Context>[] = [
    { requestDidStart: () => listening },
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    // Whatever APOLLO_KEY says: what customers ask is told to nobody.
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ];
  const apollo = new ApolloServer<Context>({
    schema,
    introspection,
    includeStacktraceInErrorResponses: false,
    // Suggestions are not hidden by Apollo's own plugin, which would listen to each request.
    validationOptions,
    executionOptions: { maxCoercionErrors: mostIssues - 1 },
    stopOnTerminationSignals: false,
    csrfPrevention: { requestHeaders: preflighted },
    parseOptions: { maxTokens: tokenLimit },
    validationRules: [...documentRules, NoSubscriptionRule],
    formatError: formatFailure,
    plugins,
  });
  await apollo.start();
  // What says only what to leave out has been heard by now, and would be asked again, and awaited, by each request.
  plugins.length = 1;
  return apollo;
}

/** The client is told only that something went wrong; what it was is for the log. */
function logBugs(errors: readonly Error[], log: FastifyBaseLogger) {
  for (const error of errors.map(toBillingError)) {
    if (error.reason === 'internal_error') log.error({ err: error }, 'internal error');
  }
}

/** Serves GraphQL over HTTP at `/graphql`: POST with JSON, GET for queries; the explorer, if any, for browsers. */
export function serveGraphql(
  server: FastifyInstance,
  apollo: ApolloServer<Context>,
  { admit, answerOnce, answerWith }: Doors,
  maxResponseBytes: number,
  explorer?: Explorer,
): void {
  server.route({
    method: ['GET', 'POST'],
    url: graphqlPath,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      if (explorer && isForPeople(request)) return explorer.sendPage(reply);
      return mapMaybe(admit(request, reply), (context) => {
        checkSearch(request);
        refuseOtherAnswers(request);
        context.asked.tellsCost = request.headers[costHeader] === '1';
        const once = answerOnce(request, context.tenant, () =>
          executeGraphql(apollo, context, request, maxResponseBytes),
        );
        return mapMaybe(once, (prepared) => {
          request.operation = context.asked.operation;
          return answerWith(prepared, context, reply);
        });
      });
    },
  });
  server.route({
    method: ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    url: graphqlPath,
    handler: async (_, reply) => {
      void reply.header('allow', 'GET, POST');
      return refuse('method_not_allowed');
    },
  });
}

const jsonWanted = /(^|[\s,])(\*\/\*|application\/(\*|json|graphql-response\+json))/i;

/** Apollo would refuse these too, but only when the operation has been performed. */
function refuseOtherAnswers({ headers: { accept } }: FastifyRequest) {
  if (!accept || jsonWanted.test(accept)) return;
  refuse('validation_failed', { path: 'accept', message: 'must take application/json' });
}

/** What GET carries in its address is held to what POST carries in its body. */
function checkSearch({ url, query }: FastifyRequest) {
  refuseBadEncoding(url);
  const parameters = query as Record<string, string | string[]>;
  refuseBadText(parameters);
  for (const name of ['variables', 'extensions']) {
    const given = parameters[name];
    if (given === undefined) continue;
    for (const text of [given].flat()) readJson(Buffer.from(text), name);
  }
}

/** Answers a refusal that came before execution in the form of GraphQL over HTTP. */
export function sendGraphqlError(error: BillingError, reply: FastifyReply) {
  const answer = { errors: [formatFailure({ message: error.message }, error)] };
  void reply.headers(retryHeaders(error) ?? {});
  return reply.code(error.status).type(json).send(JSON.stringify(answer));
}
