/** `/mcp`: the tools of agents over Streamable HTTP. What this file loads is little: the rest comes with the first request. */
import type { ApolloServer } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../graphql/context.ts';
import type { TrustedDocuments } from '../graphql/trustedDocuments.ts';
import { readJson } from '../http/body.ts';
import { getRetryHeaders } from '../http/retryHeaders.ts';
import type { AgentDeps } from '../http/server.ts';
import { BillingError, refuse } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import { makeOnce } from '../lib/makeOnce.ts';
import { redactIssue } from '../lib/redaction.ts';
import { createCaller } from './caller.ts';
import { findIdempotencyKey } from './idempotencyKey.ts';
import type { AnswerMessage } from './endpoint.ts';

/** The largest message of a client. */
export const largestMessageBytes = 256 * 1024;

const mcpPath = '/mcp';

/** What `/mcp` is made of. */
export interface McpDeps extends AgentDeps {
  apollo: ApolloServer<Context>;
  /** The schema that is published. */
  schema: GraphQLSchema;
  documents: TrustedDocuments;
  docsFolder: string;
  /** The public base URL of this server. */
  publicUrl: string;
}

const json = 'application/json; charset=utf-8';

/** Serves the Model Context Protocol. Each message is admitted and limited like any other request. */
export function serveMcp(server: FastifyInstance, deps: McpDeps): void {
  const { publicUrl, toRefusal } = deps;
  const getEndpoint = makeOnce(() => openEndpoint(server, deps));
  server.route({
    method: 'POST',
    url: mcpPath,
    bodyLimit: largestMessageBytes,
    // Before the key is read, so that nothing about it is told to a page of another site.
    onRequest: (request, _, done) => done(findForeignOrigin(request, publicUrl)),
    handler: (request, reply) => answer(request, reply, deps, getEndpoint),
    errorHandler: (error, request, reply) => void sendError(toRefusal(error, request), reply, publicUrl),
  });
  server.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: mcpPath,
    handler: async (_, reply) => {
      // There are no sessions to end, and no messages without a request.
      void reply.header('allow', 'POST');
      return refuse('method_not_allowed');
    },
    errorHandler: (error, request, reply) => void sendError(toRefusal(error, request), reply, publicUrl),
  });
}

async function openEndpoint(server: FastifyInstance, deps: McpDeps): Promise<AnswerMessage> {
  // Loaded only when it is used, because it takes time.
  const { createEndpoint } = await import('./endpoint.ts');
  const { schema, docsFolder, publicUrl, documents } = deps;
  return createEndpoint({
    schema,
    docsFolder,
    publicUrl,
    checkTrusted: (query) => void documents.findText({ query }),
    log: server.log,
  });
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: McpDeps,
  getEndpoint: () => Promise<AnswerMessage>,
) {
  const message = readJson((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  request.operation = nameMessage(message);
  acceptBearer(request);
  giveIdempotencyKey(request, message);
  const context = await deps.admit(request, reply);
  // By the specification a body is one message; several would also be counted as one request.
  if (!isJsonObject(message))
    refuse('validation_failed', { path: 'body', message: 'must be one JSON-RPC message' });
  const answerMessage = await getEndpoint();
  const { status, text } = await answerMessage({
    headers: listHeaders(request),
    url: `${deps.publicUrl}${mcpPath}`,
    message,
    caller: createCaller(deps.apollo, context),
  });
  return deps.respond({ status, type: json, text }, reply, 'now');
}

/** The headers that the protocol reads. */
function listHeaders({ headers }: FastifyRequest): Record<string, string> {
  const names = ['accept', 'content-type', 'mcp-protocol-version'];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

const bearerForm = /^bearer +(prn_\w[\w-]*)$/i;

/** Takes a secret key as a bearer token, too, which is all that some clients can send. */
function acceptBearer({ headers }: FastifyRequest): void {
  const key = bearerForm.exec(headers.authorization ?? '')?.[1];
  if (key !== undefined && headers['api-key'] === undefined) headers['api-key'] = key;
}

interface CallMessage {
  method?: unknown;
  params?: { name?: unknown; arguments?: unknown };
}

/**
 * Makes the idempotency key in a tool's arguments that of the request. What is repeated is the call, not the message, which
 * has another id each time.
 */
function giveIdempotencyKey(request: FastifyRequest, message: unknown): void {
  const { method, params } = (isJsonObject(message) ? message : {}) as CallMessage;
  const isCall = method === 'tools/call' && isJsonObject(params);
  if (!isCall) {
    delete request.headers['idempotency-key'];
    return;
  }
  const key = isJsonObject(params.arguments) && findIdempotencyKey(params.arguments);
  if (key) request.headers['idempotency-key'] = key;
  request.body = Buffer.from(JSON.stringify([params.name, params.arguments]));
}

const methods = new Set([
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
]);

/** Names a message for logs and metrics, without text of the client. */
function nameMessage(message: unknown): string {
  const method = isJsonObject(message) ? message['method'] : undefined;
  return typeof method === 'string' && methods.has(method) ? `mcp ${method}` : 'mcp other';
}

/**
 * Returns the refusal of a request from a page of another site. A browser sends the origin of a page even if its name has
 * been led to this server (DNS rebinding), which its `host` does not show.
 */
function findForeignOrigin(
  { headers: { origin } }: FastifyRequest,
  publicUrl: string,
): BillingError | undefined {
  if (origin === undefined || origin === new URL(publicUrl).origin) return undefined;
  return new BillingError('origin_not_allowed', [{ path: 'origin', message: 'is not this server' }]);
}

/** The code of JSON-RPC for errors that the server defines. */
const serverErrorCode = -32_000;

/** Sends what was refused before the message was read, as the protocol has errors. */
function sendError(error: BillingError, reply: FastifyReply, publicUrl: string) {
  const { reason, message, issues, status, retryAfterSeconds } = error;
  const data = {
    reason,
    ...(issues.length > 0 && { issues: issues.map(redactIssue) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    documentation: `${publicUrl}/docs/errors/${reason}`,
  };
  const content = { jsonrpc: '2.0', id: null, error: { code: serverErrorCode, message, data } };
  return reply
    .headers({ ...getRetryHeaders(error), ...(status === 401 && { 'www-authenticate': challenge(reason) }) })
    .code(status)
    .type(json)
    .send(JSON.stringify(content));
}

/** RFC 6750, 3: a request without a credential gets no error code. */
const challenge = (reason: string): string =>
  `Bearer realm="Perennial"${reason === 'api_key_missing' ? '' : ', error="invalid_token"'}`;
