import { HeaderMap, type ApolloServer, type GraphQLRequest, type GraphQLResponse } from '@apollo/server';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../lib/errors.ts';
import { findTextProblem } from '../graphql/rules/validationRules.ts';
import type { Context } from '../graphql/context.ts';
import { refuseLongText } from '../lib/readBudget.ts';
import { readJson } from './body.ts';
import type { PreparedResponse } from './respond.ts';

const json = 'application/json; charset=utf-8';

/**
 * Executes the operation of a request. A single operation posted as JSON, by far the most common case, is passed to
 * Apollo directly; other requests use Apollo's own HTTP parsing.
 */
export function executeGraphql(
  apollo: ApolloServer<Context>,
  context: Context,
  request: FastifyRequest,
  maxResponseBytes: number,
): Promise<PreparedResponse> {
  const body = request.body === undefined ? undefined : readJson(request.body as Buffer);
  refuseLongDocument(body);
  if (request.method === 'POST' && acceptsPlainJson(request.headers.accept) && isOneOperation(body)) {
    return apollo
      .executeOperation(body, { contextValue: context })
      .then((response) => toPreparedResponse(response, maxResponseBytes));
  }
  return executeHttp(apollo, context, request, body).then((prepared) => {
    refuseLongText(prepared.text, maxResponseBytes);
    return prepared;
  });
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
): Promise<PreparedResponse> {
  const { search } = new URL(request.url, 'http://localhost');
  const response = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: request.method, headers: toHeaderMap(request), search, body },
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
    (variables === undefined || isMap(variables)) &&
    (operationName === undefined || typeof operationName === 'string')
  );
}

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

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
