import pg from 'pg';
import Database from 'better-sqlite3';
import { migratePostgres, migrateSqlite, type Migration } from '../../src/storage/migrate.ts';
import { engine, type Scratch } from './engines.ts';

/** Migrates a bare database to a release before `next`, adds rows to it by SQL, and migrates it to this release. */
export async function migrateRows(
  scratch: Scratch,
  all: Migration[],
  next: number,
  statements: string,
): Promise<void> {
  if (engine === 'sqlite') {
    const connection = new Database(scratch.path);
    migrateSqlite(connection, all.slice(0, next));
    connection.exec(statements);
    migrateSqlite(connection, all);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: scratch.url });
  await client.connect();
  await migratePostgres(client, all.slice(0, next));
  await client.query(statements);
  await migratePostgres(client, all);
  await client.end();
}
