import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAsset } from '../../lib/assets.ts';

const addonName = 'better_sqlite3.node';
/** The JavaScript part of the driver, as a function of its dependencies. */
const driverName = 'better-sqlite3.cjs';
/** The path that the compiled part was loaded from. One per process, because a process loads it once. */
let loadedFrom: string | undefined;

/** Several, because some file systems do not permit executing files; one of them suffices. */
const listFolders = () => [tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

/**
 * Loads SQLite's compiled driver from the single executable. Unpacks it into a private folder that only this user can
 * read, and removes it after loading, so that no other process can alter it and no later version can find it. Throws an
 * Error that lists the folders tried.
 */
export function loadAddon(): unknown {
  const content = readAsset(addonName);
  if (!content) throw new Error('The program was built without its database driver.');
  const failures: string[] = [];
  for (const folder of new Set(listFolders())) {
    try {
      return loadFrom(folder, content);
    } catch (error) {
      failures.push(`${folder} (${(error as Error).message.split('\n')[0]})`);
    }
  }
  throw new Error(`The database driver could not be unpacked; set TMPDIR. Tried ${failures.join(', ')}.`);
}

/**
 * Returns the parts from which a thread of the single executable creates the driver: the path under which the operating
 * system has loaded the compiled part, and the source of the rest. Undefined elsewhere, where the thread requires the
 * package.
 */
export function readThreadDriver(): { file: string; source: string } | undefined {
  if (!isSea() || loadedFrom === undefined) return undefined;
  return { file: loadedFrom, source: readAsset(driverName)!.toString('utf8') };
}

function loadFrom(folder: string, content: Buffer): unknown {
  const own = mkdtempSync(path.join(folder, 'perennial-'));
  try {
    chmodSync(own, 0o700);
    const file = path.join(own, addonName);
    writeFileSync(file, content, { mode: 0o500, flag: 'wx' });
    const addon: unknown = createRequire(file)(file);
    loadedFrom = file;
    return addon;
  } finally {
    // A loaded library remains loaded. Where the operating system does not permit removing an open file, it remains
    // until the folder is cleaned.
    rmSync(own, { recursive: true, force: true });
  }
}
