import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { withoutPassword } from '../lib/postgresAddress.ts';
import type { CheckedFile, Progress, RestoredFile } from './sqlite/backup.ts';
import type { Distribution } from './postgres/distribute.ts';
import { readMigrations } from './migrate.ts';
import { migrateFile, openSqlite } from './sqlite/store.ts';
import type { Store } from './store.ts';

interface DatabaseSettings {
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  database: string;
  /** Where PostgreSQL reads go that may be a moment old. */
  databaseReplica?: string;
  /** How many connections to each PostgreSQL server. */
  databaseConnections: number;
}

const sqliteScheme = 'sqlite:';

/**
 * Opens the database of the settings, brought to this release's tables; `own` where a server is to run on it, and
 * `folder` is that of the migrations. Throws an Error that names the database when it cannot be opened.
 */
export function openStore(
  settings: DatabaseSettings,
  folder: string,
  own: boolean,
  clock: Clock,
): Promise<Store> {
  const { database, databaseReplica, databaseConnections } = settings;
  return naming(database, async () =>
    database.startsWith(sqliteScheme)
      ? openSqlite({ path: databasePath(database), migrations: readMigrations(join(folder, 'sqlite')), own })
      : (await postgres()).openPostgres({
          url: database,
          replicaUrl: databaseReplica,
          connections: databaseConnections,
          migrations: readMigrations(join(folder, 'postgres')),
          clock,
        }),
  );
}

// What most do without is not loaded before it is needed: it takes a while.
const postgres = () => import('./postgres/store.ts');

/** Brings the database to this release's tables; answers the steps that it took. */
export function migrateStore({ database }: DatabaseSettings, folder: string): Promise<string[]> {
  return naming(database, async () =>
    database.startsWith(sqliteScheme)
      ? migrateFile(databasePath(database), readMigrations(join(folder, 'sqlite')))
      : (await postgres()).migratePostgresAt(database, readMigrations(join(folder, 'postgres'))),
  );
}

/**
 * Brings a PostgreSQL database to this release's tables and distributes them by tenant. Throws an Error on SQLite, and
 * where the database has no Citus extension.
 */
export function distributeStore({ database }: DatabaseSettings, folder: string): Promise<Distribution> {
  if (database.startsWith(sqliteScheme)) {
    throw new Error('A SQLite file cannot be distributed: --distribute is for PostgreSQL with Citus.');
  }
  return naming(database, async () =>
    (await postgres()).distributePostgresAt(database, readMigrations(join(folder, 'postgres'))),
  );
}

/** The tables of a distributed database that are not distributed; none on SQLite. */
export async function listUndistributedTables({ database }: DatabaseSettings): Promise<string[]> {
  if (database.startsWith(sqliteScheme)) return [];
  return naming(database, async () => (await postgres()).readUndistributedTablesAt(database));
}

/**
 * Copies the database to a file, checked. Throws an Error on PostgreSQL, which has its own tools, and where the file is
 * there already unless `force` is given.
 */
export async function backupStore(
  { database }: DatabaseSettings,
  folder: string,
  target: string,
  force: boolean,
  progress: Progress,
): Promise<CheckedFile> {
  const path = resolveFile(database, 'pg_dump --format=custom backs it up');
  if (existsSync(target) && !force) throw new Error(`${target} is there already; --force overwrites it.`);
  const { backupFile } = await import('./sqlite/backup.ts');
  const migrations = readMigrations(join(folder, 'sqlite'));
  return naming(database, () => backupFile(path, target, migrations, force, progress));
}

/** Puts a checked backup in the place of the database; `force` puts aside what is there. Errors as `backupStore`. */
export async function restoreStore(
  { database }: DatabaseSettings,
  folder: string,
  source: string,
  force: boolean,
): Promise<RestoredFile> {
  const path = resolveFile(database, 'pg_restore restores it');
  const { restoreFile } = await import('./sqlite/backup.ts');
  return restoreFile(source, path, readMigrations(join(folder, 'sqlite')), force);
}

/**
 * Hands `work` the database, and what it finds wrong with its own pages, indexes and references; PostgreSQL sees to them at
 * every write. In the place of a backup it is handed a copy.
 */
export async function inspectStore<T>(
  { database }: DatabaseSettings,
  work: (database: string, faults: string[]) => Promise<T>,
): Promise<T> {
  if (!database.startsWith(sqliteScheme)) return work(database, []);
  const { inspectFile } = await import('./sqlite/inspection.ts');
  return inspectFile(databasePath(database), (path, faults) => work(sqliteScheme + path, faults));
}

/** What SQLite finds wrong with the pages, indexes and references of its file; takes as long as reading all of it. */
export async function findPageFaults({ database }: DatabaseSettings): Promise<string[]> {
  if (!database.startsWith(sqliteScheme)) return [];
  const { faultsOfFile } = await import('./sqlite/backup.ts');
  return faultsOfFile(databasePath(database));
}

function resolveFile(database: string, instead: string): string {
  if (database.startsWith(sqliteScheme)) return databasePath(database);
  throw new Error(`The database is PostgreSQL, which has tools of its own: ${instead}.`);
}

const databasePath = (database: string) => database.slice(sqliteScheme.length);

/** Names the database in what a driver says when it cannot be opened; never its password. */
async function naming<T>(database: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const isOwn = code === undefined && !/connection/i.test(message);
    if (isOwn) throw error;
    // A name with several addresses fails with several errors, and no message.
    throw new Error(`Cannot open ${withoutPassword(database)}: ${message || code}.`, { cause: error });
  }
}

/** Where the key that seals secrets is kept beside a database file; undefined for a database that is none. */
export const keyFilePath = (database: string): string | undefined =>
  database.startsWith(sqliteScheme) ? `${databasePath(database)}.key` : undefined;
