// Installs packages that only the benchmarks need, on first use and after changes of their list.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Servers that need the packages of `bench/package.json`. */
export const peers = ['fastify', 'apollo-default', 'mercurius-jit', 'yoga'];
/** Servers with packages of their own, installed only if they take part. */
export const apart = new Set(['postgraphile', 'vendure']);

/** Installs the packages of a package-lock.json, unless they are up to date. Throws an Error if npm fails. */
export function ensurePeers(name) {
  const cwd = fileURLToPath(new URL(apart.has(name) ? `../../peers/${name}` : '../..', import.meta.url));
  const wanted = readFileSync(path.join(cwd, 'package-lock.json'), 'utf8');
  const stamp = path.join(cwd, 'node_modules/.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(`Installing ${name} (first use, or the list has changed) …`);
  const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci failed in ${path.basename(cwd)}: ${stderr.slice(-500)}`);
  writeFileSync(stamp, wanted);
}
