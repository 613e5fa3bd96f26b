#!/usr/bin/env node
// What dist/perennial.mjs is: runs the program's text, with the code that V8 has compiled of it before where there is
// some. Another V8, or other flags, refuses that code, and compiles anew.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const beside = (name) => new URL(name, import.meta.url);

const hashLength = 64;
// ASCII: as one-byte text it takes half the memory and no decoding. It ends with its hash.
const source = readFileSync(beside('perennial.cjs'), 'latin1');
const script = new Script(source, { filename: 'perennial.cjs', cachedData: compiled() });
script.runInThisContext()(createRequire(import.meta.url), { exports: {} }, {}, import.meta.url);

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
