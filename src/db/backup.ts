import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { dueAfter, type Migration } from './migrate.ts';
import { takeOwnership } from './sqlite.ts';

/** Told from time to time how much is done of how much. */
export type Progress = (done: number, total: number) => void;

/** What a database file is, once it has been found whole. */
export interface CheckedFile {
  bytes: number;
  /** The steps that it has, and those that this release will add. */
  migrations: string[];
  due: string[];
}

const pagesAtOnce = 2000;
const mostTold = 20;

/**
 * Copies a database file as it is at one instant, also while a server writes to it, checks the copy, and only then
 * gives it its name. Throws an Error when the copy is not whole.
 */
export async function backupFile(
  path: string,
  target: string,
  migrations: Migration[],
  progress: Progress,
): Promise<CheckedFile> {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  mkdirSync(dirname(target), { recursive: true });
  try {
    await copyPages(path, part, progress);
    const checked = checkFile(part, migrations);
    settle(part, target);
    return checked;
  } finally {
    for (const rest of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) rmSync(rest, { force: true });
  }
}

async function copyPages(path: string, part: string, progress: Progress): Promise<void> {
  const source = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    // Held open, so that what others write meanwhile neither shows nor makes the copy begin anew.
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
    // One file, without a log beside it.
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/**
 * Whether a file is a whole database of this release or an earlier one. Throws an Error that says what is wrong with
 * it.
 */
export function checkFile(path: string, migrations: Migration[]): CheckedFile {
  const database = openToCheck(path);
  try {
    const problems = faultsOf(database);
    if (problems.length > 0) throw new Error(`${path} is damaged: ${problems.join('; ')}.`);
    const isOurs = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`).get();
    if (!isOurs) throw new Error(`${path} is not a database of this program.`);
    const done = database
      .prepare<[], { tag: string; hash: string }>('SELECT tag, hash FROM migrations ORDER BY position')
      .all();
    const due = dueAfter(done, migrations);
    return {
      bytes: statSync(path).size,
      migrations: done.map(({ tag }) => tag),
      due: due.map(({ tag }) => tag),
    };
  } finally {
    database.close();
  }
}

function openToCheck(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    throw new Error(`${path} is no database file: ${(error as Error).message}.`, { cause: error });
  }
}

/** What SQLite finds wrong with a database file, also beside a running server. */
export function faultsOfFile(path: string): string[] {
  const database = openToCheck(path);
  try {
    return faultsOf(database);
  } finally {
    database.close();
  }
}

/** Its pages and indexes, and references that lead nowhere. */
function faultsOf(database: Database.Database): string[] {
  const pages = database.pragma(`integrity_check(${mostTold})`) as { integrity_check: string }[];
  const references = database.pragma('foreign_key_check') as { table: string; parent: string }[];
  return [
    ...pages.map((row) => row.integrity_check).filter((said) => said !== 'ok'),
    ...references
      .slice(0, mostTold)
      .map(({ table, parent }) => `a row of ${table} refers to none of ${parent}`),
  ];
}

/**
 * Puts a database file in the place of another, once a copy of it has been found whole; what was there is kept beside
 * it, as `<path>.replaced`. Throws an Error when the file is not whole, when `force` is not given and something is
 * there, and when a server runs on it.
 */
export function restoreFile(
  source: string,
  path: string,
  migrations: Migration[],
  force: boolean,
): CheckedFile {
  if (!existsSync(source)) throw new Error(`There is no file ${source}.`);
  if (existsSync(path) && !force) throw new Error(`${path} is there already; --force puts it aside.`);
  mkdirSync(dirname(path), { recursive: true });
  const lock = takeOwnership(path);
  const part = `${path}.part`;
  try {
    copyFileSync(source, part);
    const checked = checkFile(part, migrations);
    // The log before the file it belongs to: it must never lie beside another.
    for (const suffix of ['-shm', '-wal', '']) {
      rmSync(`${path}.replaced${suffix}`, { force: true });
      if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.replaced${suffix}`);
    }
    settle(part, path);
    return checked;
  } finally {
    rmSync(part, { force: true });
    lock.close();
  }
}

/** Gives a finished file its name once it is on the disk; it holds secrets, and is for its owner alone. */
function settle(part: string, target: string): void {
  chmodSync(part, 0o600);
  sync(part);
  renameSync(part, target);
  sync(dirname(target));
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
