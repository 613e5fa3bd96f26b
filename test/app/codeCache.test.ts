/** What V8 has compiled ahead lies beside the program's text; it is taken only where it is of that very text. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { build } from '../support/program.ts';
import { sampled } from '../support/sample.ts';

const dist = path.join(import.meta.dirname, '../../dist');
let folder: string;
let cache: Buffer;

beforeAll(() => {
  build();
  cache = readFileSync(path.join(dist, 'perennial.cache'));
  // Within the project, for the packages that are not in the bundle.
  folder = mkdtempSync(path.join(dist, 'ahead-'));
  copyFileSync(path.join(dist, 'perennial.mjs'), path.join(folder, 'perennial.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Another text of the same length, which V8 would take for the one that it has compiled. */
const otherText = (text: string) =>
  text.replace(`"${version}"`, '"9.9.9"').replace(/[0-9a-f]{64}$/, '0'.repeat(64));

describe('the program', () => {
  const sameText = (text: string) => text;
  const starts: [string, (text: string) => string, () => Buffer | undefined, string][] = [
    ['with what was compiled of it', sameText, () => cache, version],
    ['with nothing', sameText, () => undefined, version],
    ['with nothing that it could read', sameText, () => Buffer.alloc(0), version],
    ['with what was cut off', sameText, () => cache.subarray(0, cache.length / 2), version],
    ['with what was compiled of another text', otherText, () => cache, '9.9.9'],
  ];
  it.each(sampled(starts, 4))('starts %s', (_, change, compiled, expected) => {
    const text = readFileSync(path.join(dist, 'perennial.cjs'), 'latin1');
    writeFileSync(path.join(folder, 'perennial.cjs'), change(text));
    const content = compiled();
    if (content) writeFileSync(path.join(folder, 'perennial.cache'), content);
    else rmSync(path.join(folder, 'perennial.cache'), { force: true });
    const args = [path.join(folder, 'perennial.mjs'), '--version'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, said: stdout.trim() }).toEqual({ status: 0, said: expected });
  });

  it('has a code cache compiled with the V8 flags of a start', () => {
    const taken = `
      const [text, cache] = ['perennial.cjs', 'perennial.cache'].map((name) => require('fs').readFileSync('dist/' + name));
      const cachedData = cache.subarray(64);
      console.log(new (require('vm').Script)(text.latin1Slice(), { cachedData }).cachedDataRejected);`;
    const { stdout } = spawnSync(process.execPath, ['-e', taken], {
      cwd: path.dirname(dist),
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe('false');
  });
});
