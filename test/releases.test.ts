/** Releases: the version is that of the last one everywhere, and CHANGELOG.md lists them with their dates. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../src/lib/version.ts';
import { root } from './sourceFiles.ts';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
const released = headings.slice(1).map((heading) => {
  const [number, date, ...rest] = heading.split(' - ');
  return { number: number!, date, rest };
});

it.each([
  ['package.json', () => JSON.parse(read('package.json')).version],
  ['package-lock.json', () => JSON.parse(read('package-lock.json')).version],
  ['openapi.json', () => JSON.parse(read('openapi.json')).info.version],
  ['CHANGELOG.md', () => released[0]!.number],
])('%s has the version of the program', (_, find) => {
  expect(find()).toBe(version);
});

it('lists what is not released first, then the releases by number and date, the newest first', () => {
  expect(headings[0]).toBe('Unreleased');
  expect(released.length).toBeGreaterThan(5);
  for (const { number, date, rest } of released) {
    expect(number).toMatch(/^\d+\.\d+\.\d+$/);
    expect(new Date(date!).toISOString().slice(0, 10)).toBe(date);
    expect(rest).toEqual([]);
  }
  const byNumber = released.toSorted((a, b) => b.number.localeCompare(a.number, 'en', { numeric: true }));
  expect(byNumber).toEqual(released);
  expect(released.map(({ date }) => date)).toEqual(
    released
      .map(({ date }) => date)
      .toSorted()
      .toReversed(),
  );
});

it('keeps the schema of the last release, which the list of changes is made from', () => {
  expect(existsSync(path.join(root, 'test/fixtures', version, 'schema.graphql'))).toBe(true);
});
