/** The result of a query or a mutation as server-sent events (the distinct connections mode of the graphql-sse protocol). */
import type { FastifyRequest } from 'fastify';
import type { TrustedDocuments } from '../graphql/trustedDocuments.ts';
import { isJsonObject } from '../lib/json.ts';
import { readJson } from './body.ts';
import { eventStreamType } from './realtime/sse.ts';
import type { PreparedResponse } from './respond.ts';

/** Longer documents are left to the parser, after the authentication. */
const longestSearched = 65_536;

const tokens = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*|[{}]|[A-Za-z_]\w*/g;

/** Returns whether a document has a query or a mutation, and no subscription. It is not parsed: its client may be unknown. */
export function hasNoSubscription(text: string): boolean {
  if (text.length > longestSearched) return false;
  let depth = 0;
  let isDefinition = true;
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('#')) continue;
    if (depth === 0 && isDefinition && token === 'subscription') return false;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    isDefinition = token === '}';
  }
  return true;
}

/** Returns whether a request that takes events alone is for one result. What is not valid is left to the live connection. */
export function wantsSingleEvent({ body }: FastifyRequest, documents: TrustedDocuments): boolean {
  try {
    const sent = readJson(body as Buffer);
    const text = isJsonObject(sent) ? documents.findText(sent) : undefined;
    return typeof text === 'string' && hasNoSubscription(text);
  } catch {
    return false;
  }
}

/** Converts the response of an operation to the events of its stream. Other errors than those of GraphQL stay as they are. */
export function toSingleEvent(response: PreparedResponse): PreparedResponse {
  if (response.status !== 200 && response.status !== 400) return response;
  const text = `event: next\ndata: ${response.text.trimEnd()}\n\nevent: complete\ndata: \n\n`;
  return { ...response, status: 200, type: eventStreamType, text };
}
