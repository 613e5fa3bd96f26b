import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { isMigrated, listDueMigrations, type Migration } from '../migrate.ts';
import { explainFailure, explainErrors, makeParentFolder, takeOwnership } from './fileLock.ts';
import { giveToService, makePartFile, publishPart, removeLeftParts, removePart } from './privateFile.ts';
import { checkSeal, removeSeal, sealFile } from './checksum.ts';

/** Reports progress: how much of the total is done. */
export type Progress = (done: number, total: number) => void;

/** A database file that was checked and is not damaged. */
export interface CheckedFile {
  bytes: number;
  /** The tags of its migrations, and of those that this release will add. */
  migrations: string[];
  due: string[];
}

/** A backup that has replaced a database. */
export interface RestoredFile extends CheckedFile {
  /** Whether the file had a checksum, which it matches; without one, some damage cannot be detected. */
  hasChecksum: boolean;
}

const pagesAtOnce = 2000;
const maxReports = 20;

/**
 * Copies a database file as of one instant, even while a server writes to it; checks the copy, seals it with a
 * checksum, and gives it its name last. Throws an Error if the copy is damaged, and if the target exists, unless
 * `force` is given.
 */
export async function backupFile(
  path: string,
  target: string,
  migrations: Migration[],
  force: boolean,
  progress: Progress,
): Promise<CheckedFile> {
  makeParentFolder(target);
  const part = explainErrors(target, () => makePartFile(target));
  try {
    await copyPages(path, part, progress);
    const checked = checkFile(part, migrations);
    sealFile(part);
    const { size } = statSync(part);
    publishPart(part, target, force);
    return { ...checked, bytes: size };
  } catch (error) {
    throw explainFailure(target, error);
  } finally {
    removePart(part);
  }
}

async function copyPages(path: string, part: string, progress: Progress): Promise<void> {
  const source = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    // An open transaction, so that concurrent writes are not copied and do not restart the copy.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(part, {
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      },
    });
  } finally {
    source.close();
  }
  const copy = new Database(part);
  try {
    // A single file, without a log beside it.
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/**
 * Checks that a file is an undamaged database of this release or an earlier one. Throws an Error that describes the
 * fault, under the given name.
 */
function checkFile(path: string, migrations: Migration[], name = path): CheckedFile {
  const database = openToCheck(path, name);
  try {
    const problems = listFaults(database);
    if (problems.length > 0) throw new Error(`${name} is damaged: ${problems.join('; ')}.`);
    if (!isMigrated(database)) throw new Error(`${name} is not a database of this program.`);
    const done = database
      .prepare<[], { tag: string; hash: string }>('SELECT tag, hash FROM migrations ORDER BY position')
      .all();
    const due = listDueMigrations(done, migrations);
    return {
      bytes: statSync(path).size,
      migrations: done.map(({ tag }) => tag),
      due: due.map(({ tag }) => tag),
    };
  } finally {
    database.close();
  }
}

function openToCheck(path: string, name = path): Database.Database {
  if (!existsSync(path)) throw new Error(`There is no file ${name}.`);
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true, fileMustExist: true });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database?.close();
    const { code = '', message } = error as Error & { code?: string };
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw explainFailure(name, error);
    throw new Error(`${name} is no database file, or its header is damaged: ${message}.`, { cause: error });
  }
}

/**
 * Lists the faults that SQLite finds in a database file, also while a server uses it; an unreadable file is a fault.
 */
export function listFileFaults(path: string, name = path): string[] {
  const database = openToCheck(path, name);
  try {
    return listFaults(database);
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (!/^SQLITE_(NOTADB|CORRUPT|IOERR)/.test(code)) throw error;
    return [`${message} (${code})`];
  } finally {
    database.close();
  }
}

/** Lists faults of pages and indexes, and broken references. */
function listFaults(database: Database.Database): string[] {
  const pages = database.pragma(`integrity_check(${maxReports})`) as { integrity_check: string }[];
  const references = database.pragma('foreign_key_check') as { table: string; parent: string }[];
  return [
    ...pages.map((row) => row.integrity_check).filter((messages) => messages !== 'ok'),
    ...references
      .slice(0, maxReports)
      .map(({ table, parent }) => `a row of ${table} refers to none of ${parent}`),
  ];
}

/**
 * Replaces a database file by another one, once a copy of it was checked; the replaced file is kept beside it as
 * `<path>.replaced`. Throws an Error if the file does not match its checksum or is damaged, if the target exists
 * without `force`, and if a server runs on it. Removes its temporary files in any case; a copy left by a killed process
 * is removed by the next call.
 */
export function restoreFile(
  source: string,
  path: string,
  migrations: Migration[],
  force: boolean,
): RestoredFile {
  if (!existsSync(source)) throw new Error(`There is no file ${source}.`);
  if (existsSync(path) && !force) throw new Error(`${path} is there already; --force puts it aside.`);
  refuseOpenDatabase(source);
  const madeFolder = explainErrors(path, () => mkdirSync(dirname(path), { recursive: true }));
  let isDone = false;
  try {
    const lock = takeOwnership(path);
    try {
      if (isSameFile(source, lock.path)) throw new Error(`${source} is the database itself.`);
      removeLeftParts(lock.path);
      const restored = putInPlace(source, lock.path, migrations, force);
      isDone = true;
      return restored;
    } finally {
      lock.release();
    }
  } finally {
    if (!isDone && madeFolder !== undefined) removeEmptyFolders(dirname(path), madeFolder);
  }
}

function putInPlace(source: string, path: string, migrations: Migration[], force: boolean): RestoredFile {
  const part = explainErrors(path, () => makePartFile(path));
  try {
    copyFileSync(source, part);
    chmodSync(part, 0o600);
    // Of the copy, to detect faults of the disk while copying as well.
    const seal = checkSeal(part);
    if (seal === 'damaged') {
      throw new Error(
        `${source} is damaged, or was written to after it was backed up: its checksum does not match.`,
      );
    }
    if (seal === 'whole') removeSeal(part);
    const checked = checkFile(part, migrations, source);
    giveToService(part, path);
    // The log before its file: it must never lie beside another database.
    for (const suffix of ['-shm', '-wal', '']) {
      rmSync(`${path}.replaced${suffix}`, { force: true });
      if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.replaced${suffix}`);
    }
    if (existsSync(`${path}.replaced`)) chmodSync(`${path}.replaced`, 0o600);
    publishPart(part, path, force);
    return { ...checked, hasChecksum: seal === 'whole' };
  } catch (error) {
    throw explainFailure(path, error);
  } finally {
    removePart(part);
  }
}

/** The latest writes would be lost: they are in the log, which a copy of the file does not include. */
function refuseOpenDatabase(source: string): void {
  const log = `${source}-wal`;
  if (!existsSync(log) || statSync(log).size === 0) return;
  throw new Error(`${source} has a log beside it (${log}), so it is no backup; make one with \`backup\`.`);
}

function isSameFile(one: string, other: string): boolean {
  if (!existsSync(other)) return false;
  const [a, b] = [statSync(one), statSync(other)];
  return a.dev === b.dev && a.ino === b.ino;
}

/** Removes the folders that were created in vain, from the innermost to the outermost, as long as they are empty. */
function removeEmptyFolders(innermost: string, outermost: string): void {
  try {
    for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // Another process has put a file there.
  }
}
