import {
  McpError,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { BillingError, catalogue, type Reason } from '../lib/errors.ts';
import type { Guides } from './guides.ts';
import type { SchemaText } from './schemaText.ts';

/** What clients can attach to a conversation: the schema, the guides and the errors. */
export interface Resources {
  templates: ResourceTemplate[];
  /** Lists all but single types and errors. */
  list(): ListResourcesResult;
  /** Returns a resource. Throws an McpError for an address that there is not. */
  read(uri: string): ReadResourceResult;
}

const scheme = 'perennial://';
const markdown = 'text/markdown';
const graphql = 'application/graphql';

/** By the Model Context Protocol. */
const resourceNotFoundCode = -32_002;

/** Sections of the documentation that are listed; the others are found by search. */
const listedSections = new Set(['Guides', 'Reference', 'Operations']);

/** Creates the resources. */
export function createResources(guides: Guides, schema: SchemaText): Resources {
  const listGuides = () => guides.list().filter(({ section }) => listedSections.has(section));
  return {
    templates: [
      {
        uriTemplate: `${scheme}docs/{+page}`,
        name: 'doc',
        title: 'A page of the documentation',
        mimeType: markdown,
      },
      { uriTemplate: `${scheme}errors/{reason}`, name: 'error', title: 'An error', mimeType: markdown },
      {
        uriTemplate: `${scheme}schema/{name}`,
        name: 'type',
        title: 'A type of the GraphQL schema',
        mimeType: graphql,
      },
    ],
    list: () => ({
      resources: [
        { uri: `${scheme}schema`, name: 'schema', title: 'The GraphQL schema', mimeType: graphql },
        {
          uri: `${scheme}errors`,
          name: 'errors',
          title: 'All errors with their HTTP status',
          mimeType: 'application/json',
        },
        ...ignoreMissing(listGuides).map(({ page, title }) => ({
          uri: `${scheme}docs/${page}`,
          name: page,
          title,
          mimeType: markdown,
        })),
      ],
    }),
    read: (uri) => {
      const found = uri.startsWith(scheme)
        ? readContent(uri.slice(scheme.length), guides, schema)
        : undefined;
      if (found === undefined)
        throw new McpError(
          resourceNotFoundCode,
          'There is no such resource; resources/list names those that there are.',
        );
      return { contents: [{ uri, ...found }] };
    },
  };
}

/** Returns nothing where the documentation has not been built. */
function ignoreMissing<T>(list: () => T[]): T[] {
  try {
    return list();
  } catch (error) {
    if (error instanceof BillingError) return [];
    throw error;
  }
}

interface Content {
  mimeType: string;
  text: string;
}

function readContent(address: string, guides: Guides, schema: SchemaText): Content | undefined {
  const [kind, ...rest] = address.split('/');
  const name = rest.join('/');
  if (kind === 'schema') {
    const text = name === '' ? schema.print() : schema.describe(name);
    return text === undefined ? undefined : { mimeType: graphql, text };
  }
  if (address === 'errors') return { mimeType: 'application/json', text: JSON.stringify(catalogue) };
  const page = kind === 'docs' ? name : Object.hasOwn(catalogue, name) ? `errors/${name}` : '';
  if ((kind !== 'docs' && kind !== 'errors') || page === '') return undefined;
  const [found] = ignoreMissing(() => [guides.read(page)]);
  if (found) return { mimeType: markdown, text: found.text };
  return kind === 'errors' ? describeError(name as Reason) : undefined;
}

/** What is known of an error without the documentation. */
const describeError = (reason: Reason): Content => ({
  mimeType: markdown,
  text: `# ${reason}\n\nHTTP status ${catalogue[reason].status}. ${catalogue[reason].message}`,
});
