import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { makeOnce } from './makeOnce.ts';

/** The asset of the single executable that contains the SHA-256 of each other asset. */
const hashesName = 'assets.json';

/** The folder of the program's files. In the executable, assets have names without a folder. */
const getRoot = makeOnce(() => (isSea() ? '' : findRoot()));

/** Returns the folder that contains the migrations: one above the bundle, two above this file. */
function findRoot(): string {
  const above = fileURLToPath(new URL('..', import.meta.url));
  return existsSync(path.join(above, 'drizzle')) ? above : path.dirname(path.resolve(above));
}

/** The SHA-256 of each asset of the executable. */
const getHashes = makeOnce(() => JSON.parse(getAsset(hashesName, 'utf8')) as Record<string, string>);

/** Returns the path of a file or folder that belongs to the program (`drizzle`), for `readAsset`. */
export const assetPath = (name: string): string => path.join(getRoot(), name);

/**
 * Reads a file that belongs to the program, from its folder or from the single executable; returns undefined if it does
 * not exist. Throws an Error if the executable is damaged.
 */
export function readAsset(file: string): Buffer | undefined {
  if (!hasAsset(file)) return undefined;
  if (!isSea()) return readFileSync(file);
  // Shares the executable's read-only memory instead of copying it.
  const content = Buffer.from(getRawAsset(file) as ArrayBuffer);
  const hash = createHash('sha256').update(content).digest('hex');
  if (hash !== getHashes()[file])
    throw new Error(`The program is damaged: ${file} does not match its checksum.`);
  return content;
}

/** Whether `readAsset` will find the file. */
export const hasAsset = (file: string): boolean =>
  isSea() ? getHashes()[file] !== undefined : existsSync(file);
