import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migratePostgresAt } from '../../src/storage/postgres/store.ts';
import { administer, readSignature, templateName } from './administer.ts';
import { startEmbedded } from './embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server, without a database, and the signature of the template's tables. */
    postgres: { address: string; signature: string };
  }
}

/** Starts the server that the tests share, unless PERENNIAL_TEST_POSTGRES names one (`postgres://user:password@host:port`). */
export default async function startPostgres(project: TestProject) {
  const named = process.env['TEST_POSTGRES']?.replace(/\/+$/, '');
  if (named) {
    project.provide('postgres', { address: named, signature: await makeTemplate(named) });
    return () => dropScratchDatabases(named);
  }
  // The tests' data is not worth waiting for the disk, nor their databases, of which there are hundreds, tidying up.
  const server = await startEmbedded([
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
    'checkpoint_timeout=1h',
    'max_wal_size=4GB',
  ]);
  project.provide('postgres', { address: server.address, signature: await makeTemplate(server.address) });
  // What starts the server would end this process with 0, whatever had failed.
  process.prependListener('beforeExit', () => process.exit());
  return () => server.remove();
}

/** Makes a database with all tables, that each test's own is copied from; returns its signature. */
async function makeTemplate(server: string): Promise<string> {
  await administer(server, `DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
  await administer(server, `CREATE DATABASE ${templateName} ENCODING 'UTF8' TEMPLATE template0`);
  const migrations = readMigrations(fileURLToPath(new URL('../../drizzle/postgres', import.meta.url)));
  await migratePostgresAt(`${server}/${templateName}`, migrations);
  return readSignature(`${server}/${templateName}`);
}

/** Drops the databases that were kept for other tests. */
async function dropScratchDatabases(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  const { rows } = await client.query(
    `SELECT datname AS name FROM pg_database WHERE datname ~ '^test_[0-9a-f]{16}$'`,
  );
  for (const { name } of rows) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.end();
}
