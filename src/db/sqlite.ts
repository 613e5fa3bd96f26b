import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrateSqlite, type Migration } from './migrate.ts';
import { Queries, type Driver } from './queries.ts';
import { groupCommit } from './groupCommit.ts';
import { translate } from './sqliteErrors.ts';
import { TenantReads, type Store } from './store.ts';
import { sqlite } from './tables.sqlite.ts';

// better-sqlite3 waits synchronously: a longer wait would stall every other request.
const busyTimeoutMs = 100;
const checkpointPages = 10_000;
const readerCacheKib = 16_384;

const translating = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
};

interface SqliteOptions {
  path: string;
  migrations: Migration[];
  /** A server owns its file; a short command does not, and relies on SQLite's own write lock. */
  own: boolean;
}

/**
 * Opens (and creates and migrates) the database file: one connection that writes, one that reads.
 * Fails with a plain message when another server owns the file.
 */
export function openSqlite({ path, migrations, own }: SqliteOptions): Store {
  mkdirSync(dirname(path), { recursive: true });
  const lock = own ? takeOwnership(path) : undefined;
  try {
    const writer = openWriter(path);
    migrateSqlite(writer, migrations);
    const reader = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    prepareConnection(reader);
    reader.pragma(`cache_size = -${readerCacheKib}`);
    return sqliteStore(writer, reader, () => lock?.close());
  } catch (error) {
    lock?.close();
    throw error;
  }
}

/** Brings the database file to the newest step and closes it; answers the tags of what it performed. */
export function migrateFile(path: string, migrations: Migration[]): string[] {
  mkdirSync(dirname(path), { recursive: true });
  const writer = openWriter(path);
  try {
    return migrateSqlite(writer, migrations);
  } finally {
    writer.close();
  }
}

function openWriter(path: string): Database.Database {
  const writer = new Database(path, { timeout: busyTimeoutMs });
  prepareConnection(writer);
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = FULL');
  writer.pragma('foreign_keys = ON');
  writer.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  return writer;
}

function prepareConnection(connection: Database.Database): void {
  connection.defaultSafeIntegers(true);
  // SQLite's own knows ASCII alone: with it `École` would not even contain `École`.
  connection.function('lower', { deterministic: true }, (text) =>
    text === null ? null : String(text).toLowerCase(),
  );
}

/** An exclusive lock on a file beside the database: the system frees it however the process ends. */
function takeOwnership(path: string): Database.Database {
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    throw new Error(`${path} is in use by another server; a database file has one.`);
  }
}

function sqliteStore(writer: Database.Database, reader: Database.Database, release: () => void): Store {
  const snapshot = readSnapshot(reader);
  const written = new Queries(driver(writer, () => {}));
  const committed = new Queries(driver(reader, snapshot.begin));
  const commits = groupCommit(writer, snapshot.end);
  return {
    committed,
    fresh: committed,
    transact: (_, unit) => commits.run((isOpen) => unit(written.during(isOpen))),
    // One process owns the file: all work is its own.
    claim: (tenantAlias, name, selection) => new TenantReads(committed, tenantAlias).many(name, selection),
    ping: () => {
      translating(() => reader.prepare('SELECT 1').get());
    },
    close: async () => {
      await commits.idle();
      snapshot.end();
      reader.close();
      writer.close();
      release();
    },
  };
}

function driver(connection: Database.Database, before: () => void): Driver {
  return {
    tables: sqlite,
    builder: drizzle(connection),
    prepare: (built) => built.prepare(),
    lower: (column) => sql`lower(${column})`,
    all: (prepared, values) =>
      translating(() => {
        before();
        return prepared.all(values);
      }),
    run: (prepared, values) => translating(() => Number(prepared.run(values).changes)),
  };
}

/**
 * One snapshot serves all reads of an event-loop turn, instead of a lock for each statement.
 * It ends with the turn, or as soon as a unit of work has been committed, so that nobody misses what they wrote.
 */
function readSnapshot(reader: Database.Database) {
  const beginStatement = reader.prepare('BEGIN');
  const endStatement = reader.prepare('COMMIT');
  const end = () => {
    if (reader.open && reader.inTransaction) endStatement.run();
  };
  const begin = () => {
    if (reader.inTransaction) return;
    beginStatement.run();
    setImmediate(end);
  };
  return { begin, end };
}
