// Bundles src/main.ts into dist/perennial.cjs, which dist/perennial.mjs runs, and stores V8's compiled code beside it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { buildDocs } from './docs.mjs';
import { buildDocuments } from './documents.mjs';
import { buildExplorer } from './explorer.mjs';
import { bundled, define, bundlePlugins } from './bundlePlugins.mjs';
import { recordBundle } from './contents.mjs';
import { buildStamp, hashSources, program, root } from '../setup.mjs';

// Computed before the build: a source that changes during the build must cause another build.
const hash = hashSources();
const dist = path.dirname(program);
const text = path.join(dist, 'perennial.cjs');
const cache = path.join(dist, 'perennial.cache');

rmSync(buildStamp, { force: true });
mkdirSync(dist, { recursive: true });

const driver = process.channel ? once(process, 'message') : undefined;
const { metafile, outputFiles } = await build({
  ...bundled,
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outfile: text,
  write: false,
  sourcemap: 'external',
  // Keeps line numbers in stack traces useful.
  lineLimit: 160,
  legalComments: 'linked',
  // better-sqlite3 is native code; type-graphql requires class-validator only if validation is enabled.
  external: ['better-sqlite3', 'class-validator'],
  define: { ...define, 'import.meta.url': 'programUrl' },
  plugins: bundlePlugins,
  banner: { js: '(function (require, module, exports, programUrl) {' },
});

refuseTwoCopiesOfGraphql(Object.keys(metafile.inputs));
recordBundle('program', metafile);
const built = outputFiles.find(({ path: file }) => file === text).contents;
refuseOtherThanAscii(built);
// The bundle ends with this hash and its code cache begins with it, so that the program can verify that they match.
const digest = Buffer.from(createHash('sha256').update(built).digest('hex'));
// A code cache of another bundle must never be beside this one, so it is removed first and written last.
rmSync(cache, { force: true });
for (const { path: file, contents } of outputFiles) {
  if (file === text) writeWhole(file, Buffer.concat([contents, Buffer.from('\n//'), digest]), 0o644);
  else writeWhole(file, contents, 0o644);
}
writeWhole(program, readFileSync(path.join(root, 'scripts/build/startProgram.mjs')), 0o755);
const aheadOf = Promise.resolve(driver).then(compileAhead);
await buildExplorer();
await buildDocuments();
await buildDocs();
await buildConsole();
await aheadOf;
writeFileSync(buildStamp, hash);
// Whoever waits for the driver also waits for this process.
if (driver) process.disconnect();

console.log(`Built dist/perennial.mjs (${(built.length / 1e6).toFixed(1)} MB)`);

/** Writes a file atomically: another process may be about to start the program. */
function writeWhole(file, contents, mode) {
  writeFileSync(`${file}.new`, contents, { mode });
  renameSync(`${file}.new`, file);
}

/**
 * Stores the code that V8 compiles while the program runs once with default settings. The program also works without
 * it.
 */
async function compileAhead() {
  const work = mkdtempSync(path.join(dist, 'warm-'));
  const made = path.join(work, 'perennial.cache');
  const args = [path.join(root, 'scripts/build/executable/warm.cjs'), path.join(work, 'warm.db'), made, text];
  const child = spawn(process.execPath, args, { stdio: 'inherit', timeout: 60_000 });
  const [status] = await once(child, 'close');
  if (status === 0) writeWhole(cache, Buffer.concat([digest, readFileSync(made)]), 0o644);
  else console.warn('The program was not compiled ahead: it starts, but more slowly.');
  rmSync(work, { recursive: true, force: true });
}

/** The bundle is read as one byte a character. esbuild cannot escape the text of tagged templates. */
function refuseOtherThanAscii(bytes) {
  const at = bytes.findIndex((byte) => byte > 0x7f);
  if (at < 0) return;
  const around = Buffer.from(bytes.subarray(Math.max(0, at - 40), at + 40)).toString('utf8');
  throw new Error(`The bundle has text that is not ASCII, perhaps within a tagged template: ${around}`);
}

/** graphql rejects types made by another copy of itself, but only when a query runs. */
function refuseTwoCopiesOfGraphql(inputs) {
  const copies = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/graphql\/).*(\.m?js)$/.exec(input);
    if (match) copies.add(`${match[1]}*${match[2]}`);
  }
  if (copies.size > 1)
    throw new Error(`The bundle contains several copies of graphql: ${[...copies].join(', ')}`);
}
