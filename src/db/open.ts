import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { readMigrations } from './migrate.ts';
import { migratePostgresAt, openPostgres } from './postgres.ts';
import { migrateFile, openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

export interface DatabaseSettings {
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
      ? openSqlite({ path: pathOf(database), migrations: readMigrations(join(folder, 'sqlite')), own })
      : openPostgres({
          url: database,
          replicaUrl: databaseReplica,
          connections: databaseConnections,
          migrations: readMigrations(join(folder, 'postgres')),
          clock,
        }),
  );
}

/** Brings the database to this release's tables; answers the steps that it took. */
export function migrateStore({ database }: DatabaseSettings, folder: string): Promise<string[]> {
  return naming(database, async () =>
    database.startsWith(sqliteScheme)
      ? migrateFile(pathOf(database), readMigrations(join(folder, 'sqlite')))
      : migratePostgresAt(database, readMigrations(join(folder, 'postgres'))),
  );
}

const pathOf = (database: string) => database.slice(sqliteScheme.length);

/** Names the database in what a driver says when it cannot be opened; never its password. */
async function naming<T>(database: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error as { code?: string }).code) throw error;
    throw new Error(`Cannot open ${withoutPassword(database)}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

const withoutPassword = (database: string) => database.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1:…@');
