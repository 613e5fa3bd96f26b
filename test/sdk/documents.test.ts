/** Documents that the SDK is handed parsed, as gql.tada and GraphQL Code Generator make them. */
import { parse, print } from 'graphql';
import { expect, it } from 'vitest';
import { listDocuments } from '../guides/documents.ts';
import { importSdk } from '../support/sdk.ts';

const { readDocument } = await importSdk('document');

const documents = [
  ...listDocuments(),
  'query Q($a: [Int!]! = [1, 2], $o: In = {a: "x\\n\\"y", b: [E, null, true, 1.5e3]} @d) @x(y: $a) { a: b(c: $o) @include(if: $i) { ... on T @y { id } ...F } } fragment F on T @z { id }',
  'subscription { a(text: """\n  block "text" \\""" end\n""") }',
];

it('parsed documents are written as they were', () => {
  expect(documents.length).toBeGreaterThan(100);
  for (const text of documents) {
    const written = readDocument(parse(text, { noLocation: true })) as { query: string };
    // A block of text is written as a text.
    const plain = (document: string) =>
      print(
        parse(document.replace('"""\n  block "text" \\""" end\n"""', '"block \\"text\\" \\"\\"\\" end"')),
      );
    expect(print(parse(written.query)), text).toBe(plain(text));
  }
});

it.each([
  ['{ a }', 'anonymous', false],
  ['query Shown { a }', 'Shown', false],
  ['mutation Pay($id: ID!) { pay(id: $id) { id } }', 'Pay', true],
  ['# mutation\nquery A { mutation }', 'A', false],
  ['query A($t: String = "mutation B") { a }', 'A', false],
  ['fragment F on T { mutation } mutation{ a { ...F } }', 'anonymous', true],
  ['fragment F on T { a }\n\nmutation B { b }', 'B', true],
  ['subscription { a }', 'anonymous', false],
])('%j is %s', (query, name, isMutation) => {
  for (const document of [query, new String(query)])
    expect(readDocument(document)).toEqual({ query, name, isMutation });
  expect(readDocument(parse(query))).toMatchObject({ name, isMutation });
});
