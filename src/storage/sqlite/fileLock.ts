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

/** The limit of Linux. */
const maxLinks = 40;

/** The lock on a database file. */
interface Ownership {
  /** The path of the file itself, with all symbolic links resolved. */
  path: string;
  release(): void;
}

/**
 * Resolves the symbolic links of a path, whether its file exists or not. Throws an Error if the file has several names
 * (hard links): the log of the latest writes is beside only one of them.
 */
export function resolveDatabase(path: string): string {
  const found = resolveRealPath(path);
  const file = statSync(found, { throwIfNoEntry: false });
  // For a folder, the number of links counts its subfolders.
  if (file?.isFile() && file.nlink > 1) {
    throw new Error(
      `${found} has several names (hard links), and its log is beside only one of them; remove the others, or copy it with \`backup\`.`,
    );
  }
  return found;
}

function resolveRealPath(path: string, linksLeft = maxLinks): string {
  if (existsSync(path)) return realpathSync(path);
  // A link to a file that does not exist yet.
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && linksLeft > 0)
    return resolveRealPath(resolve(dirname(path), readlinkSync(path)), linksLeft - 1);
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

/** Creates the parent folder of a file, if it does not exist. */
export function makeParentFolder(path: string): void {
  explainErrors(path, () => mkdirSync(dirname(path), { recursive: true }));
}

/**
 * Takes an exclusive lock on a file beside the database; the operating system releases it however the process ends. The
 * lock belongs to the database file and not to its name: all symbolic links to a file lead to the same lock. Throws an
 * Error with `problem` if another process holds the lock, and a different one if it cannot be taken for another reason.
 */
export function takeOwnership(
  path: string,
  problem = 'is in use by another server; a database file has one',
): Ownership {
  const real = resolveDatabase(path);
  const lockPath = `${real}.lock`;
  for (;;) {
    const wasThere = existsSync(lockPath);
    const lock = openLock(real, lockPath, { wasThere, problem });
    // The previous owner may have removed the file between its opening and its locking.
    if (isSameInode(lockPath, lock.inode)) {
      const release = () => lock.connection.close();
      return { path: real, release: wasThere ? release : () => removeAndRelease(lockPath, release) };
    }
    lock.connection.close();
  }
}

function openLock(
  path: string,
  lockPath: string,
  { wasThere, problem }: { wasThere: boolean; problem: string },
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
      throw new Error(`${path} ${problem}.`, { cause: error });
    }
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return openLock(path, lockPath, { wasThere: false, problem });
    if (!wasThere) rmSync(lockPath, { force: true });
    throw explainFailure(path, error);
  }
}

const isSameInode = (path: string, inode: number) => existsSync(path) && statSync(path).ino === inode;

function removeAndRelease(lockPath: string, release: () => void): void {
  // Removed while locked: a process that opens the path from now on gets a new file or notices the removal.
  rmSync(lockPath, { force: true });
  release();
}

const sentences: Record<string, (path: string) => string> = {
  ENOSPC: (path) => `The disk of ${path} is full.`,
  EDQUOT: (path) => `The disk quota for ${path} is used up.`,
  EROFS: (path) => `${path} is on a read-only disk.`,
  EACCES: (path) => `${path} is not writable for this user.`,
  EPERM: (path) => `${path} is not writable for this user.`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder.`,
};

/** Returns an Error that says why a database file cannot be opened or written, if the driver's message does not. */
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

/** Runs work on a file; if it fails, throws an Error that explains the failure. */
export function explainErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainFailure(path, error);
  }
}

/** Returns why a file or folder is not writable; undefined if it is writable. */
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
