import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { isLocked } from './errors.ts';

/** As many as Linux follows. */
const mostLinks = 40;

/** The lock on a database file. */
interface Ownership {
  /** The file itself, whichever of its names it was asked for by. */
  path: string;
  release(): void;
}

/**
 * The file that a path leads to, through symbolic links, whether it is there yet or not. Throws an Error where the file
 * has several names (hard links): the log of what was written last lies beside only one of them.
 */
export function resolveDatabase(path: string): string {
  const found = resolveRealPath(path);
  const file = statSync(found, { throwIfNoEntry: false });
  // A folder has as many as it has folders within.
  if (file?.isFile() && file.nlink > 1) {
    throw new Error(
      `${found} has several names (hard links), and its log lies beside one of them; remove the others, or copy it with \`backup\`.`,
    );
  }
  return found;
}

function resolveRealPath(path: string, linksLeft = mostLinks): string {
  if (existsSync(path)) return realpathSync(path);
  // A link to what is not there yet.
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && linksLeft > 0)
    return resolveRealPath(resolve(dirname(path), readlinkSync(path)), linksLeft - 1);
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

/** Makes the folder of a file that is to be there, where it is not. */
export function makeParentFolder(path: string): void {
  explaining(path, () => mkdirSync(dirname(path), { recursive: true }));
}

/**
 * An exclusive lock on a file beside the database: the system frees it however the process ends. It belongs to the
 * database file and not to its name: symbolic links to one file lead to one lock. Throws an Error when another has it,
 * and another one when it cannot be taken for any other reason.
 */
export function takeOwnership(path: string): Ownership {
  const real = resolveDatabase(path);
  const lockPath = `${real}.lock`;
  for (;;) {
    const wasThere = existsSync(lockPath);
    const lock = openLock(real, lockPath, wasThere);
    // Somebody who is done may have removed the very file that was opened.
    if (isStill(lockPath, lock.inode)) {
      const release = () => lock.connection.close();
      return { path: real, release: wasThere ? release : () => removeAndRelease(lockPath, release) };
    }
    lock.connection.close();
  }
}

function openLock(
  path: string,
  lockPath: string,
  wasThere: boolean,
): { connection: Database.Database; inode: number } {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(lockPath, { timeout: 0 });
    const inode = statSync(lockPath).ino;
    connection.exec('BEGIN EXCLUSIVE');
    return { connection, inode };
  } catch (error) {
    connection?.close();
    if (isLocked(error)) {
      throw new Error(`${path} is in use by another server; a database file has one.`, { cause: error });
    }
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return openLock(path, lockPath, false);
    if (!wasThere) rmSync(lockPath, { force: true });
    throw explainFailure(path, error);
  }
}

const isStill = (path: string, inode: number) => existsSync(path) && statSync(path).ino === inode;

function removeAndRelease(lockPath: string, release: () => void): void {
  // While it is still locked: whoever opens it from here on finds another file, or sees that this one is gone.
  rmSync(lockPath, { force: true });
  release();
}

const sentences: Record<string, (path: string) => string> = {
  ENOSPC: (path) => `The disk of ${path} is full.`,
  EDQUOT: (path) => `The disk quota for ${path} is used up.`,
  EROFS: (path) => `${path} is on a disk that can only be read.`,
  EACCES: (path) => `${path} may not be written by this user.`,
  EPERM: (path) => `${path} may not be written by this user.`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder.`,
};

/** An Error that says why a database file cannot be opened or written, where the driver's own words do not. */
export function explainFailure(path: string, error: unknown): Error {
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = sentences[code];
  if (known) return new Error(known(path), { cause: error });
  if (!code.startsWith('SQLITE_')) return error as Error;
  if (code.startsWith('SQLITE_FULL')) return new Error(sentences['ENOSPC']!(path), { cause: error });
  const place = existsSync(path) && !statSync(path).isDirectory() ? path : dirname(path);
  const denied = /^SQLITE_(CANTOPEN|READONLY|IOERR|PERM|AUTH)/.test(code) ? explainDenial(place) : undefined;
  const folderDenied =
    denied ?? (/^SQLITE_(CANTOPEN|READONLY)/.test(code) ? explainDenial(dirname(path)) : undefined);
  if (folderDenied) return new Error(folderDenied, { cause: error });
  return error as Error;
}

/** Does work on a file; where it fails, the Error says why. */
export function explaining<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainFailure(path, error);
  }
}

/** Why a file or folder cannot be written to; undefined where it can. */
function explainDenial(place: string): string | undefined {
  if (!existsSync(place)) return `There is no folder ${place}.`;
  try {
    accessSync(place, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return sentences[code]?.(place) ?? message;
  }
}
