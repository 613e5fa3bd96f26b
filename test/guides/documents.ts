/** The GraphQL documents in the programs of the guides. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Kind, parse, print, visit, type DocumentNode, type NameNode } from 'graphql';
import { root } from '../sourceFiles.ts';
import { readBlocks } from './guide.ts';

const folder = path.join(root, 'docs/guides');
/** Texts in backticks or apostrophes that begin like a document and in which nothing is inserted. */
const texts =
  /`(\s*(?:query|mutation|subscription|fragment|\{)[^`]*)`|'((?:query|mutation|subscription|\{)[^'\n]*)'/g;

function tryParse(text: string): DocumentNode | undefined {
  try {
    return parse(text, { noLocation: true });
  } catch {
    return undefined;
  }
}

/** Relay's documents have fragments in other files, which its compiler reads; those of a gateway are of its own schema. */
const otherGuides = ['relay.md', 'federation.md'];

function listDocumentsOf(guide: string): DocumentNode[] {
  const programs = guide.endsWith('.mjs')
    ? [readFileSync(path.join(folder, guide), 'utf8')]
    : readBlocks(guide)
        .filter(({ info }) => /^(js|jsx|ts)\b/.test(info))
        .map(({ text }) => text);
  return programs
    .flatMap((program) => [...program.matchAll(texts)].map(([, long, short]) => long ?? short!))
    .filter((text) => !text.includes('${'))
    .flatMap((text) => tryParse(text) ?? []);
}

/** Lists the documents of the other guides, in which names are unique: generators demand them, and each guide has its own. */
export function listDocuments(): string[] {
  const guides = readdirSync(folder).filter(
    (name) => /\.(md|mjs)$/.test(name) && !otherGuides.includes(name),
  );
  return guides.flatMap((guide) =>
    listDocumentsOf(guide).map((document, index) => {
      const prefix = `${guide.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}${index}`;
      const rename = (node: { name?: NameNode }) => ({
        ...node,
        name: { kind: Kind.NAME, value: `${prefix}_${node.name?.value ?? ''}` },
      });
      return print(
        visit(document, {
          OperationDefinition: rename,
          FragmentDefinition: rename,
          FragmentSpread: rename,
        }),
      );
    }),
  );
}
