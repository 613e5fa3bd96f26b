import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type pg from 'pg';
import { readAsset } from '../lib/assets.ts';
import { readDistributedTables, readNow, writeForDistributed } from './postgres/distribute.ts';
import { performOnPostgres, performOnSqlite } from './backfill.ts';

/** One migration, as drizzle-kit generated it. */
export interface Migration {
  tag: string;
  statements: string[];
  hash: string;
  /** On the last one: what creates the tables of a new SQLite file at once, as all migrations would leave them. */
  wholeSchema?: string;
}

/** Reads the migrations of a folder in the order of its journal. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readText(join(folder, 'meta', '_journal.json'))) as {
    entries: { tag: string }[];
  };
  const migrations = journal.entries.map(({ tag }): Migration => {
    const source = readText(join(folder, `${tag}.sql`));
    return {
      tag,
      statements: source.split('--> statement-breakpoint').map((statement) => statement.trim()),
      hash: hashText(source),
    };
  });
  const wholeSchema = readAsset(join(folder, 'schema.sql'))?.toString('utf8');
  // Of other migrations it would make other tables.
  if (wholeSchema?.startsWith(`-- ${hashMigrations(migrations)}\n`))
    migrations.at(-1)!.wholeSchema = wholeSchema;
  return migrations;
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the hash of a list of migrations, with which the file of the whole schema begins. */
const hashMigrations = (migrations: Pick<Migration, 'hash'>[]): string =>
  hashText(migrations.map(({ hash }) => hash).join());

function readText(file: string): string {
  const content = readAsset(file);
  if (!content) throw new Error(`The program lacks the file ${file}.`);
  return content.toString('utf8');
}

interface PerformedMigration {
  tag: string;
  hash: string;
}

/**
 * Returns the migrations still to perform. Throws an Error for a database that a newer release migrated, or whose
 * migrations differ from this release's.
 */
export function listDueMigrations(performed: PerformedMigration[], migrations: Migration[]): Migration[] {
  if (performed.length > migrations.length) {
    throw new Error(`The database is newer than this release: it has ${performed.at(-1)!.tag}.`);
  }
  for (const [index, step] of performed.entries()) {
    if (step.hash === migrations[index]!.hash) continue;
    throw new Error(`The database has another ${step.tag} than this release: another program created it.`);
  }
  return migrations.slice(performed.length);
}

/** Whether this release or another one has migrated a SQLite file. */
export const isMigrated = (connection: Database.Database): boolean =>
  connection.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'migrations'`).get() !== undefined;

/** Whether this release or another one has migrated a PostgreSQL database. */
export async function isMigratedPostgres(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS found`,
  );
  return rows[0]!.found;
}

/** Whether an earlier release has migrated a SQLite file, but not to this one. */
export function isOutdated(connection: Database.Database, migrations: Migration[]): boolean {
  if (!isMigrated(connection)) return false;
  const performed = connection
    .prepare<[], { count: number }>('SELECT count(*) AS count FROM migrations')
    .get()!.count;
  return performed > 0 && performed < migrations.length;
}

/**
 * Performs the pending migrations on a SQLite file, each in its own transaction; returns their tags. Throws an Error
 * for a database that a newer release migrated, or whose migrations differ from this release's.
 */
export function migrateSqlite(connection: Database.Database, migrations: Migration[]): string[] {
  if (createTables(connection, migrations)) return migrations.map(({ tag }) => tag);
  connection.exec(listTable);
  const listed = connection.prepare<[], PerformedMigration>(
    'SELECT tag, hash FROM migrations ORDER BY position',
  );
  const performed: string[] = [];
  for (;;) {
    // Rebuilding a table drops and renames it; with foreign keys on, the drop would delete the rows that refer to it.
    connection.pragma('foreign_keys = OFF');
    connection.exec('BEGIN IMMEDIATE');
    try {
      // Read inside the transaction: another process may have performed migrations meanwhile.
      const [migration] = listDueMigrations(listed.all(), migrations);
      if (!migration) return performed;
      for (const statement of migration.statements) performOnSqlite(connection, statement);
      const broken = connection.pragma('foreign_key_check') as unknown[];
      if (broken.length)
        throw new Error(`Migration ${migration.tag} would break ${broken.length} references.`);
      recordOnSqlite(connection, migration);
      connection.exec('COMMIT');
      performed.push(migration.tag);
    } finally {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      connection.pragma('foreign_keys = ON');
    }
  }
}

const listTable =
  'CREATE TABLE IF NOT EXISTS migrations (position INTEGER PRIMARY KEY, tag TEXT NOT NULL, hash TEXT NOT NULL)';

const recordOnSqlite = (connection: Database.Database, { tag, hash }: Migration) =>
  connection.prepare('INSERT INTO migrations (tag, hash) VALUES (?, ?)').run(tag, hash);

const isEmpty = (connection: Database.Database): boolean =>
  connection.prepare('SELECT 1 FROM sqlite_master').get() === undefined;

/**
 * Creates the tables of a new file at once, which takes a tenth of the time of all migrations. Returns false if it has tables,
 * or if there is no such script.
 */
function createTables(connection: Database.Database, migrations: Migration[]): boolean {
  const script = migrations.at(-1)?.wholeSchema;
  if (script === undefined || !isEmpty(connection)) return false;
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created them meanwhile.
    if (!isEmpty(connection)) return false;
    connection.exec(listTable);
    connection.exec(script);
    for (const migration of migrations) recordOnSqlite(connection, migration);
    connection.exec('COMMIT');
    return true;
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/**
 * Performs the pending migrations on PostgreSQL under a lock, so that one of several starting servers performs them;
 * returns their tags. Closing the connection releases the lock. Throws the same Errors as `migrateSqlite`.
 */
export async function migratePostgres(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
  await client.query(
    'CREATE TABLE IF NOT EXISTS migrations (position bigserial PRIMARY KEY, tag text NOT NULL, hash text NOT NULL)',
  );
  const { rows } = await client.query<PerformedMigration>(
    'SELECT tag, hash FROM migrations ORDER BY position',
  );
  const due = listDueMigrations(rows, migrations);
  const isDistributed = (await readDistributedTables(client))?.has('tenants') ?? false;
  // A new database is migrated in one transaction: all of it, or nothing.
  const steps = rows.length === 0 ? [due] : due.map((migration) => [migration]);
  for (const step of steps) await performPostgres(client, step, isDistributed);
  return due.map(({ tag }) => tag);
}

/** An arbitrary key of an advisory lock, unlikely to be used by other programs on the database. */
const migrationLock = 7_365_011_942;

async function performPostgres(
  client: pg.Client,
  migrations: Migration[],
  isDistributed: boolean,
): Promise<void> {
  await client.query('BEGIN');
  try {
    // Citus refuses to access a table that was filled on several connections within the same transaction.
    if (isDistributed) await client.query(`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`);
    const now = await readNow(client);
    for (const { tag, statements, hash } of migrations) {
      const all = isDistributed ? writeForDistributed(statements, now) : statements;
      for (const statement of all) await performOnPostgres(client, statement);
      await client.query('INSERT INTO migrations (tag, hash) VALUES ($1, $2)', [tag, hash]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
