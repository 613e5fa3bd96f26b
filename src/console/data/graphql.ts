import type { initGraphQLTada } from 'gql.tada';
import { parseDocument } from './parseDocument.ts';
// Written from schema.graphql by scripts/build/consoleTypes.mjs.
import type { introspection } from '../../../dist/console-types/schema.d.ts';

/**
 * A document of the public schema; its data and variables are typed by inference. Fragments are not masked: a view takes
 * the types of what it shows by `FragmentOf`.
 */
export const graphql = parseDocument as unknown as initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: {
    CountryCode: string;
    Currency: string;
    Date: string;
    DateTime: string;
    Decimal: string;
    EmailAddress: string;
    JSON: unknown;
    JSONObject: Record<string, unknown>;
    URL: string;
  };
}>;

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
