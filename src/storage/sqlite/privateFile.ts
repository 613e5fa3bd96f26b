import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const nameBytes = 8;
const ownerAlone = 0o600;
/** Of a database that SQLite writes to. */
const suffixes = ['', '-journal', '-wal', '-shm'];

/** Makes an empty file for its owner alone beside `target`, under a name that nobody can foresee. */
export function makePartFile(target: string): string {
  const part = `${target}.${randomBytes(nameBytes).toString('hex')}.part`;
  closeSync(openSync(part, 'wx', ownerAlone));
  return part;
}

/** Removes a part and what SQLite has put beside it. */
export function removePart(part: string): void {
  for (const suffix of suffixes) rmSync(part + suffix, { force: true });
}

/** Removes the parts that a process left behind that was killed; to be called where no other can be at work on one. */
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
 * Gives a finished part its name once it is on the disk; it holds secrets, and is for its owner alone. Throws an Error
 * where something has that name, unless `force` is given.
 */
export function publishPart(part: string, target: string, force: boolean): void {
  chmodSync(part, ownerAlone);
  syncFile(part);
  if (force || !linkAs(part, target)) renameSync(part, target);
  else rmSync(part);
  syncFile(dirname(target));
}

/** Gives the part a second name, which fails where the name is taken; false where the file system has no such thing. */
function linkAs(part: string, target: string): boolean {
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

/** Sees to it that a file, or the names in a folder, are on the disk. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
