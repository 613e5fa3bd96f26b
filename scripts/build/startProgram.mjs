#!/usr/bin/env node
// The content of dist/perennial.mjs: runs the bundle with V8's cached code if there is any. Another V8 version or other
// flags reject the cache and compile the code again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const resolveUrl = (name) => new URL(name, import.meta.url);

const require = createRequire(import.meta.url);
refuseUnsafeDriver();

const hashLength = 64;
// ASCII: as one-byte text it takes half the memory and no decoding. It ends with its hash.
const source = readFileSync(resolveUrl('perennial.cjs'), 'latin1');
const script = new Script(source, { filename: 'perennial.cjs', cachedData: readCachedCode() });
script.runInThisContext()(require, { exports: {} }, {}, import.meta.url);

/** Returns the cached code, which begins with the hash of its bundle. */
function readCachedCode() {
  try {
    const content = readFileSync(resolveUrl('perennial.cache'));
    const matchesSource = content.latin1Slice(0, hashLength) === source.slice(-hashLength);
    return matchesSource ? content.subarray(hashLength) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a driver compiled with the headers of Node 24.19 or a later 24: it would abort the process when garbage is
 * collected outside of JavaScript (https://github.com/nodejs/node/issues/65446).
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
