// Installs dependencies and builds the program if they have changed. Uses only Node's own modules, because it runs
// before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const program = path.join(root, 'dist/perennial.mjs');
export const buildStamp = path.join(root, 'dist/.stamp');
export const binary = path.join(root, 'dist/perennial');
export const binaryStamp = path.join(root, 'dist/.binary-stamp');
export const databaseDriver = path.join(
  root,
  'node_modules/better-sqlite3/build/Release/better_sqlite3.node',
);

/** All sources of the build. */
const sources = [
  'src',
  'drizzle',
  'package-lock.json',
  'tsconfig.json',
  'scripts',
  'deploy/runtime/package-lock.json',
];

/** Makes node_modules match package-lock.json, with the packages of the tests and checks (`test/tools/package.json`) too. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log('Installing the packages of the program and of its tests (about 1,000) …');
  // The build tools are needed even if NODE_ENV=production.
  run('npm', ['ci', '--include=dev', ...quietly], { shell: process.platform === 'win32' });
  replaceUnsafeDriver();
}

/** Options of npm: its warnings are about tools that need a later Node, about which a user can do nothing. */
export const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Replaces a driver that would abort the process by one that does not. */
export function replaceUnsafeDriver() {
  if (abortsProcess()) run(process.execPath, ['scripts/build/runtime.mjs', '--use']);
}

/**
 * Whether the driver was compiled with the headers of Node 24.19 or a later 24, which abort the process (SIGABRT) when
 * garbage is collected: https://github.com/nodejs/node/issues/65446.
 */
function abortsProcess() {
  const [major] = process.versions.node.split('.').map(Number);
  return major === 24 && readFileSync(databaseDriver).includes('RemoveEnvironmentCleanupHook');
}

/** Whether dist/ was built from the current sources. */
export const isBuilt = () =>
  existsSync(program) && existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === hashSources();

/** Builds dist/ unless it was built from the current sources. */
export function ensureBuilt() {
  if (isBuilt()) return;
  console.log('Building (the sources have changed) …');
  run(process.execPath, ['scripts/build/program.mjs']);
}

/** Runs a program; if it fails, exits with the same code. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) console.error(`Cannot run ${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Hashes the path and content of every source. */
export function hashSources() {
  const hash = createHash('sha256');
  for (const file of sources.flatMap(listFiles)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function listFiles(name) {
  const full = path.join(root, name);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [name];
  const children = readdirSync(full).toSorted();
  return children.flatMap((child) => listFiles(`${name}/${child}`));
}

/**
 * Whether node_modules matches package-lock.json, by npm's own record, so a manual installation counts as well. With
 * `programOnly`, the packages of the program and of its build suffice.
 */
export function isInstalled(programOnly = false) {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  // The packages of the program bring what they need themselves with them: npm records a complete installation only.
  const { dependencies, devDependencies } = wanted[''];
  const names = programOnly
    ? Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`)
    : Object.keys(wanted).filter((name) => name !== '' && !wanted[name].optional);
  const isCurrent = (name) => present[name]?.version === wanted[name]?.version;
  return names.every(isCurrent) && Object.keys(present).every(isCurrent) && isDriverLoadable();
}

function readPackages(lockfile) {
  const full = path.join(root, lockfile);
  return existsSync(full) ? JSON.parse(readFileSync(full, 'utf8')).packages : {};
}

/**
 * Whether the compiled database driver loads, which it does not after a change of Node's major version. Another process
 * tries: one that has failed to load a driver cannot load the one that replaces it ("Module did not self-register").
 */
export function isDriverLoadable() {
  const load = `require(${JSON.stringify(databaseDriver)})`;
  return spawnSync(process.execPath, ['-e', load], { stdio: 'ignore' }).status === 0;
}
