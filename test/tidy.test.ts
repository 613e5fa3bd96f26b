/** The rules of the house that the linter and knip do not know: which folder may import which, and what is documented. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { longFiles } from './support/longFiles.ts';
import { filesIn, readModule, root, type Import, type Module } from './sourceFiles.ts';

/**
 * The folders of src, highest first, as in docs/architecture.md. A file may import from its own folder and from any folder
 * of a lower row.
 */
const rows = [
  ['main'],
  ['cli'],
  ['app'],
  ['pages', 'maintenance', 'mcp', 'catalogFile'],
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

/** The folders of src/billing, in the same way. */
const billingRows = [
  ['collection', 'entitlements'],
  ['subscriptions'],
  ['renewals', 'audit'],
  ['invoices'],
  ['discounts', 'payments'],
  ['tax'],
  ['catalog'],
  ['customers', 'pricing'],
  ['usage'],
];

/** Rooms of the business: their rules know neither GraphQL nor HTTP, which only their `*.graphql.ts` files may import. */
const businessRooms = [
  'outgoing',
  'access',
  'insights',
  'erasure',
  'billing',
  'tenants',
  'maintenance',
  'catalogFile',
];

const getRoom = (file: string): string => file.split('/')[1]!.replace(/\.ts$/, '');
/** The folder within its room. */
const getInnerRoom = (file: string): string => file.split('/')[2]!;

const all = filesIn('src').map(readModule);
const sdk = filesIn('packages/sdk/src')
  .filter((file) => !file.includes('/generated/'))
  .map(readModule);
const isOfConsole = ({ file }: Module) => getRoom(file) === 'console';
const isOfBilling = ({ file }: Pick<Module, 'file'>) => file.startsWith('src/billing/');
const sources = all.filter((module) => !isOfConsole(module));

/** A process has one event loop, and loads a compiled library once. */
const statefulModules = [
  'src/runtime/eventLoopTurn.ts',
  'src/runtime/yield.ts',
  'src/storage/sqlite/nativeAddon.ts',
];

const rules: Record<string, () => string[]> = {
  'imports go downwards': () =>
    sources.flatMap((module) => module.imports.flatMap((edge) => wrongDirection(module, edge))),

  'imports within billing go downwards': () =>
    sources.filter(isOfBilling).flatMap(({ file, imports }) =>
      imports
        .filter(({ target }) => isOfBilling({ file: target }))
        .filter(({ target }) => !isDown(billingRows, getInnerRoom(file), getInnerRoom(target)))
        .map(({ target, line }) => `${file}:${line} may not import ${target}`),
    ),

  'the console knows the server only by its schema': () =>
    all
      .filter(isOfConsole)
      .flatMap(({ file, imports }) =>
        imports
          .filter(({ target }) => !/^(src\/console|dist\/console-types)\//.test(target))
          .map(({ target, line }) => `${file}:${line} may not import ${target}`),
      ),

  'the SDK imports nothing of the server': () =>
    sdk.flatMap(({ file, imports }) =>
      imports
        .filter(({ target }) => !target.startsWith('packages/sdk/src/'))
        .map(({ target, line }) => `${file}:${line} may not import ${target}`),
    ),

  'every exported function says what it does': () =>
    [...all, ...sdk].flatMap(({ file, undocumented }) =>
      undocumented.map(({ name, line }) => `${file}:${line} document ${name}`),
    ),

  // A text that is missing or too much then fails the compilation.
  'translations are in texts/{language}.ts, and have the type of the English ones': () =>
    all
      .filter(({ file }) => /\/(de|es|fa|fr|ps)\.ts$/.test(file))
      .filter(({ file }) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return path.basename(path.dirname(file)) !== 'texts' || !text.includes(': typeof en = {');
      })
      .map(({ file }) => file),

  // The linter refuses the other sources of the time: it has no rule for a constructor without arguments.
  'the time comes from the clock': () =>
    all
      .filter(({ file }) => file !== 'src/lib/clock.ts')
      .flatMap(({ file, currentDates }) => currentDates.map((line) => `${file}:${line} ask the clock`)),

  // A cache by the object that it is about ends with it, and says what it saves.
  'no module has state, except what a process has once, and caches by object': () =>
    all
      .filter(({ file }) => !statefulModules.includes(file))
      .flatMap(({ file, state }) =>
        state
          .filter(({ name, isWeakMap }) => !(isWeakMap && name.endsWith('Cache')))
          .map(({ name, line }) => `${file}:${line} give ${name} an owner that is handed in`),
      ),
};

it('docs/architecture.md shows the present layers', () => {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  for (const order of [rows, billingRows])
    expect(page).toContain(order.map((row) => row.map((room) => `\`${room}\``).join(', ')).join(' → '));
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

/** Whether a room may import from another: from itself and from lower rows. A room without a row may import nothing. */
function isDown(order: string[][], room: string, wanted: string): boolean {
  const findRow = (each: string): number => order.findIndex((row) => row.includes(each));
  return findRow(room) >= 0 && (room === wanted || findRow(wanted) > findRow(room));
}

function wrongDirection({ file }: Module, { target, line }: Import): string[] {
  const [room, wanted] = [getRoom(file), getRoom(target)];
  const isRule = businessRooms.includes(room) && !file.endsWith('.graphql.ts');
  const needsGraphql = wanted === 'graphql' || target.endsWith('.graphql.ts');
  if (isDown(rows, room, wanted) && !(isRule && needsGraphql)) return [];
  return [`${file}:${line} (${room}) may not import ${target} (${wanted})`];
}

it('names only tests that exist among those that take longest', () => {
  const listed = Object.values(longFiles).flat();
  expect(listed.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

it('names each package of the tests and checks somewhere', () => {
  // Loaded by the mutation tests and the linter, without being named.
  const loadedByOthers = /^(@types\/|@stryker-mutator\/vitest-runner$|oxlint-tsgolint$)/;
  const named = ['src', 'test', 'scripts', 'docs', 'package.json', 'stryker.config.json', 'drizzle.config.ts']
    .flatMap((place) => listTexts(place))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'test/tools/package.json'), 'utf8'));
  const unnamed = Object.keys(devDependencies).filter((name) => !loadedByOthers.test(name));
  expect(unnamed.length).toBeGreaterThan(10);
  expect(unnamed.filter((name) => !named.includes(name))).toEqual([]);
});

/** The files of a folder that can name a package, or the file itself; not the lists of packages. */
function listTexts(place: string): string[] {
  const full = path.join(root, place);
  if (!statSync(full).isDirectory()) return [full];
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|jsx|mjs|cjs|md)$/.test(file) && !/node_modules|dependencies\.md$/.test(file))
    .map((file) => path.join(full, file));
}
