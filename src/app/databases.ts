/** Commands about a whole database: migrations, backups and inspection. */
import { assetPath } from '../lib/assets.ts';
import type { Config } from '../config/config.ts';
import type { Distribution } from '../storage/postgres/distribute.ts';
import type { CheckedFile, Progress, RestoredFile } from '../storage/sqlite/backup.ts';
import {
  backupStore,
  distributeStore,
  findPageFaults,
  inspectStore,
  listUndistributedTables,
  migrateStore,
  restoreStore,
} from '../storage/open.ts';

const getMigrations = () => assetPath('drizzle');

/** Migrates the database of a configuration to this release. Resolves with the names of the migrations that ran. */
export const migrateDatabase = (config: Config): Promise<string[]> => migrateStore(config, getMigrations());

/** Migrates the database of a configuration to this release, and distributes its tables by tenant. */
export const distributeDatabase = async (config: Config): Promise<Distribution> =>
  distributeStore(config, getMigrations());

/** Lists the tables of a database that are not distributed, although others are. */
export const findUndistributedTables = (config: Config): Promise<string[]> => listUndistributedTables(config);

/** Copies the database of a configuration to a file and checks the copy; `force` overwrites an existing file. */
export const backupDatabase = (
  config: Config,
  target: string,
  force: boolean,
  progress: Progress,
): Promise<CheckedFile> => backupStore(config, getMigrations(), target, force, progress);

/** Replaces the database of a configuration with a checked backup; `force` renames an existing database. */
export const restoreDatabase = (config: Config, source: string, force: boolean): Promise<RestoredFile> =>
  restoreStore(config, getMigrations(), source, force);

/**
 * Calls `work` with the database of a configuration, or with a copy if it is a backup, and with the faults of its
 * file.
 */
export const inspectDatabase = <T>(
  config: Config,
  work: (database: string, faults: string[]) => Promise<T>,
): Promise<T> => inspectStore(config, work);

/** Lists the faults of the database file of a configuration. */
export const findDamage = (config: Config): Promise<string[]> => findPageFaults(config);
