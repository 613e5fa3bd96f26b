/** The npm package serves from anywhere with nothing beside it but SQLite's driver. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeLockedPackages, listPackageMaterials } from '../../scripts/release/materials.mjs';
import { version } from '../../src/lib/version.ts';
import { build } from '../support/program.ts';

const root = path.join(import.meta.dirname, '../..');
/** What the driver itself needs to be found and loaded. */
const driver = ['better-sqlite3', 'bindings', 'file-uri-to-path'];

let folder: string;
beforeAll(() => {
  build();
  folder = mkdtempSync(path.join(tmpdir(), 'perennial-package-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the npm package is complete and serves the demo after installation', async () => {
  // The build has just been made: packing need not make it again.
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename, files }] = JSON.parse(packed);
  const paths: string[] = files.map((file: { path: string }) => file.path);
  const needed = ['dist/perennial.mjs', 'dist/perennial.cjs', 'dist/perennial.cache', 'README.md'];
  expect(paths).toEqual(expect.arrayContaining(needed));
  const page = readFileSync(path.join(root, 'README.md'), 'utf8');
  const linked = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, file]) => file!);
  expect(linked.length).toBeGreaterThan(10);
  // The code map leads to the repository.
  const shipped = linked.filter((link) => !link.startsWith('src/'));
  expect(shipped.filter((link) => !paths.some((file) => file.startsWith(link)))).toEqual([]);
  expect(paths.filter((file) => /^(src|test|bench|scripts)\//.test(file))).toEqual([]);

  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', filename, '-C', modules], { cwd: folder });
  for (const name of driver) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));

  const program = path.join(modules, 'package/dist/perennial.mjs');
  const env = { PATH: process.env['PATH'], HOME: folder };
  const child = spawn(process.execPath, [program, 'serve', '--demo', 'catalog', '--port', '0'], {
    cwd: folder,
    env,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await expect.poll(() => said).toMatch(/prn_demo_\w+[\s\S]*http:\/\/localhost/);

  const url = /http:\/\/localhost:\d+/.exec(said)![0];
  const key = /prn_demo_\w+/.exec(said)![0];
  const customers = await fetch(`${url}/api/v1/customers`, { headers: { 'api-key': key } });
  expect(((await customers.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0);
  const explorer = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
  expect(await explorer.text()).toContain('<script');
  child.kill('SIGTERM');
  expect(await ended, said).toBe(0);
  expect(readdirSync(folder)).toContain('data');
});

it('the list of materials has what is inside of the package, and nothing that only builds or tests it', () => {
  const { components, dependencies } = listPackageMaterials(describeLockedPackages());
  const names = new Set(components.map(({ name }) => name));
  for (const name of [
    'fastify',
    'graphql',
    'pdfkit',
    'pg',
    'react',
    'graphiql',
    'minisearch',
    'better-sqlite3',
  ])
    expect(names, name).toContain(name);
  for (const name of ['esbuild', 'vite', 'vitest', 'typescript', 'node'])
    expect(names, name).not.toContain(name);
  const refs = components.map((each) => each['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  const known = new Set([...refs, `perennial@${version}`]);
  for (const { ref, dependsOn } of dependencies)
    expect([ref, ...dependsOn].filter((each) => !known.has(each))).toEqual([]);
});

it.each(['package-lock.json', 'deploy/runtime/package-lock.json'])(
  '%s pins the bytes of every package',
  (file) => {
    const { packages } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
      packages: Record<string, { link?: boolean; integrity?: string }>;
    };
    const installed = Object.entries(packages).filter(
      ([name, { link }]) => name.includes('node_modules/') && !link,
    );
    expect(installed.length).toBeGreaterThan(30);
    expect(installed.filter(([, { integrity }]) => !integrity).map(([name]) => name)).toEqual([]);
  },
);
