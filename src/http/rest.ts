import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import type { Config } from '../config/config.ts';
import { BillingError, isTransient, refuse } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { refuseBadText } from '../lib/storableText.ts';
import { createFindAllowed, listShadowed, type FindAllowed } from './allowedMethods.ts';
import { compileRoute, type CompiledRoute, type Fields } from '../rest/adapter.ts';
import { buildErrorBody } from '../rest/errorBody.ts';
import { buildOpenapi } from '../rest/openapi.ts';
import type { ReadBody } from '../rest/route.ts';
import { askedRoute } from '../rest/actionRequestRoutes.ts';
import { restPrefix, routes } from '../rest/routes.ts';
import type { DocumentFile } from '../documents/record.ts';
import { writeJson } from '../lib/readBudget.ts';
import { version } from '../lib/version.ts';
import { readJson, readJsonObject, refuseBadEncoding } from './body.ts';
import type { PreparedResponse } from './respond.ts';
import type { RequestPipeline } from './admission.ts';
import { getRetryHeaders } from './retryHeaders.ts';

/**
 * Serves the REST routes under `/api/v1`, and their OpenAPI document without authentication. Returns a function that finds
 * the methods of a path among them.
 */
export function serveRest(
  server: FastifyInstance,
  schema: GraphQLSchema,
  { admit, respondOnce, respond }: RequestPipeline,
  { publicUrl, maxResponseBytes, graphqlJit }: Pick<Config, 'publicUrl' | 'maxResponseBytes' | 'graphqlJit'>,
): FindAllowed {
  const asked = compileRoute(schema, askedRoute, graphqlJit);
  const settings = { publicUrl, maxResponseBytes, asked };
  const compiled = routes.map((route) => compileRoute(schema, route, graphqlJit));
  for (const route of compiled) {
    const url = toPath(route);
    const sendTime = route.method === 'GET' ? 'endOfTurn' : 'now';
    const routeName = `${route.method} ${url}`;
    addRoute(server, route, {
      method: route.method,
      url,
      handler: (request, reply) => {
        request.routeName = routeName;
        return mapMaybe(admit(request, reply), (context) => {
          const prepared = respondOnce(request, context.tenant, () =>
            prepare(route, context, request, settings),
          );
          return mapMaybe(prepared, (response) => respond(response, reply, sendTime));
        });
      },
    });
  }
  const documentUrl = `${restPrefix}/openapi.json`;
  const served = compiled.map((route) => ({ url: toPath(route), method: route.method as string }));
  for (const shadowed of listShadowed(served)) {
    server.route({ ...shadowed, handler: (_, reply) => reply.callNotFound() });
  }
  let document: string | undefined;
  server.get(documentUrl, (_, reply) => {
    document ??= JSON.stringify(buildOpenapi(schema, { version, publicUrl }));
    return reply.type(json).send(document);
  });
  return createFindAllowed([...served, { url: documentUrl, method: 'GET' }]);
}

/** Adds a route, with a reader of its own if it takes another form of body than JSON. */
function addRoute(server: FastifyInstance, { alsoReads }: CompiledRoute, options: RouteOptions): void {
  if (!alsoReads) {
    server.route(options);
    return;
  }
  void server.register((scope, _, done) => {
    scope.addContentTypeParser(alsoReads.mediaType, { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    scope.route(options);
    done();
  });
}

const json = 'application/json; charset=utf-8';

/**
 * Executes a route and prepares its response. An error after a change is returned as a response, not thrown, so
 * that it is stored for repeats of the request.
 */
function prepare(
  route: CompiledRoute,
  context: Context,
  request: FastifyRequest,
  settings: RestSettings,
): MaybePromise<PreparedResponse> {
  const { publicUrl, maxResponseBytes } = settings;
  const onSuccess = (value: unknown): PreparedResponse => {
    if (route.isFile) return prepareFile(value as FileName, context.download!.bytes!);
    // Every GET demands the alias, so that the address without it would be refused.
    if (route.textType) return { status: route.status, type: route.textType, text: value as string };
    const location =
      route.locate && `${publicUrl}${restPrefix}${route.locate(value)}?tenantAlias=${context.tenant.alias}`;
    return { status: route.status, type: json, text: writeJson(value, maxResponseBytes), location };
  };
  const onFailure = (error: unknown) => {
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    if (error.reason === 'approval_required') return prepareAsked(error, context, settings);
    if (!context.tenant.hasRecorded) throw error;
    return prepareRestError(error, request);
  };
  if (route.isFile) context.download = {};
  const result = route.execute(context, readFields(route, request));
  // A synchronous result has changed nothing.
  return result instanceof Promise ? result.then(onSuccess, onFailure) : onSuccess(result);
}

interface RestSettings extends Pick<Config, 'publicUrl' | 'maxResponseBytes'> {
  /** Reads an action request. */
  asked: CompiledRoute;
}

/** Prepares the response to a key that may only ask for an operation: the request for it, and where it is followed. */
async function prepareAsked(
  { status, issues }: BillingError,
  context: Context,
  { asked, publicUrl, maxResponseBytes }: RestSettings,
): Promise<PreparedResponse> {
  const id = issues[0]!.message;
  const { alias } = context.tenant;
  const value = await asked.execute(context.renew(), {
    path: { actionRequestId: id },
    query: { tenantAlias: alias },
    body: {},
  });
  const location = `${publicUrl}${restPrefix}/action-requests/${id}?tenantAlias=${alias}`;
  return { status, type: json, text: writeJson(value, maxResponseBytes), location };
}

type FileName = Omit<DocumentFile, 'bytes'>;

/** Prepares a download. Browsers never show it as a page of this server. */
function prepareFile({ contentType, fileName }: FileName, bytes: Buffer): PreparedResponse {
  const headers = { 'content-disposition': `attachment; filename="${fileName}"` };
  return { status: 200, type: contentType, text: '', bytes, headers };
}

const toPath = ({ path }: CompiledRoute) => restPrefix + path.replace(/\{(\w+)\}/g, ':$1');

function readFields(route: CompiledRoute, request: FastifyRequest): Fields {
  refuseBadEncoding(request.url);
  const path = request.params as Record<string, string>;
  const query = request.query as Record<string, string | string[]>;
  // Without a percent sign an address is plain ASCII.
  if (request.url.includes('%')) refuseBadText({ ...path, ...query });
  const takesBody = request.method === 'POST' || request.method === 'PATCH';
  if (takesBody && Object.keys(query).length > 0) {
    const issues = Object.keys(query).map((name) => ({ path: name, message: 'belongs in the body' }));
    refuse('validation_failed', ...issues);
  }
  const { body, complete } = readBody(route, request);
  if (!takesBody && Object.keys(body).length > 0) {
    const issues = Object.keys(body).map((name) => ({ path: name, message: 'belongs in the query' }));
    refuse('validation_failed', ...issues);
  }
  return { path, query, body, complete };
}

function readBody({ reads, alsoReads }: CompiledRoute, { body, headers }: FastifyRequest): ReadBody {
  const bytes = body as Buffer | undefined;
  if (alsoReads && bytes && headers['content-type']?.startsWith(alsoReads.mediaType))
    return alsoReads.read(readJson(bytes));
  const fields = readJsonObject(bytes);
  return reads ? reads(fields) : { body: fields };
}

/** Sends an error in the error format of the REST interface. */
export function sendRestError(error: BillingError, request: FastifyRequest, reply: FastifyReply) {
  const { status, type, text, headers } = prepareRestError(error, request);
  return reply
    .headers(headers ?? {})
    .code(status)
    .type(type)
    .send(text);
}

/** The page of the documentation about an error, as RFC 8288 links it: the body of errors has no field for it. */
const linkError = ({ reason }: BillingError) => ({ link: `</docs/errors/${reason}>; rel="help"` });

function prepareRestError(error: BillingError, request: FastifyRequest): PreparedResponse {
  const { method, url, headers } = request;
  const body = request.body as Buffer | undefined;
  const content = buildErrorBody(error, { method, url, headers, body }, { 'content-type': json });
  const responseHeaders = { ...getRetryHeaders(error), ...linkError(error) };
  return { status: error.status, type: json, text: JSON.stringify(content), headers: responseHeaders };
}
