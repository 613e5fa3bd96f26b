import { copyFileSync, existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isMigrated } from '../migrate.ts';
import { listFileFaults } from './backup.ts';
import { isLocked } from './errors.ts';
import { explainErrors, explainFailure, resolveDatabase } from './fileLock.ts';
import { makePartFile, removePart } from './privateFile.ts';
import { checkSeal, removeSeal } from './checksum.ts';

/**
 * Calls `work` with the path of a database file that it may open normally, and with the faults of the file. For a
 * sealed backup, `work` gets a copy that is removed afterwards, so that the backup still matches its checksum. Throws
 * an Error if the file does not exist.
 */
export async function inspectFile<T>(
  path: string,
  work: (path: string, faults: string[]) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const seal = explainErrors(path, () => checkSeal(path));
  if (seal === 'unsealed') return work(path, listFileFaults(path));
  const copy = explainErrors(path, () => makePartFile(path));
  try {
    explainErrors(path, () => copyFileSync(path, copy));
    removeSeal(copy);
    const faults =
      seal === 'whole'
        ? []
        : ['its checksum does not match: it is damaged, or was written to after it was backed up'];
    return await work(copy, [...faults, ...listFileFaults(copy, path)]);
  } finally {
    removePart(copy);
  }
}

/** Whether a file is a database of this program, also one of an earlier release. Throws an Error if it is unreadable. */
export function isOurFile(name: string): boolean {
  const path = resolveDatabase(name);
  let connection: Database.Database | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true });
    return isMigrated(connection);
  } catch (error) {
    throw isLocked(error) ? error : explainFailure(path, error);
  } finally {
    connection?.close();
  }
}
