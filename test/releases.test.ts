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
  for (const [index, { number, date }] of released.slice(1).entries()) {
    const { number: later, date: laterDate } = released[index]!;
    expect(later.localeCompare(number, 'en', { numeric: true }), later).toBe(1);
    expect(laterDate! >= date!, later).toBe(true);
  }
});

it('keeps the schema of the last release, which the list of changes is made from', () => {
  expect(existsSync(path.join(root, 'test/fixtures', version, 'schema.graphql'))).toBe(true);
});
