// Lists the changes of schema.graphql since the last release in CHANGELOG.md, between two markers. `npm run changelog`
// and `npm run generate` write the list; `npm run check:generated` compares it. The last release is the version of
// package.json.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BreakingChangeType, buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = path.join(root, 'CHANGELOG.md');
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const [begin, end] = ['<!-- schema changes, by npm run changelog -->', '<!-- end of schema changes -->'];

/** Writes the list, or only compares it if `checking`; returns the names of stale files. */
export function updateChangelog(checking) {
  const text = readFileSync(page, 'utf8');
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`CHANGELOG.md lacks ${begin} or ${end}.`);
  const changes = listChanges();
  const updated = `${text.slice(0, start + begin.length)}\n\n${changes && `${changes}\n`}${text.slice(stop)}`;
  if (updated === text) return [];
  if (checking) return ['CHANGELOG.md (the changes of the schema)'];
  writeFileSync(page, updated);
  console.log('Wrote CHANGELOG.md');
  return [];
}

const additions = new Set([BreakingChangeType.TYPE_REMOVED, BreakingChangeType.FIELD_REMOVED]);

function listChanges() {
  const { version } = JSON.parse(read('package.json'));
  const released = buildSchema(read(`test/fixtures/${version}/schema.graphql`));
  const current = buildSchema(read('schema.graphql'));
  // Additions are breaking changes in the opposite direction.
  const added = findBreakingChanges(current, released)
    .filter(({ type }) => additions.has(type))
    .map(({ description }) => ({ description: description.replace(' was removed.', ' was added.') }));
  const lists = [
    { title: 'Breaking', changes: findBreakingChanges(released, current) },
    { title: 'May surprise a client', changes: findDangerousChanges(released, current) },
    { title: 'Added', changes: added },
  ]
    .filter(({ changes }) => changes.length > 0)
    .map(({ title, changes }) => `#### ${title}\n\n${formatChanges(changes)}\n`);
  return lists.length === 0 ? '' : [`### The GraphQL schema since ${version}\n`, ...lists].join('\n');
}

/** Sorted, so that the order of declarations in the schema does not matter. */
const formatChanges = (changes) =>
  ['```text', ...changes.map(({ description }) => description).toSorted(), '```'].join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) updateChangelog(false);
