/** Releases: the version is that of the last one everywhere, and CHANGELOG.md lists them with their dates. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readDockerfile } from '../scripts/release/dockerfile.mjs';
import { settings } from '../src/config/settings.ts';
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
  ['packages/sdk/package.json', () => JSON.parse(read('packages/sdk/package.json')).version],
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

it('names in package.json what exists, and what the installed package needs', () => {
  const described = JSON.parse(read('package.json'));
  // All else is inside of the bundles.
  expect(Object.keys(described.dependencies)).toEqual(['better-sqlite3']);
  const runtime = JSON.parse(read('deploy/runtime/package.json'));
  expect(described.dependencies).toEqual(runtime.dependencies);
  expect(read('LICENSE')).toContain('Apache License\n');
  expect(described.license).toBe('Apache-2.0');
  expect(read('README.md')).toContain(`Node ${described.engines.node.replace('>=', '')} or newer`);
  const built = (file: string) => file.startsWith('dist/');
  const named: string[] = [
    ...Object.values<string>(described.exports),
    ...described.files.map((file: string) => file.replace(/\/\*\*.*$/, '')),
  ];
  expect(named.filter((file) => !built(file) && !existsSync(path.join(root, file)))).toEqual([]);
  expect(described.files).toContain(described.bin.perennial);
});

it('describes in the Dockerfile an image without a root user, with the port of the settings', () => {
  const { config, copies } = readDockerfile(path.join(root, 'Dockerfile'));
  expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(Object.keys(config.ExposedPorts)).toEqual([`${settings.port.default}/tcp`]);
  expect(config.Entrypoint).toEqual([copies[0]!.to]);
  expect(Object.keys(config.Volumes)).toEqual([config.WorkingDir]);
  expect(config.Env).toContain(`PERENNIAL_DATABASE=sqlite:${config.WorkingDir}/perennial.db`);
});

it('keeps the schema of the last release, which the list of changes is made from', () => {
  expect(existsSync(path.join(root, 'test/fixtures', version, 'schema.graphql'))).toBe(true);
});
