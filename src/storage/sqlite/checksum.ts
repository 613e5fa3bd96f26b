import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/**
 * The checksum of a backup: 64 bytes after the last page of the SQLite file, consisting of a 32-byte mark and the
 * SHA-256 of everything before them. SQLite uses the number of pages in its header and ignores what follows, so every
 * SQLite tool can open the backup, and the checksum cannot be separated from it.
 */

const mark = Buffer.from('perennial backup sha256 v1\n'.padEnd(32, '\0'), 'latin1');
const sumBytes = 32;
const sealBytes = mark.length + sumBytes;
const headerBytes = 100;
const chunkBytes = 1 << 20;

/** Appends the checksum to a finished backup and flushes it to disk. */
export function sealFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const { bytes, pages } = measure(file);
    if (bytes !== pages) throw new Error(`${path} is not a whole number of pages.`);
    const seal = Buffer.concat([mark, computeSum(file, bytes)]);
    writeSync(file, seal, 0, seal.length, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether a file is unchanged since it was backed up. */
type SealState = 'whole' | 'damaged' | 'unsealed';

/**
 * Compares a database file with its checksum; returns `unsealed` if it has none, like backups of earlier releases and
 * copies by other tools. Anything after the last page must be a checksum, so that a damaged one does not pass for a
 * missing one.
 */
export function checkSeal(path: string): SealState {
  const file = openSync(path, 'r');
  try {
    const { bytes, pages } = measure(file);
    if (bytes === pages || pages === 0) return 'unsealed';
    if (bytes !== pages + sealBytes) return 'damaged';
    const seal = Buffer.alloc(sealBytes);
    readSync(file, seal, 0, sealBytes, pages);
    const isWhole = seal.equals(Buffer.concat([mark, computeSum(file, pages)]));
    return isWhole ? 'whole' : 'damaged';
  } finally {
    closeSync(file);
  }
}

/** Removes the checksum from a file that will be written to. */
export function removeSeal(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const { bytes, pages } = measure(file);
    if (pages > 0 && bytes === pages + sealBytes) ftruncateSync(file, pages);
  } finally {
    closeSync(file);
  }
}

/** Returns the length of a file, and the length of its pages according to its header; 0 if it is not a SQLite file. */
function measure(file: number): { bytes: number; pages: number } {
  const bytes = fstatSync(file).size;
  const header = Buffer.alloc(headerBytes);
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return { bytes, pages: 0 };
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return { bytes, pages: 0 };
  // https://www.sqlite.org/fileformat.html, 1.3: a page of 65,536 bytes is written as 1.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  return { bytes, pages: pageSize * header.readUInt32BE(28) };
}

function computeSum(file: number, bytes: number): Buffer {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes;) {
    const read = readSync(file, chunk, 0, Math.min(chunkBytes, bytes - at), at);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest();
}
