#!/usr/bin/env node
// What dist/perennial.mjs is: runs the program's text, with the code that V8 has compiled of it before where there is
// some. Another V8, or other flags, refuses that code, and compiles anew.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const beside = (name) => new URL(name, import.meta.url);

const require = createRequire(import.meta.url);
refuseUnsafeDriver();

const hashLength = 64;
// ASCII: as one-byte text it takes half the memory and no decoding. It ends with its hash.
const source = readFileSync(beside('perennial.cjs'), 'latin1');
const script = new Script(source, { filename: 'perennial.cjs', cachedData: compiled() });
script.runInThisContext()(require, { exports: {} }, {}, import.meta.url);

/** Begins with the hash of the text that it is of. */
function compiled() {
  try {
    const content = readFileSync(beside('perennial.cache'));
    const isOfSource = content.latin1Slice(0, hashLength) === source.slice(-hashLength);
    return isOfSource ? content.subarray(hashLength) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A driver compiled with the headers of Node 24.19 or a later 24 ends the process whenever garbage is collected outside
 * of JavaScript (https://github.com/nodejs/node/issues/65446): better not to start than to stop in the middle.
 */
function refuseUnsafeDriver() {
  if (!process.versions.node.startsWith('24.')) return;
  const driver = require.resolve('better-sqlite3/build/Release/better_sqlite3.node');
  if (!readFileSync(driver).includes('RemoveEnvironmentCleanupHook')) return;
  console.error(
    `SQLite's driver was compiled with headers of Node ${process.versions.node} that make it end the process ` +
      '(https://github.com/nodejs/node/issues/65446). Use the executable, Node 22 or Node 26, or compile the driver ' +
      'with the headers of Node 24.18.',
  );
  process.exit(1);
}
