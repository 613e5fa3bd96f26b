import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { platform, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';

const nameBytes = 8;
const ownerAlone = 0o600;
const anyOther = 0o077;
/** The suffixes of the files that SQLite creates for a database. */
const suffixes = ['', '-journal', '-wal', '-shm'];

/** Creates an empty file, readable only by its owner, beside `target` under an unpredictable name. */
export function makePartFile(target: string): string {
  const part = `${target}.${randomBytes(nameBytes).toString('hex')}.part`;
  closeSync(openSync(part, 'wx', ownerAlone));
  return part;
}

/** Lists the files of a database, and of its encryption key, that users other than the owner can open. */
export function listExposedFiles(path: string): string[] {
  // Windows has no modes: Node.js reports the same one for each file.
  if (platform() === 'win32') return [];
  return [...suffixes, '.key']
    .map((suffix) => path + suffix)
    .filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & anyOther) !== 0);
}

/** Removes a temporary file and the files that SQLite created beside it. */
export function removePart(part: string): void {
  for (const suffix of suffixes) rmSync(part + suffix, { force: true });
}

/** Removes the temporary files of killed processes; call it only where no other process can be using one. */
export function removeLeftParts(target: string): void {
  if (!existsSync(dirname(target))) return;
  const name = basename(target);
  const form = /^\.[0-9a-f]{16}\.part(-journal|-wal|-shm)?$/;
  for (const file of readdirSync(dirname(target))) {
    if (file.startsWith(name) && form.test(file.slice(name.length))) {
      rmSync(join(dirname(target), file), { force: true });
    }
  }
}

/**
 * Flushes a temporary file to disk and gives it its final name; it contains secrets, so only its owner can read it.
 * Throws an Error if the name exists, unless `force` is given.
 */
export function publishPart(part: string, target: string, force: boolean): void {
  chmodSync(part, ownerAlone);
  syncFile(part);
  if (force || !createLink(part, target)) renameSync(part, target);
  else rmSync(part);
  syncFile(dirname(target));
}

/** Creates a hard link, which fails if the name exists; returns false if the file system has no hard links. */
function createLink(part: string, target: string): boolean {
  try {
    linkSync(part, target);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new Error(`${target} is there already; --force overwrites it.`, { cause: error });
    if (existsSync(target)) throw error;
    return false;
  }
}

/**
 * Gives a new database that root has created to the owner of the database it replaces, or of its folder: the service, which
 * could not open it otherwise.
 */
export function giveToService(file: string, path: string): void {
  if (userInfo().uid !== 0) return;
  const owners = [path, dirname(path)].map((each) => statSync(each, { throwIfNoEntry: false }));
  const owner = owners.find((each) => each !== undefined && each.uid !== 0);
  if (owner) chownSync(file, owner.uid, owner.gid);
}

/** Flushes a file, or the entries of a folder, to disk. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
