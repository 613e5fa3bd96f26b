/** What `npm start` installs: all that the program and its build need, and nothing of the tests. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addAddresses, pickNeeded } from '../../scripts/lockedPackages.mjs';

interface Entry {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  version: string;
  integrity?: string;
  resolved?: string;
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>;
};
const picked: Record<string, Entry> = pickNeeded(packages);

it('has the packages that each of its packages names', () => {
  const places = Object.keys(picked);
  expect(places.length).toBeGreaterThan(300);
  const { dependencies, devDependencies } = packages['']!;
  for (const name in { ...dependencies, ...devDependencies })
    expect(places).toContain(`node_modules/${name}`);
  const missing = Object.entries(picked).flatMap(([place, entry]) =>
    Object.keys(entry.dependencies ?? {}).filter(
      (name) => !places.includes(`node_modules/${name}`) && !places.includes(`${place}/node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

it('has none that only the tests need', () => {
  const { devDependencies } = JSON.parse(readFileSync('test/tools/package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const ofTests = Object.keys(devDependencies).filter((name) => picked[`node_modules/${name}`]);
  // The build needs them as well, by other packages.
  expect(ofTests.length).toBeLessThan(5);
  for (const name of ['vitest', 'typescript', 'playwright-core', 'relay-compiler'])
    expect(picked).not.toHaveProperty([`node_modules/${name}`]);
});

it('has the address that a registry has a package at', () => {
  const registry = 'https://registry.example/';
  const addressed: Record<string, Entry> = addAddresses(
    {
      '': { version: '1.0.0' },
      'node_modules/@scope/one': { version: '1.2.3', integrity: 'sha512-a' },
      'node_modules/@scope/one/node_modules/two': { version: '2.0.0-rc.1', integrity: 'sha512-b' },
      'node_modules/alias': { name: 'other', version: '3.0.0', integrity: 'sha512-c' },
      'node_modules/linked': { version: '4.0.0' },
    },
    registry,
  );
  expect(Object.values(addressed).map(({ resolved }) => resolved?.replace(registry, ''))).toEqual([
    undefined,
    '@scope/one/-/one-1.2.3.tgz',
    'two/-/two-2.0.0-rc.1.tgz',
    'other/-/other-3.0.0.tgz',
    undefined,
  ]);
});
