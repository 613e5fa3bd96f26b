/** The rules of the house that the linter and knip do not know: which folder may import which, and what is documented. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, readModule, root, type Import, type Module } from './sourceFiles.ts';

/**
 * The folders of src, highest first, as in docs/architecture.md. A file may import from its own folder and from any folder
 * of a lower row.
 */
const rows = [
  ['main'],
  ['cli'],
  ['app'],
  ['pages', 'maintenance'],
  ['http'],
  ['outgoing'],
  ['access', 'insights', 'erasure'],
  ['billing'],
  ['tenants', 'rest'],
  ['graphql'],
  ['tenancy'],
  ['config'],
  ['providers', 'documents'],
  ['storage'],
  ['runtime', 'lib'],
];

/** Rooms of the business: their rules know neither GraphQL nor HTTP, which only their `*.graphql.ts` files may import. */
const businessRooms = ['outgoing', 'access', 'insights', 'erasure', 'billing', 'tenants', 'maintenance'];

const getRoom = (file: string): string => file.split('/')[1]!.replace(/\.ts$/, '');

const all = filesIn('src').map(readModule);
const isOfConsole = ({ file }: Module) => getRoom(file) === 'console';
const sources = all.filter((module) => !isOfConsole(module));

const rules: Record<string, () => string[]> = {
  'imports go downwards': () =>
    sources.flatMap((module) => module.imports.flatMap((edge) => wrongDirection(module, edge))),

  'the console knows the server only by its schema': () =>
    all
      .filter(isOfConsole)
      .flatMap(({ file, imports }) =>
        imports
          .filter(({ target }) => !/^(src\/console|dist\/console-types)\//.test(target))
          .map(({ target, line }) => `${file}:${line} may not import ${target}`),
      ),

  'every exported function says what it does': () =>
    all.flatMap(({ file, undocumented }) =>
      undocumented.map(({ name, line }) => `${file}:${line} document ${name}`),
    ),

  // The linter refuses the other sources of the time: it has no rule for a constructor without arguments.
  'the time comes from the clock': () =>
    all
      .filter(({ file }) => file !== 'src/lib/clock.ts')
      .flatMap(({ file, currentDates }) => currentDates.map((line) => `${file}:${line} ask the clock`)),
};

it('docs/architecture.md shows the present layers', () => {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  expect(page).toContain(rows.map((row) => row.map((room) => `\`${room}\``).join(', ')).join(' → '));
  const described = [...page.matchAll(/^\| ((?:`\w+(?:\.ts)?`(?:, )?)+) +\|/gm)].flatMap(([, names]) =>
    Array.from(names!.matchAll(/`(\w+)/g), ([, name]) => name),
  );
  expect(described).toEqual([...rows.flat(), 'console']);
});

for (const [rule, problems] of Object.entries(rules)) {
  it(rule, () => {
    expect(problems()).toEqual([]);
  });
}

/** How far below the top a room is; -1 for one that has no row. */
const findRow = (room: string): number => rows.findIndex((row) => row.includes(room));

function wrongDirection({ file }: Module, { target, line }: Import): string[] {
  const [room, wanted] = [getRoom(file), getRoom(target)];
  const isRule = businessRooms.includes(room) && !file.endsWith('.graphql.ts');
  const needsGraphql = wanted === 'graphql' || target.endsWith('.graphql.ts');
  const isDown = findRow(room) >= 0 && (room === wanted || findRow(wanted) > findRow(room));
  if (isDown && !(isRule && needsGraphql)) return [];
  return [`${file}:${line} (${room}) may not import ${target} (${wanted})`];
}
