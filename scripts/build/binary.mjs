// Builds dist/perennial: the program, Node and all dependencies in one file (Node's single-executable support).
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { buildDocs } from './docs.mjs';
import { buildDocuments } from './documents.mjs';
import { buildExplorer } from './explorer.mjs';
import { bundled, define, bundlePlugins } from './bundlePlugins.mjs';
import { recordBundle } from './contents.mjs';
import { loadWhenStarted } from './executable/lateModules.mjs';
import { ensureRuntime } from './runtime.mjs';
import { binary, binaryStamp, hashSources, root } from '../setup.mjs';

const begunAt = performance.now();
const hash = hashSources();
const work = path.join(root, 'dist/binary');
const program = path.join(work, 'perennial.cjs');
const addon = 'better_sqlite3.node';
const isMac = process.platform === 'darwin';
const runtime = ensureRuntime();
const { inject } = runtime.require('postject');

rmSync(binaryStamp, { force: true });
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

await buildExplorer();
await buildDocuments();
await buildDocs();
await buildConsole();
await bundle();
await bundleDriver();
renameSync(await makeExecutable(listAssets()), binary);
rmSync(work, { recursive: true });
writeFileSync(binaryStamp, hash);

const megabytes = statSync(binary).size / 1e6;
const seconds = (performance.now() - begunAt) / 1000;
console.log(`Built dist/perennial (${megabytes.toFixed(1)} MB, in ${seconds.toFixed(1)} s)`);

/**
 * Bundles the program as the script of which Node makes a start-up snapshot: the executable begins with all modules loaded and
 * the GraphQL schema built.
 */
async function bundle() {
  const { metafile } = await build({
    ...bundled,
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outfile: program,
    banner: { js: 'var module = { exports: {} }, exports = module.exports;' },
    footer: {},
    define: { ...define, 'import.meta.url': 'undefined' },
    plugins: [
      { name: 'late', setup: loadWhenStarted },
      ...bundlePlugins,
      { name: 'addon', setup: loadAddonFromExecutable },
      { name: 'optional', setup: omitOptional },
    ],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  recordBundle('binary', metafile);
  const [output] = Object.values(metafile.outputs);
  const missing = output.imports.filter((each) => each.external && !isBuiltin(each.path));
  if (missing.length > 0)
    throw new Error(`Not in the bundle: ${missing.map((each) => each.path).join(', ')}`);
}

/**
 * The part of better-sqlite3 used by the reader thread: a function of the compiled part, which the program has loaded.
 */
async function bundleDriver() {
  await build({
    ...bundled,
    absWorkingDir: root,
    stdin: { contents: "module.exports = require('better-sqlite3');", resolveDir: root },
    outfile: path.join(work, 'better-sqlite3.cjs'),
    banner: { js: '(function (require, module, exports, addon) {' },
    plugins: [{ name: 'addon', setup: loadAddonFromThread }],
  });
}

function loadAddonFromThread({ onResolve, onLoad }) {
  onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'addon' }));
  onLoad({ filter: /.*/, namespace: 'addon' }, () => ({ contents: 'module.exports = () => addon;' }));
}

/** better-sqlite3 searches folders for its compiled part, with the package `bindings`. */
function loadAddonFromExecutable({ onResolve, onLoad }) {
  onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'addon' }));
  onLoad({ filter: /.*/, namespace: 'addon' }, () => ({
    contents:
      "const { loadAddon } = require('./src/storage/sqlite/nativeAddon.ts'); module.exports = loadAddon;",
    resolveDir: root,
  }));
}

/** Optional dependencies of packages. Requiring them from Node would print a warning that there are no packages. */
function omitOptional({ onResolve, onLoad }) {
  const optional = /^(class-validator|encoding|pg-native|bufferutil|utf-8-validate)$/;
  onResolve({ filter: optional }, ({ path: name }) => ({ path: name, namespace: 'optional' }));
  onLoad({ filter: /.*/, namespace: 'optional' }, ({ path: name }) => ({
    contents: `throw Object.assign(new Error('There is no ${name}.'), { code: 'MODULE_NOT_FOUND' });`,
  }));
}

/** Lists all files that the program reads at run time, under their names in `src/lib/assets.ts`. */
function listAssets() {
  const own = path.join(work, addon);
  copyFileSync(runtime.addon, own);
  chmodSync(own, 0o644);
  strip(own);
  const files = { [addon]: own, 'better-sqlite3.cjs': path.join(work, 'better-sqlite3.cjs') };
  for (const folder of ['drizzle', 'dist/explorer', 'dist/docs', 'dist/documents', 'dist/console']) {
    for (const entry of readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('_snapshot.json')) continue;
      const file = path.join(entry.parentPath, entry.name);
      files[path.relative(root, file)] = file;
    }
  }
  return files;
}

/** Adds the snapshot and the assets to the runtime's Node, without its symbols; returns the path of the result. */
async function makeExecutable(assets) {
  const hashes = Object.entries(assets).map(([name, file]) => [
    name,
    createHash('sha256').update(readFileSync(file)).digest('hex'),
  ]);
  const list = write('assets.json', Object.fromEntries(hashes));
  const blob = path.join(work, 'perennial.blob');
  const config = write('sea.json', {
    main: program,
    output: blob,
    useSnapshot: true,
    disableExperimentalSEAWarning: true,
    assets: { ...assets, 'assets.json': list },
  });
  makeSnapshot(config);
  const made = path.join(work, 'perennial');
  copyFileSync(runtime.node, made);
  chmodSync(made, 0o755);
  strip(made);
  if (isMac) run('codesign', ['--remove-signature', made]);
  await suppressWarnings(() =>
    inject(made, 'NODE_SEA_BLOB', readFileSync(blob), {
      sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      ...(isMac && { machoSegmentName: 'NODE_SEA' }),
    }),
  );
  if (isMac) run('codesign', ['--sign', '-', made]);
  return made;
}

/** Loads the program and keeps it. Settings of the environment must not be part of it. */
function makeSnapshot(config) {
  const settings = Object.keys(process.env).filter((name) => /^(PERENNIAL_|NODE_)/.test(name));
  const env = { ...process.env, ...Object.fromEntries(settings.map((name) => [name, undefined])) };
  const { status, stderr } = spawnSync(runtime.node, ['--experimental-sea-config', config], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Node could not make a snapshot of the program.\n${stderr}`);
}

function write(name, value) {
  const file = path.join(work, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** Suppresses postject's warnings about sections of Node itself. */
async function suppressWarnings(perform) {
  const { warn, log } = console;
  console.warn = console.log = () => {};
  try {
    await perform();
  } finally {
    Object.assign(console, { warn, log });
  }
}

/** Symbols are a fifth of the file; without the `strip` command they remain. */
function strip(file) {
  if (process.platform === 'win32') return;
  spawnSync('strip', isMac ? ['-x', file] : ['--strip-unneeded', file], { stdio: 'ignore' });
}

function run(command, args) {
  execFileSync(command, args, { stdio: 'inherit' });
}
