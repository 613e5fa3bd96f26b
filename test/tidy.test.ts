/** The rules of the house, as a test: who may import whom, what is too long, and what is never written. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, readModule, root, type Import, type Module } from './sourceFiles.ts';

/**
 * The rooms of src, highest first; docs/architecture.md shows the same rows. A file may import its own room and any room
 * of a lower row.
 */
const rows = [
  ['main'],
  ['cli'],
  ['app'],
  ['maintenance', 'http'],
  ['rest'],
  ['webhooks'],
  ['subscriptions'],
  ['renewals'],
  ['invoicing'],
  ['catalog', 'customers', 'account', 'activity'],
  ['graphql'],
  ['tenancy'],
  ['traces'],
  ['pricing'],
  ['providers'],
  ['storage'],
  ['runtime', 'lib'],
];

/** Rooms of the business: their rules know neither GraphQL nor HTTP, which only their `*.graphql.ts` files may import. */
const businessRooms = [
  'webhooks',
  'subscriptions',
  'renewals',
  'invoicing',
  'catalog',
  'customers',
  'account',
  'activity',
  'maintenance',
];

/** Files that something other than src starts from. */
const entries = [
  'src/main.ts',
  'src/storage/sqlite/nativeAddon.ts',
  'src/storage/sqlite/tables.ts',
  'src/storage/postgres/tables.ts',
];

/** What only one file may use. */
const restricted: [use: RegExp, onlyIn: string | null, instead: string][] = [
  [/^(globalThis\.)?process(\.|$)/, 'src/main.ts', 'pass what is needed of the process'],
  [/^(Date\.now|new Date\(\)|Date\(\)|Temporal\.Now)$/, 'src/lib/clock.ts', 'ask the clock'],
  [/^Math\.random$/, null, 'take ids and chance from node:crypto'],
];

const unfinished = /\b(TOD[O]|FIXM[E])\b/;

const longestFile = 300;
/** One page shows the whole interface. */
const longestTable = { file: 'src/rest/routes.ts', lines: 330 };
const longestFunction = 70;

const sources = new Map(filesIn('src').map((file) => [file, readModule(file)]));
const tests = filesIn('test').map(readModule);

const rules: Record<string, () => string[]> = {
  'imports go downwards': () =>
    each((module) => module.imports.flatMap((edge) => wrongDirection(module, edge))),

  'imports name files that exist': () =>
    each(({ file, imports }) =>
      imports
        .filter(({ target }) => !existsSync(path.join(root, target)))
        .map(({ target, line }) => `${file}:${line} there is no ${target}`),
    ),

  'imports make no circle': () => findCycles(),

  'no file only passes on what others export': () =>
    each(({ file, onlyReexports }) =>
      onlyReexports || path.basename(file) === 'index.ts'
        ? [`${file}:1 import from the files themselves`]
        : [],
    ),

  'every file is reached': () => {
    const reached = reachable();
    return [...sources.keys()]
      .filter((file) => !reached.has(file))
      .map((file) => `${file}:1 nothing imports it`);
  },

  'every export is used': () => {
    const used = new Set(
      [...sources.values(), ...tests].flatMap(({ imports }) =>
        imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`)),
      ),
    );
    return each(({ file, exports }) =>
      exports
        .filter(
          ({ name }) => !entries.includes(file) && !used.has(`${file} ${name}`) && !used.has(`${file} *`),
        )
        .map(({ name, line }) => `${file}:${line} nothing imports ${name}`),
    );
  },

  [`no file is longer than ${longestFile} lines`]: () =>
    each(({ file, lines }) => {
      const longest = file === longestTable.file ? longestTable.lines : longestFile;
      return lines > longest ? [`${file}:${longest + 1} has ${lines} lines`] : [];
    }),

  [`no function is longer than ${longestFunction} lines`]: () =>
    each(({ file, functions }) =>
      functions
        .filter(({ lines }) => lines > longestFunction)
        .map(({ line, lines }) => `${file}:${line} has ${lines} lines`),
    ),

  'every exported function says what it does': () =>
    each(({ file, undocumented }) =>
      undocumented.map(({ name, line }) => `${file}:${line} document ${name}`),
    ),

  'the process, the time and chance come from one place': () =>
    each(({ file, uses }) =>
      uses.flatMap(({ use, line }) =>
        restricted
          .filter(([pattern, onlyIn]) => pattern.test(use) && file !== onlyIn)
          .map(([, , instead]) => `${file}:${line} ${use}: ${instead}`),
      ),
    ),

  'nothing is left to do': () =>
    [...sources.values(), ...tests].flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => {
        const found = unfinished.exec(line);
        return found ? [`${file}:${index + 1} ${found[0]}`] : [];
      }),
    ),
};

it('docs/architecture.md shows the rows as they are', () => {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  expect(page).toContain(rows.map((row) => row.map((room) => `\`${room}\``).join(', ')).join(' → '));
  const described = [...page.matchAll(/^\| ((?:`\w+(?:\.ts)?`(?:, )?)+) +\|/gm)].flatMap(([, names]) =>
    Array.from(names!.matchAll(/`(\w+)/g), ([, name]) => name),
  );
  expect(described).toEqual(rows.flat());
});

for (const [rule, problems] of Object.entries(rules)) {
  it(rule, () => {
    const found = problems();
    if (found.length > 0) expect.fail(`${rule}:\n  ${found.join('\n  ')}`);
  });
}

function each(find: (module: Module) => string[]): string[] {
  return [...sources.values()].flatMap(find);
}

const roomOf = (file: string): string => file.split('/')[1]!.replace(/\.ts$/, '');

/** How far below the top a room is; -1 for one that has no row. */
const rowOf = (room: string): number => rows.findIndex((row) => row.includes(room));

function wrongDirection({ file }: Module, { target, line }: Import): string[] {
  const [room, wanted] = [roomOf(file), roomOf(target)];
  const isRule = businessRooms.includes(room) && !file.endsWith('.graphql.ts');
  const needsGraphql = wanted === 'graphql' || target.endsWith('.graphql.ts');
  const isDown = rowOf(room) >= 0 && (room === wanted || rowOf(wanted) > rowOf(room));
  if (isDown && !(isRule && needsGraphql)) return [];
  return [`${file}:${line} (${room}) may not import ${target} (${wanted})`];
}

/** Depth first: an import of a file that is still being visited closes a circle. */
function findCycles(): string[] {
  const cycles: string[] = [];
  const visited = new Set<string>();
  const visit = (file: string, trail: string[]) => {
    visited.add(file);
    for (const { target, line } of sources.get(file)?.imports ?? []) {
      const start = [...trail, file].indexOf(target);
      if (start >= 0) cycles.push(`${file}:${line} ${[...trail, file].slice(start).join(' → ')} → ${target}`);
      else if (!visited.has(target)) visit(target, [...trail, file]);
    }
  };
  for (const file of sources.keys()) if (!visited.has(file)) visit(file, []);
  return cycles;
}

function reachable(): Set<string> {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { target } of sources.get(file)?.imports ?? []) visit(target);
  };
  for (const entry of entries) visit(entry);
  return reached;
}
