import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Where the single executable keeps the SHA-256 of each of its assets. */
const hashesName = 'assets.json';

// The executable has no folder: there a name is a name.
const root = isSea() ? '' : findRoot();

/** The folder with the migrations: one above the bundle, two above this file. */
function findRoot(): string {
  const above = fileURLToPath(new URL('..', import.meta.url));
  return existsSync(path.join(above, 'drizzle')) ? above : path.dirname(path.resolve(above));
}

let hashes: Record<string, string> | undefined;
const builtIn = () => (hashes ??= JSON.parse(getAsset(hashesName, 'utf8')) as Record<string, string>);

/** Where the program finds a file, or a folder of files, that it brings along (`drizzle`); for `readAsset`. */
export const assetPath = (name: string): string => path.join(root, name);

/**
 * The bytes of a file that the program brings along, from its folder or from within the single executable; undefined
 * where there is none. Throws an Error when the executable has been damaged.
 */
export function readAsset(file: string): Buffer | undefined {
  if (!hasAsset(file)) return undefined;
  if (!isSea()) return readFileSync(file);
  // No copy of what the system has in memory anyway; it cannot be written to.
  const content = Buffer.from(getRawAsset(file) as ArrayBuffer);
  const hash = createHash('sha256').update(content).digest('hex');
  if (hash !== builtIn()[file])
    throw new Error(`The program is damaged: its ${file} is not what was built in.`);
  return content;
}

/** Whether `readAsset` will answer bytes. */
export const hasAsset = (file: string): boolean =>
  isSea() ? builtIn()[file] !== undefined : existsSync(file);
