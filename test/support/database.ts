import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { vi } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openSqlite } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { createIds } from '../../src/lib/ids.ts';
import type { Service } from '../../src/tenancy/service.ts';
import { createTenant } from '../../src/tenancy/tenants.ts';
import { systemClock } from '../../src/lib/clock.ts';

export const migrations = readMigrations('drizzle/sqlite');

export interface Scratch {
  path: string;
  remove: () => void;
}

/** A path for a database in a folder of its own. */
export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-'));
  return { path: join(folder, 'test.db'), remove: () => rmSync(folder, { recursive: true }) };
}

/** Opens a store and keeps hold of the connection that it writes with, to narrow it from outside. */
export function openWithWriter(path: string, own = true): { store: Store; writer: Database.Database } {
  const pragma = vi.spyOn(Database.prototype, 'pragma');
  try {
    const store = openSqlite({ path, migrations, own });
    const index = pragma.mock.calls.findIndex(([statement]) => statement === 'synchronous = FULL');
    return { store, writer: pragma.mock.contexts[index] as Database.Database };
  } finally {
    pragma.mockRestore();
  }
}

const walHeaderBytes = 32;
const frameHeaderBytes = 24;

/** How many commits the write-ahead log holds: the last frame of each tells the size of the database after it. */
export function commitsInLog(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const pageBytes = log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = walHeaderBytes; at + frameHeaderBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (log.readBigUInt64BE(at + 8) === salt && log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

/** Adds a tenant to a bare store. */
export function addTenant(store: Store, alias: string) {
  const service = { store, clock: systemClock, ids: createIds(systemClock, randomBytes) };
  return createTenant(service as Service, { alias });
}
