// Vendure's shop, filled once by Vendure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const fillTimeoutMs = 300_000;

/**
 * Creates the shop. Returns its file and a function that removes it. Throws an Error if Vendure does not start in
 * time.
 */
export function makeShop() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-bench-vendure-'));
  const database = path.join(folder, 'shop.db');
  const server = fileURLToPath(new URL('../../peers/vendure/server.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [server, '--database', database, '--fill'], {
    encoding: 'utf8',
    timeout: fillTimeoutMs,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`the shop could not be made: ${stdout.slice(-500)}`);
  return { database, stop: () => rmSync(folder, { recursive: true, force: true }) };
}
