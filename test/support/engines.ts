import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateFile } from '../../src/storage/sqlite/store.ts';
import { behindPostgres, behindSqlite, type Backdoor } from './backdoor.ts';
import { returnPostgres, takePostgres } from './postgresScratch.ts';

export type Engine = 'sqlite' | 'postgres';

/** The database that the tests of this project run on; the same tests run on each. */
export const engine: Engine = process.env['PERENNIAL_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** A database of a test's own. */
export interface Scratch {
  /** As PERENNIAL_DATABASE has it. */
  url: string;
  /** The file, on SQLite. */
  path: string;
  /** How the test gets at it without the server. */
  backdoor: Backdoor;
  drop(): Promise<void>;
}

/** A write that waits for another gives up soon: the tests wait for it. */
const lockTimeoutMs = 300;

/** Makes an empty database of the engine under test, or of another, with all its tables unless `bare`. */
export async function scratchDatabase(of: Engine = engine, bare = false): Promise<Scratch> {
  return of === 'postgres' ? scratchPostgres(bare) : scratchSqlite(bare);
}

function scratchSqlite(bare: boolean): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-'));
  const path = join(folder, 'test.db');
  if (!bare) placeSqlite(path);
  const backdoor = behindSqlite(path);
  return {
    url: `sqlite:${path}`,
    path,
    backdoor,
    drop: async () => {
      await backdoor.close();
      rmSync(folder, { recursive: true });
    },
  };
}

let sqliteTemplate: Buffer | undefined;

/** Writes an empty SQLite database with all tables: migrating each test's own takes a quarter of a second. */
export function placeSqlite(path: string): void {
  writeFileSync(path, (sqliteTemplate ??= makeSqliteTemplate()), { mode: 0o600 });
}

function makeSqliteTemplate(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-template-'));
  const path = join(folder, 'template.db');
  migrateFile(path, readMigrations('drizzle/sqlite'));
  const template = readFileSync(path);
  rmSync(folder, { recursive: true });
  return template;
}

async function scratchPostgres(bare: boolean): Promise<Scratch> {
  const { address } = inject('postgres');
  const name = await takePostgres(bare);
  const backdoor = behindPostgres(`${address}/${name}`);
  return {
    url: `${address}/${name}?lock_timeout=${lockTimeoutMs}`,
    path: '',
    backdoor,
    drop: async () => {
      await backdoor.close();
      await returnPostgres(name);
    },
  };
}
