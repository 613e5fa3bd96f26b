import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migratePostgresAt } from '../../src/storage/postgres/store.ts';
import { administer, templateName } from './administer.ts';
import { startEmbedded } from './embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server, without a database. */
    postgres: string;
  }
}

/** Starts the server that the tests share, unless PERENNIAL_TEST_POSTGRES names one (`postgres://user:password@host:port`). */
export default async function startPostgres(project: TestProject) {
  const named = process.env['TEST_POSTGRES']?.replace(/\/+$/, '');
  if (named) {
    await makeTemplate(named);
    project.provide('postgres', named);
    return undefined;
  }
  // The tests' data is not worth waiting for the disk, nor their databases, of which there are hundreds, tidying up.
  const server = await startEmbedded([
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
    'checkpoint_timeout=1h',
    'max_wal_size=4GB',
  ]);
  await makeTemplate(server.address);
  project.provide('postgres', server.address);
  // What starts the server would end this process with 0, whatever had failed.
  process.prependListener('beforeExit', () => process.exit());
  return () => server.remove();
}

/** A database with all tables, that each test's own is copied from. */
async function makeTemplate(server: string): Promise<void> {
  await administer(server, `DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
  await administer(server, `CREATE DATABASE ${templateName} ENCODING 'UTF8' TEMPLATE template0`);
  const migrations = readMigrations(fileURLToPath(new URL('../../drizzle/postgres', import.meta.url)));
  await migratePostgresAt(`${server}/${templateName}`, migrations);
}
