import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Where the single executable keeps the SHA-256 of each of its assets. */
const hashesName = 'assets.json';

// The bundle lies as deep in the project as this file. The executable has no folder: there a name is a name.
const root = isSea() ? '' : fileURLToPath(new URL('..', import.meta.url));

let hashes: Record<string, string> | undefined;

/** Where the program finds a file, or a folder of files, that it brings along (`drizzle`); for `readAsset`. */
export const assetPath = (name: string): string => path.join(root, name);

/**
 * The bytes of a file that the program brings along, from its folder or from within the single executable; undefined
 * where there is none. Throws an Error when the executable has been damaged.
 */
export function readAsset(file: string): Buffer | undefined {
  if (!isSea()) return existsSync(file) ? readFileSync(file) : undefined;
  hashes ??= JSON.parse(getAsset(hashesName, 'utf8')) as Record<string, string>;
  const expected = hashes[file];
  if (expected === undefined) return undefined;
  const content = Buffer.from(getAsset(file));
  const hash = createHash('sha256').update(content).digest('hex');
  if (hash !== expected) throw new Error(`The program is damaged: its ${file} is not what was built in.`);
  return content;
}
