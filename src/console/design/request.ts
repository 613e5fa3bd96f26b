import { print } from '@0no-co/graphql.web';
import type { TypedDocumentNode } from 'urql';

/** The request that a screen makes, so that people can copy it. */
export interface ScreenRequest {
  document: TypedDocumentNode<any, any>;
  variables?: Record<string, unknown>;
}

/** Writes a document, and its variables below it as a comment. */
export function formatGraphql({ document, variables }: ScreenRequest): string {
  const used = JSON.stringify(variables ?? {}, undefined, 2);
  return `${print(document)}\n${used === '{}' ? '' : `\n# Variables:\n${used.replace(/^/gm, '# ')}\n`}`;
}

/** Writes the command that makes the same request with an API key. */
export function formatCurl({ document, variables = {} }: ScreenRequest, origin: string): string {
  const body = JSON.stringify({ query: print(document), variables });
  return [
    `curl ${origin}/graphql \\`,
    `  -H "api-key: $PERENNIAL_API_KEY" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${body.replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}
