import { readDocument, type Document } from './document.ts';
import type { PerennialOptions, RequestOptions } from './options.ts';
import type { Send } from './request.ts';
import { createSend } from './request.ts';

/** Options of a document, which has a selection of its own. */
export type GraphqlOptions = Omit<RequestOptions, 'select'>;

/** The variables may be left out if a document has none that is required. */
type RestOfCall<Variables> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: GraphqlOptions]
    : [variables: Variables, options?: GraphqlOptions];

/**
 * Executes a document: text, or one of gql.tada or GraphQL Code Generator, by which the variables and the result are typed.
 */
export type Graphql = <Result = Record<string, unknown>, Variables = Record<string, unknown>>(
  document: Document<Result, Variables>,
  ...rest: RestOfCall<Variables>
) => Promise<Result>;

/** Returns the function that executes documents. */
export const wrapSend = (send: Send): Graphql =>
  ((document: Document<never, never>, variables: Record<string, unknown> = {}, options?: GraphqlOptions) =>
    send({ ...readDocument(document), variables }, options)) as Graphql;

/** Creates a client of documents alone, without the methods by resource. */
export const createGraphql = (options: PerennialOptions): Graphql => wrapSend(createSend(options));
