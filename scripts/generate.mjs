// Writes the generated files; with --check it only reports which of them are stale. Other arguments are passed to
// drizzle-kit: `npm run generate -- --name add_invoices`.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeConsoleProviders, writeProviderList } from './build/providers.mjs';
import { writeResolverList } from './build/resolvers.mjs';
import { ensureBuilt, ensureInstalled, program, root } from './setup.mjs';

const args = process.argv.slice(2);
const checking = args.includes('--check');
const kit = path.join(root, 'node_modules/drizzle-kit/bin.cjs');
const databases = ['sqlite', 'postgres'];

ensureInstalled();
// Parts of the program that prints the others.
const stale = [
  ...writeDocument('src/app/resolvers.ts', writeResolverList()),
  ...writeDocument('src/providers/charging.ts', writeProviderList()),
];
stale.push(
  ...writeDocument('src/console/screens/settings/providerAccounts.ts', await writeConsoleProviders()),
);
// Before the build, which runs the program once: it needs the tables.
for (const database of databases) {
  if (!checking) writeMigration(database);
  stale.push(...listMissingMigrations(database));
}
const { writeWholeSchema } = await import('./build/wholeSchema.mjs');
stale.push(...writeDocument('drizzle/sqlite/schema.sql', writeWholeSchema()));

ensureBuilt();

stale.push(
  ...writeDocument('schema.graphql', print('schema')),
  ...writeDocument('openapi.json', print('openapi')),
);
// Imported here because its packages may have just been installed.
const { updateChangelog } = await import('./changelog.mjs');
stale.push(...updateChangelog(checking));

if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run "npm run generate" and commit the result.`);
  process.exit(1);
}

/** Returns what a command of the program prints. */
function print(command) {
  return run(process.execPath, [program, command]);
}

/** Writes a file; when checking, reports it if it differs. */
function writeDocument(name, content) {
  const file = path.join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return [];
  if (checking) return [name];
  writeFileSync(file, content);
  console.log(`Wrote ${name}`);
  return [];
}

/**
 * Runs drizzle-kit, which adds a migration if the tables have changed and asks at the terminal about renamed columns.
 */
function writeMigration(database) {
  const env = { ...process.env, DRIZZLE_DATABASE: database };
  run(process.execPath, [kit, 'generate', ...args], { stdio: 'inherit', env });
}

/** Lists the migrations that drizzle-kit would add, in a copy of the folder so that a check changes nothing. */
function listMissingMigrations(database) {
  const migrations = path.join(root, 'drizzle', database);
  const copy = mkdtempSync(path.join(tmpdir(), 'perennial-migrations-'));
  try {
    if (existsSync(migrations)) cpSync(migrations, copy, { recursive: true });
    const before = new Set(readdirSync(copy));
    const env = { ...process.env, DRIZZLE_DATABASE: database, DRIZZLE_OUT: path.relative(root, copy) };
    const output = run(process.execPath, [kit, 'generate'], { env });
    const added = readdirSync(copy).filter((name) => name.endsWith('.sql') && !before.has(name));
    if (added.length > 0) return [`drizzle/${database} (the tables have changed)`];
    // drizzle-kit exits with 0 even if it fails, for example without a terminal.
    return output.includes('No schema changes')
      ? []
      : [`drizzle/${database} (the tables have changed, by a rename)`];
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Runs a program and returns its output; exits if it fails. */
function run(command, commandArgs, options = {}) {
  const defaults = {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  };
  const { status, stdout, stderr } = spawnSync(command, commandArgs, { ...defaults, ...options });
  if (status !== 0) {
    console.error(`${commandArgs.join(' ')} failed.\n${stdout ?? ''}${stderr ?? ''}`);
    process.exit(1);
  }
  return stdout;
}
