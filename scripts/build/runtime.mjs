// Provides the Node.js that the executable contains, and SQLite's driver compiled for it. Run as a program, it prints
// the folder of that Node; with --use it also copies the driver into node_modules, which then works only with that
// Node.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { databaseDriver, root, run } from '../setup.mjs';

const folder = path.join(root, 'deploy/runtime');
const modules = path.join(folder, 'node_modules');
const requireTool = createRequire(path.join(folder, 'package.json'));
const { optionalDependencies: pinned } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

/**
 * Installs missing parts and returns the paths `{ node, addon }`, and `require` for the tool that joins them. On Linux,
 * Node comes from npm, by the lock file in deploy/runtime. npm has no package for other platforms; there the running Node
 * is used and must be new enough.
 */
export function ensureRuntime() {
  const name = `node-linux-${process.arch}`;
  if (process.platform !== 'linux' || !pinned[name]) return useRunningNode();
  const node = path.join(modules, name, 'bin/node');
  const addon = path.join(modules, 'better-sqlite3/build/Release/better_sqlite3.node');
  if (!isReady(node, addon, pinned[name]) || !existsSync(path.join(modules, 'postject')))
    install(path.join(modules, name));
  return { node, addon, require: requireTool };
}

function useRunningNode() {
  const wanted = Math.max(...Object.values(pinned).map((version) => Number.parseInt(version, 10)));
  if (Number.parseInt(process.versions.node, 10) < wanted) {
    throw new Error(`Build the executable with Node ${wanted} or newer: it becomes part of it.`);
  }
  if (!existsSync(path.join(modules, 'postject'))) npm(['ci', '--include=dev', '--ignore-scripts']);
  return { node: process.execPath, addon: databaseDriver, require: requireTool };
}

function isReady(node, addon, version) {
  if (!existsSync(node) || !existsSync(addon)) return false;
  const load = `require(${JSON.stringify(addon)}); process.stdout.write(process.versions.node)`;
  return spawnSync(node, ['-e', load], { encoding: 'utf8' }).stdout === version;
}

function install(nodeFolder) {
  console.error('Installing the Node.js of the executable …');
  npm(['ci', '--include=dev', '--ignore-scripts']);
  removeCleanupHooks(path.join(nodeFolder, 'include/node/node_object_wrap.h'));
  // With this PATH, npm and node-gyp build for the first Node in it, with its own headers.
  const PATH = `${path.join(nodeFolder, 'bin')}${path.delimiter}${process.env.PATH}`;
  npm(['rebuild', 'better-sqlite3'], { ...process.env, PATH, npm_config_nodedir: nodeFolder });
}

function npm(args, env = process.env) {
  run('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, env, stdio: ['ignore', 2, 2] });
}

/**
 * Since 24.19, the header of Node 24 makes native packages abort the process (SIGABRT) when garbage is collected
 * outside of JavaScript: https://github.com/nodejs/node/issues/65446. Without these two calls they work, as before
 * 24.19.
 */
function removeCleanupHooks(header) {
  const source = readFileSync(header, 'utf8');
  const patched = source.replace(/^ +(Add|Remove)CleanupHook\(\);\n/gm, '');
  if (source.includes('CleanupHook') && source === patched) throw new Error(`Cannot patch ${header}.`);
  writeFileSync(header, patched);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { node, addon } = ensureRuntime();
  if (process.argv.includes('--use') && addon !== databaseDriver) {
    // Replaced by a new file: running programs have the old one mapped into memory.
    rmSync(databaseDriver, { force: true });
    copyFileSync(addon, databaseDriver);
  }
  console.log(path.dirname(node));
}
