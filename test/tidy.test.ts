/** The rules of the house, as a test: who may import whom, what is too long, and what is never written. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, readModule, root, type Import, type Module } from './sourceFiles.ts';

/**
 * Who may import whom, highest first: a layer, its files, and what they may import besides their own layer.
 * A file belongs to the first layer that matches it.
 */
const layers: [layer: string, files: RegExp, mayImport: string[]][] = [
  ['main', /^src\/main\.ts$/, ['cli', 'app', 'config', 'base']],
  ['cli', /^src\/cli\//, ['app', 'config', 'operations', 'http', 'rest', 'graphql', 'tenants', 'db', 'base']],
  ['operations', /^src\/operations\//, ['features', 'tenants', 'db', 'base']],
  [
    'app',
    /^src\/(app|schema|upkeep)\.ts$/,
    ['config', 'http', 'rest', 'graphql', 'resolvers', 'features', 'tenants', 'db', 'base'],
  ],
  ['http', /^src\/http\//, ['config', 'rest', 'graphql', 'features', 'tenants', 'base']],
  ['rest', /^src\/rest\//, ['graphql', 'base']],
  ['resolvers', /\.graphql\.ts$/, ['graphql', 'rules', 'base']],
  // The kit knows no feature; the tenant is its gate to the data.
  ['graphql', /^src\/graphql\//, ['tenants', 'db', 'base']],
  // The calendar of billing is pure, and of use to all.
  ['base', /^src\/billing\/schedule\.ts$/, []],
  ['tenants', /^src\/tenants\//, ['features', 'db', 'base']],
  [
    'features',
    /^src\/(traces|customers|catalog|billing|payments|subscriptions|webhooks)\//,
    ['tenants', 'db', 'base'],
  ],
  ['db', /^src\/db\//, ['base']],
  ['config', /^src\/(config|settings)\.ts$/, ['base']],
  ['base', /^src\/[^/]+\.ts$/, []],
];

/** Features call each other only downwards: a row may import itself and the rows before it. */
const featuresFromBottom = [
  ['payments'],
  ['tenants', 'traces'],
  ['customers'],
  ['catalog'],
  ['billing'],
  ['subscriptions'],
  ['webhooks'],
];

/** Files that something other than src starts from. */
const entries = ['src/main.ts', 'src/addon.ts', 'src/db/tables.sqlite.ts', 'src/db/tables.postgres.ts'];

/** What only one file may use. */
const restricted: [use: RegExp, onlyIn: string | null, instead: string][] = [
  [/^(globalThis\.)?process(\.|$)/, 'src/main.ts', 'pass what is needed of the process'],
  [/^(Date\.now|new Date\(\)|Date\(\)|Temporal\.Now)$/, 'src/clock.ts', 'ask the clock'],
  [/^Math\.random$/, null, 'take ids and chance from node:crypto'],
];

/** Words about who wrote the code and where. One letter of each is bracketed, or the list would find itself. */
const unwanted =
  /\b(TOD[O]|FIXM[E])\b|(?<!user-)\b(ag[e]nt|se[s]sion)s?\b|\bcl[a]ude\b|\bl[l]ms?\b|\/(h[o]me|r[o]ot|w[o]rk)\/\w/i;

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

  'nothing is left to do, and the code speaks of billing alone': () =>
    [...sources.values(), ...tests].flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => {
        const found = unwanted.exec(line);
        return found ? [`${file}:${index + 1} ${found[0]}`] : [];
      }),
    ),
};

for (const [rule, problems] of Object.entries(rules)) {
  it(rule, () => {
    const found = problems();
    if (found.length > 0) expect.fail(`${rule}:\n  ${found.join('\n  ')}`);
  });
}

function each(find: (module: Module) => string[]): string[] {
  return [...sources.values()].flatMap(find);
}

function layerOf(file: string) {
  return layers.find(([, files]) => files.test(file)) ?? (['no layer', /^/, []] as const);
}

/** How high a feature's rules stand; -1 for what is no feature's. */
function heightOf(file: string): number {
  const folder = file.split('/')[1]!;
  return featuresFromBottom.findIndex((row) => row.includes(folder));
}

function wrongDirection({ file }: Module, { target, line }: Import): string[] {
  const [layer, , mayImport] = layerOf(file);
  const [wanted] = layerOf(target);
  const isRule = wanted === 'features' || wanted === 'tenants';
  const allowed = wanted === layer || mayImport.includes(wanted) || (mayImport.includes('rules') && isRule);
  const isOfFeature = layer === 'features' || layer === 'tenants' || layer === 'resolvers';
  if (allowed && !(isOfFeature && wanted !== 'base' && heightOf(target) > heightOf(file))) return [];
  return [`${file}:${line} (${layer}) may not import ${target} (${wanted})`];
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
