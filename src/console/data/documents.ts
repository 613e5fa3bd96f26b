import { formatDocument, stringifyDocument, type TypedDocumentNode } from 'urql';
import { sendQuery } from './retries.ts';

/** A GraphQL request as its sender writes it. */
interface GraphqlRequest {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

/**
 * Returns the text of a document as it is sent. The build lists these texts by their SHA-256 in `documents.json`, from which
 * the server knows them (scripts/build/consoleDocuments.mjs).
 */
export const writeDocument = (document: TypedDocumentNode<any, any>): string =>
  stringifyDocument(formatDocument(document));

/** Writes requests with the id of their document in place of its text. */
export interface RequestWriter {
  /** Returns the body of a request. */
  write(request: GraphqlRequest): Promise<string>;
  /** Returns whether a request should be sent again, with its text, after the server refused it for this reason. */
  isUnknownDocument(query: string, reason: unknown): boolean;
  /** Sends a request of urql. */
  fetch(url: RequestInfo | URL, options?: RequestInit): Promise<Response>;
}

/** Creates the writer of a client's requests. It sends the text of documents that the server has not known. */
export function createRequestWriter(): RequestWriter {
  // The server is of another release than this page.
  const unknown = new Set<string>();
  const write = async ({ query, ...rest }: GraphqlRequest) => {
    // Pages from another computer without https have no digests. Known documents are executed by their text too.
    if (unknown.has(query) || !globalThis.isSecureContext) return JSON.stringify({ query, ...rest });
    return JSON.stringify({ documentId: `sha256:${await hash(query)}`, ...rest });
  };
  const isUnknownDocument = (query: string, reason: unknown) => {
    if (reason !== 'document_not_found' || unknown.has(query)) return false;
    unknown.add(query);
    return true;
  };
  return {
    write,
    isUnknownDocument,
    fetch: async (url, options = {}) => {
      const request = JSON.parse(options.body as string) as GraphqlRequest;
      const send = async () => {
        const response = await fetch(url, { ...options, body: await write(request) });
        if (response.status !== 404) return response;
        const answer = (await response.clone().json()) as {
          errors?: { extensions?: { reason?: unknown } }[];
        };
        if (!isUnknownDocument(request.query, answer.errors?.[0]?.extensions?.reason)) return response;
        return fetch(url, { ...options, body: await write(request) });
      };
      return /^\s*mutation\b/.test(request.query) ? send() : sendQuery(send);
    },
  };
}

/** Returns the SHA-256 of a text, which names it (GraphQL over HTTP, appendix "Persisted Documents"). */
async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
