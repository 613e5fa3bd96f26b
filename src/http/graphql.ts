import { ApolloServer, HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { BillingError, refuse } from '../errors.ts';
import type { Context } from '../graphql/context.ts';
import { formatFailure } from '../graphql/failures.ts';
import { KeepableTextRule } from '../graphql/wellFormed.ts';
import { readJson } from './body.ts';
import { isForPeople, type Explorer } from './explorer.ts';
import type { Admit } from './requests.ts';

export const graphqlPath = '/graphql';

const tokenLimit = 4000;

/** Apollo over the schema, without the parts that wrap every resolver or call out. */
export function createApollo(schema: GraphQLSchema): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: true,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: tokenLimit },
    validationRules: [KeepableTextRule],
    formatError: formatFailure,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
    ],
  });
}

/** Serves GraphQL over HTTP at `/graphql`: POST with JSON, GET for queries; the explorer, if any, for browsers. */
export function serveGraphql(
  server: FastifyInstance,
  apollo: ApolloServer<Context>,
  admit: Admit,
  explorer?: Explorer,
): void {
  server.route({
    method: ['GET', 'POST'],
    url: graphqlPath,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (explorer && isForPeople(request)) return explorer.sendPage(reply);
      const context = await admit(request, reply);
      const answer = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method,
          headers: headerMapOf(request),
          search: new URL(request.url, 'http://localhost').search,
          body: request.body === undefined ? undefined : readJson(request.body as Buffer),
        },
        context: async () => context,
      });
      return send(answer, reply);
    },
  });
}

function headerMapOf(request: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}

async function send({ status, headers, body }: HTTPGraphQLResponse, reply: FastifyReply) {
  for (const [name, value] of headers) void reply.header(name, value);
  if (body.kind === 'complete') return reply.code(status ?? 200).send(body.string);
  return refuse('internal_error');
}

/** Answers a refusal that came before execution in the form of GraphQL over HTTP. */
export function sendGraphqlError(error: BillingError, reply: FastifyReply) {
  const answer = { errors: [formatFailure({ message: error.message }, error)] };
  return reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
}
