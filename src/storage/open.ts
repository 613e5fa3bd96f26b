import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { redactPassword } from '../lib/postgresAddress.ts';
import type { CheckedFile, Progress, RestoredFile } from './sqlite/backup.ts';
import type { Distribution } from './postgres/distribute.ts';
import { readMigrations } from './migrate.ts';
import { migrateFile, openSqlite } from './sqlite/store.ts';
import { listExposedFiles } from './sqlite/privateFile.ts';
import type { ScratchOptions } from './sqlite/connections.ts';
import type { Store } from './store.ts';

interface DatabaseSettings extends ScratchOptions {
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  database: string;
  /** The address for PostgreSQL reads that may be slightly stale. */
  databaseReplica?: string;
  /** The number of connections to each PostgreSQL server. */
  databaseConnections: number;
  /** Whether a database that does not exist is an error. By default it is created. */
  mustExist?: boolean;
}

const sqliteScheme = 'sqlite:';

/**
 * Opens the configured database and performs pending migrations. `own` is true for a server, which locks a SQLite file;
 * `folder` contains the migrations. Throws an Error that names the database if it cannot be opened, or if it must exist and
 * does not.
 */
export function openStore(
  settings: DatabaseSettings,
  folder: string,
  own: boolean,
  clock: Clock,
): Promise<Store> {
  const { database, databaseReplica, databaseConnections, isScratch, mustExist } = settings;
  return nameDatabaseInErrors(database, async () => {
    if (mustExist) await refuseNew(database);
    return database.startsWith(sqliteScheme)
      ? openSqlite({
          path: databasePath(database),
          migrations: readMigrations(join(folder, 'sqlite')),
          own,
          isScratch,
        })
      : (await postgres()).openPostgres({
          url: database,
          replicaUrl: databaseReplica,
          connections: databaseConnections,
          migrations: readMigrations(join(folder, 'postgres')),
          clock,
        });
  });
}

/**
 * Throws an Error unless there is a database of this program. A command that only reads or changes would otherwise create
 * one beside the database of the server, and report that there is nothing in it.
 */
async function refuseNew(database: string): Promise<void> {
  if (database.startsWith(sqliteScheme)) {
    const path = findFile(database);
    const { isOurFile } = await import('./sqlite/inspection.ts');
    if (!isOurFile(path)) throw new Error(`${path} is not a database of this program. ${chooseDatabase}`);
  } else if (!(await (await postgres()).hasOurTables(database))) {
    throw new Error(`${redactPassword(database)} has no tables of this program. ${chooseDatabase}`);
  }
}

/** Returns the absolute path of a SQLite file. Throws an Error if there is none. */
function findFile(database: string): string {
  const path = resolve(databasePath(database));
  if (!existsSync(path)) throw new Error(`There is no database ${path}. ${chooseDatabase}`);
  return path;
}

const chooseDatabase =
  'Set --database or PERENNIAL_DATABASE to that of the server; serve, migrate, tenant create and import create one.';

// Loaded on demand, because loading takes time and most commands do not need it.
const postgres = () => import('./postgres/store.ts');

/** Performs the pending migrations; returns their tags. */
export function migrateStore({ database }: DatabaseSettings, folder: string): Promise<string[]> {
  return nameDatabaseInErrors(database, async () =>
    database.startsWith(sqliteScheme)
      ? migrateFile(databasePath(database), readMigrations(join(folder, 'sqlite')))
      : (await postgres()).migratePostgresAt(database, readMigrations(join(folder, 'postgres'))),
  );
}

/**
 * Performs the pending migrations on a PostgreSQL database and distributes its tables by tenant. Throws an Error on
 * SQLite, and if the database has no Citus extension.
 */
export function distributeStore({ database }: DatabaseSettings, folder: string): Promise<Distribution> {
  if (database.startsWith(sqliteScheme)) {
    throw new Error('A SQLite file cannot be distributed: --distribute is for PostgreSQL with Citus.');
  }
  return nameDatabaseInErrors(database, async () =>
    (await postgres()).distributePostgresAt(database, readMigrations(join(folder, 'postgres'))),
  );
}

/** Returns the tables of a distributed database that are not distributed; none on SQLite. */
export async function listUndistributedTables({ database }: DatabaseSettings): Promise<string[]> {
  if (database.startsWith(sqliteScheme)) return [];
  return nameDatabaseInErrors(database, async () => (await postgres()).readUndistributedTablesAt(database));
}

/**
 * Copies the database to a file and checks the copy. Throws an Error on PostgreSQL, which has its own tools, and if the
 * file exists, unless `force` is given.
 */
export async function backupStore(
  { database }: DatabaseSettings,
  folder: string,
  target: string,
  force: boolean,
  progress: Progress,
): Promise<CheckedFile> {
  const path = resolveFile(database, 'pg_dump --format=custom backs it up');
  findFile(database);
  if (existsSync(target) && !force) throw new Error(`${target} is there already; --force overwrites it.`);
  const { backupFile } = await import('./sqlite/backup.ts');
  const migrations = readMigrations(join(folder, 'sqlite'));
  return nameDatabaseInErrors(database, () => backupFile(path, target, migrations, force, progress));
}

/**
 * Replaces the database by a checked backup; `force` renames an existing database. Throws the same Errors as
 * `backupStore`.
 */
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
 * Calls `work` with the database, and with the faults found in its pages, indexes and references; none on PostgreSQL,
 * which verifies them at every write. For a backup, `work` gets a copy.
 */
export async function inspectStore<T>(
  { database }: DatabaseSettings,
  work: (database: string, faults: string[]) => Promise<T>,
): Promise<T> {
  if (!database.startsWith(sqliteScheme)) return work(database, []);
  findFile(database);
  const { inspectFile } = await import('./sqlite/inspection.ts');
  return inspectFile(databasePath(database), (path, faults) => work(sqliteScheme + path, faults));
}

/**
 * Returns the faults that SQLite finds in the pages, indexes and references of its file; takes as long as reading the
 * whole file.
 */
export async function findPageFaults({ database }: DatabaseSettings): Promise<string[]> {
  if (!database.startsWith(sqliteScheme)) return [];
  findFile(database);
  const { listFileFaults } = await import('./sqlite/backup.ts');
  return listFileFaults(databasePath(database));
}

function resolveFile(database: string, instead: string): string {
  if (database.startsWith(sqliteScheme)) return databasePath(database);
  throw new Error(`The database is PostgreSQL, which has its own tools: ${instead}.`);
}

const databasePath = (database: string) => database.slice(sqliteScheme.length);

/** Adds the database's name, without its password, to the error of a driver that cannot open it. */
async function nameDatabaseInErrors<T>(database: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const isOwn = code === undefined && !/connection/i.test(message);
    if (isOwn) throw error;
    // If a name resolves to several addresses, the driver throws several errors without a message.
    throw new Error(`Cannot open ${redactPassword(database)}: ${message || code}.`, { cause: error });
  }
}

/** Returns the path of the encryption key beside a database file; undefined for PostgreSQL. */
export const findKeyFile = (database: string): string | undefined =>
  database.startsWith(sqliteScheme) ? `${databasePath(database)}.key` : undefined;

/** Returns a warning if users other than the owner can open files of a SQLite database or its encryption key. */
export function listFileWarnings({ database }: Pick<DatabaseSettings, 'database'>): string[] {
  if (!database.startsWith(sqliteScheme)) return [];
  const exposed = listExposedFiles(databasePath(database));
  if (exposed.length === 0) return [];
  return [
    `Other users of this machine can open the database; to prevent that: chmod 600 ${exposed.join(' ')}`,
  ];
}
