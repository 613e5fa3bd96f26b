import { formatDocument, stringifyDocument, type TypedDocumentNode } from 'urql';

/** A GraphQL request as its sender writes it. */
interface GraphqlRequest {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

/** Documents that the server does not know, because it is of another release than this page: their text is sent. */
const unknown = new Set<string>();
const ids = new Map<string, Promise<string>>();

/**
 * Returns the text of a document as it is sent. The build lists these texts by their SHA-256 in `documents.json`, from which
 * the server knows them (scripts/build/consoleDocuments.mjs).
 */
export const writeDocument = (document: TypedDocumentNode<any, any>): string =>
  stringifyDocument(formatDocument(document));

/** Returns the body of a request: with the id of its document in place of the text. */
export async function writeRequest({ query, ...rest }: GraphqlRequest): Promise<string> {
  // Pages from another computer without https have no digests. Known documents are executed by their text too.
  if (unknown.has(query) || !globalThis.isSecureContext) return JSON.stringify({ query, ...rest });
  return JSON.stringify({ documentId: await identify(query), ...rest });
}

/** Returns whether a request should be sent again, with its text, after the server refused it for this reason. */
export function isUnknownDocument(query: string, reason: unknown): boolean {
  if (reason !== 'document_not_found' || unknown.has(query)) return false;
  unknown.add(query);
  return true;
}

/** Sends a request of urql by the id of its document. */
export async function fetchDocument(url: RequestInfo | URL, options: RequestInit = {}): Promise<Response> {
  const request = JSON.parse(options.body as string) as GraphqlRequest;
  const response = await fetch(url, { ...options, body: await writeRequest(request) });
  if (response.status !== 404) return response;
  const answer = (await response.clone().json()) as { errors?: { extensions?: { reason?: unknown } }[] };
  if (!isUnknownDocument(request.query, answer.errors?.[0]?.extensions?.reason)) return response;
  return fetch(url, { ...options, body: await writeRequest(request) });
}

/** Returns the id of a text: its SHA-256 (GraphQL over HTTP, appendix "Persisted Documents"). */
function identify(text: string): Promise<string> {
  const known = ids.get(text) ?? hash(text).then((digits) => `sha256:${digits}`);
  ids.set(text, known);
  return known;
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
