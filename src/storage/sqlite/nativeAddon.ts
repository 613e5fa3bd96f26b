import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAsset } from '../../lib/assets.ts';

const addonName = 'better_sqlite3.node';
/** The part of the driver that is JavaScript, as a function of what it needs. */
const driverName = 'better-sqlite3.cjs';
/** Where the compiled part was loaded from. */
let loadedFrom: string | undefined;

/** Some forbid programs to be run from there; one of them will do. */
const folders = () => [tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

/**
 * Loads SQLite's compiled driver from within the single executable. It lies in a folder that is this process's own
 * and that nobody else can read, for as long as loading takes: nothing is left behind that another could tamper with
 * or that a later version would find. Throws an Error that names where it was tried.
 */
export function loadAddon(): unknown {
  const content = readAsset(addonName);
  if (!content) throw new Error('The program was built without its database driver.');
  const failures: string[] = [];
  for (const folder of new Set(folders())) {
    try {
      return loadFrom(folder, content);
    } catch (error) {
      failures.push(`${folder} (${(error as Error).message.split('\n')[0]})`);
    }
  }
  throw new Error(`The database driver could not be unpacked; set TMPDIR. Tried ${failures.join(', ')}.`);
}

/**
 * What a thread of the single executable makes the driver of: the name by which the system knows the compiled part that
 * is loaded already, and the source of the rest. Undefined elsewhere: there is a package.
 */
export function driverForThread(): { file: string; source: string } | undefined {
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
    // What is loaded stays loaded; where the system keeps the file open against that, it stays until it is cleaned.
    rmSync(own, { recursive: true, force: true });
  }
}
