import { HeaderMap, type ApolloServer, type GraphQLRequest, type GraphQLResponse } from '@apollo/server';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../lib/errors.ts';
import { findTextProblem } from '../graphql/rules/validationRules.ts';
import type { Context } from '../graphql/context.ts';
import { refuseLongText } from '../lib/readBudget.ts';
import { readJson } from './body.ts';
import { withoutPersistedQuery, type TrustedDocuments } from '../graphql/trustedDocuments.ts';
import type { PreparedResponse } from './respond.ts';
import { isJsonObject } from '../lib/json.ts';

interface ExecutionDeps {
  documents: TrustedDocuments;
  maxResponseBytes: number;
}

const json = 'application/json; charset=utf-8';

/**
 * Executes the operation of a request. A single operation posted as JSON, by far the most common case, is passed to
 * Apollo directly; other requests use Apollo's own HTTP parsing.
 */
export function executeGraphql(
  apollo: ApolloServer<Context>,
  context: Context,
  request: FastifyRequest,
  { documents, maxResponseBytes }: ExecutionDeps,
): Promise<PreparedResponse> {
  const sent = request.body === undefined ? undefined : readJson(request.body as Buffer);
  const body = isJsonObject(sent) ? insertText(sent, documents) : sent;
  refuseLongDocument(body);
  if (request.method === 'POST' && acceptsPlainJson(request.headers.accept) && isOneOperation(body)) {
    return apollo
      .executeOperation(body, { contextValue: context })
      .then((response) => toPreparedResponse(response, maxResponseBytes));
  }
  return executeHttp(apollo, context, request, body, documents).then((prepared) => {
    refuseLongText(prepared.text, maxResponseBytes);
    return prepared;
  });
}

/** Replaces the `documentId` of a request by the text of its document. */
function insertText(body: Record<string, unknown>, documents: TrustedDocuments): Record<string, unknown> {
  const query = documents.findText(body);
  if (query === body['query'] && !('extensions' in body)) return body;
  const { documentId: _, extensions: sent, ...others } = body;
  const extensions = withoutPersistedQuery(sent);
  return { ...others, query, ...(extensions !== undefined && { extensions }) };
}

/** Like `insertText`, for the parameters of an address, which are read as Apollo reads them. */
function insertSearchedText(search: string, documents: TrustedDocuments): string {
  const parameters = new URLSearchParams(search);
  const read = (name: string) => {
    const values = parameters.getAll(name);
    return values.length > 1 ? values : values[0];
  };
  const query = read('query');
  const [sent] = parameters.getAll('extensions');
  const extensions: unknown = sent === undefined ? undefined : readJson(Buffer.from(sent), 'extensions');
  const text = documents.findText({ query, documentId: read('documentId'), extensions });
  if (text === query && sent === undefined) return search;
  const others = withoutPersistedQuery(extensions);
  if (others === undefined) parameters.delete('extensions');
  else parameters.set('extensions', JSON.stringify(others));
  parameters.set('query', String(text));
  return parameters.toString();
}

function refuseLongDocument(body: unknown): void {
  const { query } = (body ?? {}) as { query?: unknown };
  const message = typeof query === 'string' ? findTextProblem(query) : undefined;
  if (message) refuse('validation_failed', { path: 'query', message });
}

async function executeHttp(
  apollo: ApolloServer<Context>,
  context: Context,
  request: FastifyRequest,
  body: unknown,
  documents: TrustedDocuments,
): Promise<PreparedResponse> {
  const { search: sent } = new URL(request.url, 'http://localhost');
  // A HEAD is a GET whose response has no body (RFC 9110, 9.3.2).
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const search = method === 'GET' ? insertSearchedText(sent, documents) : sent;
  const response = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method, headers: toHeaderMap(request), search, body },
    context: async () => context,
  });
  if (response.body.kind !== 'complete') return refuse('internal_error');
  const type = response.headers.get('content-type') ?? json;
  return {
    status: response.status ?? 200,
    type,
    text: response.body.string,
    headers: listHeaders(response.headers),
  };
}

/** For application/graphql-response+json, Apollo selects the response format. */
const acceptsPlainJson = (accept: string | undefined) =>
  accept === undefined || accept === '*/*' || accept === 'application/json';

const members = new Set(['query', 'variables', 'operationName']);

function isOneOperation(body: unknown): body is GraphQLRequest<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { query, variables, operationName } = body as Record<string, unknown>;
  return (
    typeof query === 'string' &&
    query !== '' &&
    Object.keys(body).every((name) => members.has(name)) &&
    (variables === undefined || isJsonObject(variables)) &&
    (operationName === undefined || typeof operationName === 'string')
  );
}

function toPreparedResponse({ http, body }: GraphQLResponse, maxResponseBytes: number): PreparedResponse {
  if (body.kind !== 'single') return refuse('internal_error');
  // The same order as Apollo's: errors, data, then a line feed.
  const { errors, data, extensions } = body.singleResult;
  const text = JSON.stringify({ errors, data, extensions });
  return {
    status: http.status ?? 200,
    type: json,
    text: `${refuseLongText(text, maxResponseBytes)}\n`,
    headers: listHeaders(http.headers),
  };
}

const listHeaders = (headers: HeaderMap) => (headers.size > 0 ? Object.fromEntries(headers) : undefined);

function toHeaderMap(request: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}
