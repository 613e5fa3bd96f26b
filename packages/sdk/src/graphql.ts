export { createGraphql } from './createGraphql.ts';
export type { Graphql, GraphqlOptions } from './createGraphql.ts';
export type { Document, TypedDocument, TypedText } from './document.ts';
