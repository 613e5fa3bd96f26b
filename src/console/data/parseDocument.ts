import { Kind, parse, type DocumentNode } from '@0no-co/graphql.web';

/** Parses a GraphQL document and adds the fragments that it uses, each once. Throws a GraphQLError for wrong syntax. */
export function parseDocument(text: string, fragments: readonly DocumentNode[] = []): DocumentNode {
  const definitions = new Set(parse(text, { noLocation: true }).definitions);
  for (const fragment of fragments) for (const each of fragment.definitions) definitions.add(each);
  return { kind: Kind.DOCUMENT, definitions: [...definitions] };
}
