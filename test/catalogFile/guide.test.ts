/** docs/guides/catalog.md: its commands are run in their order, and print what it says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { root } from '../sourceFiles.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'perennial-guide-'));
  app = await startApp();
  await app.tenant({ alias: 'acme', test: true });
  await app.tenant({ alias: 'acme-live' });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const guide = readFileSync(path.join(root, 'docs/guides/catalog.md'), 'utf8');
const blocks = [...guide.matchAll(/```(yaml|sh|text)( [^\n]*)?\n([\s\S]*?)```/g)].map(
  ([, kind, note = '', text]) => ({
    kind: kind!,
    note,
    text: text!,
  }),
);
const file = () => path.join(folder, 'perennial.yaml');

/** Runs the commands of a block; returns what the last one printed. */
async function runCommands(note: string, text: string): Promise<string> {
  const [, before, after] = /edit=(\w+):(\w+)/.exec(note) ?? [];
  if (before)
    writeFileSync(file(), readFileSync(file(), 'utf8').replace(`amount: ${before}`, `amount: ${after}`));
  let printed = '';
  for (const line of text.trim().split('\n')) {
    const args = line
      .split(' ')
      .slice(1)
      .map((word) => (word === 'perennial.yaml' ? file() : word));
    const { code, out, err } = await perennial(app.database, args);
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
    printed = out;
  }
  return printed;
}

const trimLines = (text: string) => text.replace(/ +$/gm, '').trim();

it('prints what the guide says', async () => {
  let printed = '';
  let compared = 0;
  for (const { kind, note, text } of blocks) {
    if (kind === 'yaml') writeFileSync(file(), text);
    else if (kind === 'sh') printed = await runCommands(note, text);
    else {
      expect(trimLines(printed)).toBe(trimLines(text));
      compared += 1;
    }
  }
  expect(compared).toBe(4);
  const { out } = await perennial(app.database, [
    'catalog',
    'promote',
    '--tenant',
    'acme',
    '--to',
    'acme-live',
  ]);
  expect(out).toBe('Nothing changes.\n');
});
