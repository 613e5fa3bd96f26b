import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, NoUnusedFragmentsRule, parse, specifiedRules, validate } from 'graphql';
import { expect, it } from 'vitest';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const folder = 'src/console';

/** The documents of the console by the file and the line that declares them. */
const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    return [...text.matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map((match): [place: string, document: string] => [
      `${name}:${text.slice(0, match.index).split('\n').length}`,
      match[1]!,
    ]);
  });

const fragments = documents.filter(([, document]) => /^\s*fragment /.test(document));
const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

it('has documents', () => {
  expect(documents.length).toBeGreaterThan(40);
});

// The types of a document say nothing about an argument that the schema does not have.
it.each(documents)('is a valid operation of the public schema: %s', (_, document) => {
  const others = fragments.flatMap(([, text]) => (text === document ? [] : [text]));
  expect(
    validate(schema, parse([document, ...others].join('\n')), rules).map(({ message }) => message),
  ).toEqual([]);
});
