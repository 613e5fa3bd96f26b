// Installs SQLite's driver alone, beside the packages of the build, which take longer: prebuilt, or compiled here.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installLocked, perform } from './lockedPackages.mjs';
import { isDriverLoadable, quietly, root } from './setup.mjs';

const folder = path.join(root, 'dist/driver');
const driver = path.join(folder, 'node_modules/better-sqlite3');
const release = path.join(driver, 'build/Release');
const downloadMs = 30_000;

/** What the program needs besides its bundle: the driver and the packages that find its compiled part. */
const needed = ['better-sqlite3', 'bindings', 'file-uri-to-path'];

/** Installs the driver into dist/driver by the lock file of deploy/runtime; returns how it came. Throws the output of what failed. */
export async function installDriver() {
  await installLocked(path.join(root, 'deploy/runtime'), folder, ['--omit=dev', '--omit=optional']);
  if (await download()) return 'prebuilt';
  if (await compileQuickly()) return 'compiled here, as there is no prebuilt one';
  await perform('npm', ['rebuild', 'better-sqlite3', ...quietly], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  return 'compiled by node-gyp, as there is no prebuilt one';
}

/** Copies the driver that there is to where a new one is installed, if it loads and is the one of the lock file; returns whether it is. */
export function keepDriver() {
  const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  const placed = 'node_modules/better-sqlite3';
  const { version } = read('deploy/runtime/package-lock.json').packages[placed];
  if (!isDriverLoadable() || read(`${placed}/package.json`).version !== version) return false;
  rmSync(folder, { recursive: true, force: true });
  for (const name of needed)
    cpSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name), {
      recursive: true,
    });
  return true;
}

/** Gives the driver that was installed to the packages of the build. */
export function placeDriver() {
  for (const name of needed) {
    const place = path.join(root, 'node_modules', name);
    rmSync(place, { recursive: true, force: true });
    renameSync(path.join(folder, 'node_modules', name), place);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the packages that only the build needs, in a process of its own: it takes seconds. */
export function removeBuildPackages() {
  const modules = path.join(root, 'node_modules');
  const old = path.join(root, `dist/packages.${process.pid}`);
  renameSync(modules, old);
  mkdirSync(modules);
  for (const name of needed) renameSync(path.join(old, name), path.join(modules, name));
  const remove = `require('node:fs').rmSync(${JSON.stringify(old)}, { recursive: true, force: true })`;
  spawn(process.execPath, ['-e', remove], { detached: true, stdio: 'ignore' }).unref();
}

async function download() {
  const install = createRequire(path.join(driver, 'package.json')).resolve('prebuild-install/bin.js');
  try {
    await perform(process.execPath, [install], { cwd: driver, timeout: downloadMs });
    return true;
  } catch {
    return false;
  }
}

/**
 * Compiles the driver with two calls of the compiler, at a lower optimization that takes a third of the time and is a few
 * per cent slower to run. Returns false where node-gyp has to do it: no compiler, no headers of this Node, another system.
 */
async function compileQuickly() {
  const headers = path.join(path.dirname(process.execPath), '../include/node');
  const hasCompilers = ['cc', 'c++'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (process.platform !== 'linux' || !hasCompilers || !matchesNode(headers)) return false;
  mkdirSync(release, { recursive: true });
  const objects = ['sqlite3.o', 'better_sqlite3.o'].map((name) => path.join(release, name));
  const shared = ['-O1', '-fPIC', '-w', '-DNDEBUG', '-Ideps/sqlite3', ...readDefines()];
  const [addon, ofAddon] = ['src/better_sqlite3.cpp', ['-std=c++20', '-fno-rtti', '-fno-exceptions']];
  const options = { cwd: driver };
  try {
    await Promise.all([
      perform('cc', [...shared, '-c', 'deps/sqlite3/sqlite3.c', '-o', objects[0]], options),
      perform('c++', [...shared, ...ofAddon, `-I${headers}`, '-c', addon, '-o', objects[1]], options),
    ]);
    const made = path.join(release, 'better_sqlite3.node');
    await perform('c++', ['-shared', '-Wl,-Bsymbolic', '-s', ...objects, '-o', made], options);
    return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(made)})`]).status === 0;
  } catch {
    return false;
  } finally {
    for (const object of objects) rmSync(object, { force: true });
  }
}

/** Whether the headers are of the Node that runs. */
function matchesNode(headers) {
  const file = path.join(headers, 'node_version.h');
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map(
    (part) => new RegExp(`NODE_${part}_VERSION (\\d+)`).exec(text)?.[1],
  );
  // Headers of Node 24.19 and a later 24 make a driver that aborts the process: the runtime of the executable has others.
  return process.versions.node === `${major}.${minor}.${patch}` && major !== '24';
}

/** SQLite's options, as the package sets them. */
function readDefines() {
  const text = readFileSync(path.join(driver, 'deps/defines.gypi'), 'utf8');
  const listed = text.slice(text.indexOf('['), text.indexOf(']'));
  return [...listed.matchAll(/'([^']+)'/g)].map(([, define]) => `-D${define}`);
}
