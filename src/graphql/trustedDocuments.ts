import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { refuse } from '../lib/errors.ts';
import type { ClientOperation, Operations } from './operation.ts';
import { isJsonObject } from '../lib/json.ts';

/** The members of a GraphQL request that name its document, before validation. */
export interface DocumentRequest {
  query?: unknown;
  documentId?: unknown;
  /** `persistedQuery` names the document by its hash, as Apollo's automatic persisted queries and urql do. */
  extensions?: unknown;
}

/** Documents that the server knows by the SHA-256 of their text. */
export interface TrustedDocuments {
  /**
   * Returns the text of a request's document: that of its `documentId`, or its `query`, which may also be invalid.
   * Errors: `validation_failed`, `document_not_found`, `persisted_query_not_found`, and `document_not_trusted` for the text
   * of an unknown document where only known ones are executed.
   */
  findText(request: DocumentRequest): unknown;
  /** Like `Operations.read`; a known document is parsed and validated once. */
  read(text: string, operationName?: string): ClientOperation | undefined;
}

const idPrefix = 'sha256:';
const withoutPrefix = (id: string) => (id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id);
const hashForm = /^[0-9a-f]{64}$/;
const hashWords = '64 lower-case hexadecimal digits';
const persistedHash = 'extensions.persistedQuery.sha256Hash';

/** Returns the hash in the extensions of a request; undefined without `persistedQuery`. Error: `validation_failed`. */
function readPersistedHash(extensions: unknown): string | undefined {
  const persisted = isJsonObject(extensions) ? extensions['persistedQuery'] : undefined;
  if (persisted === undefined || persisted === null) return undefined;
  const { version, sha256Hash } = isJsonObject(persisted) ? persisted : {};
  if (version !== 1)
    refuse('validation_failed', { path: 'extensions.persistedQuery.version', message: 'must be 1' });
  if (typeof sha256Hash === 'string' && hashForm.test(sha256Hash)) return sha256Hash;
  return refuse('validation_failed', { path: persistedHash, message: `must be ${hashWords}` });
}

/** Returns the extensions without those that `findText` has read. */
export function withoutPersistedQuery(extensions: unknown): unknown {
  if (!isJsonObject(extensions)) return extensions;
  const { persistedQuery: _, ...others } = extensions;
  return Object.keys(others).length > 0 ? others : undefined;
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Creates the look-up of known documents: `console` returns those of the console, `own` are those of the host, both texts by
 * their hash. `only`: whether other documents are refused. An id and the errors are those of the appendix "Persisted
 * Documents" of GraphQL over HTTP.
 */
export function createTrustedDocuments(
  operations: Operations,
  own: ReadonlyMap<string, string>,
  getConsole: () => ReadonlyMap<string, string>,
  only: boolean,
): TrustedDocuments {
  const parsed = new Map<string, DocumentNode>();
  const find = (hash: string) => own.get(hash) ?? getConsole().get(hash);

  const readKnown = (hash: string, text: string) => {
    const document = parsed.get(hash) ?? operations.parse(text);
    parsed.set(hash, document);
    return document;
  };

  return {
    findText: ({ query, documentId, extensions }) => {
      if (documentId === undefined || documentId === null) {
        const hash = readPersistedHash(extensions);
        // The client sends the text next, which it executes without keeping it.
        if (hash !== undefined && !query) return find(hash) ?? refuse('persisted_query_not_found');
        if (hash !== undefined && typeof query === 'string' && hash !== hashText(query))
          refuse('validation_failed', { path: persistedHash, message: 'must be the SHA-256 of the query' });
        // The validation of the request refuses a query that is not a string.
        if (only && typeof query === 'string' && find(hashText(query)) === undefined)
          refuse('document_not_trusted');
        return query;
      }
      if (query !== undefined && query !== null && query !== '') {
        refuse('validation_failed', { path: 'documentId', message: 'must be sent without query' });
      }
      const isId = typeof documentId === 'string' && documentId.startsWith(idPrefix);
      const hash = isId ? withoutPrefix(documentId) : '';
      if (!hashForm.test(hash)) {
        const message = `must be ${idPrefix} and ${hashWords}`;
        refuse('validation_failed', { path: 'documentId', message });
      }
      return find(hash) ?? refuse('document_not_found');
    },
    read: (text, operationName) => {
      const hash = hashText(text);
      if (find(hash) === undefined) return operations.read(text, operationName);
      return operations.find(readKnown(hash, text), operationName);
    },
  };
}

/**
 * Reads a manifest of documents: an object of texts by their SHA-256, in hexadecimal digits with or without `sha256:`, as
 * Relay, gql.tada and GraphQL Code Generator write it, or the list of operations that Apollo's tools write. Returns the texts
 * by their hash. Throws an Error that names the first wrong entry.
 */
export function parseManifest(json: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [id, text] of listEntries(parseJson(json))) {
    if (typeof text !== 'string') throw new Error(`the document ${quote(id)} is not text`);
    const hash = hashText(text);
    if (typeof id !== 'string' || withoutPrefix(id) !== hash)
      throw new Error(`the id ${quote(id)} is not the SHA-256 of its document, which is sha256:${hash}`);
    texts.set(hash, text);
  }
  return texts;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('it is not JSON');
  }
}

function listEntries(manifest: unknown): [id: unknown, text: unknown][] {
  if (!isJsonObject(manifest)) throw new Error('it is not an object of documents by their id');
  if (manifest['format'] !== 'apollo-persisted-query-manifest') return Object.entries(manifest);
  if (!Array.isArray(manifest['operations'])) throw new Error('it has no list of operations');
  return manifest['operations'].map((operation: unknown) =>
    isJsonObject(operation) ? [operation['id'], operation['body']] : [undefined, undefined],
  );
}

const longestQuoted = 100;

/** Quotes a part of a manifest, shortened. */
const quote = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, longestQuoted);
