import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { administer, templateName } from './administer.ts';
import { behindPostgres, behindSqlite, type Backdoor } from './backdoor.ts';

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

/** Makes an empty database of the engine under test, or of another; on PostgreSQL with all its tables unless `bare`. */
export async function scratchDatabase(of: Engine = engine, bare = false): Promise<Scratch> {
  if (of === 'postgres') return scratchPostgres(bare);
  const folder = mkdtempSync(join(tmpdir(), 'perennial-'));
  const path = join(folder, 'test.db');
  return {
    url: `sqlite:${path}`,
    path,
    backdoor: behindSqlite(path),
    drop: async () => rmSync(folder, { recursive: true }),
  };
}

async function scratchPostgres(bare: boolean): Promise<Scratch> {
  const server = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${bare ? 'template0' : templateName}`);
  const backdoor = behindPostgres(`${server}/${name}`);
  return {
    url: `${server}/${name}?lock_timeout=${lockTimeoutMs}`,
    path: '',
    backdoor,
    drop: async () => {
      await backdoor.close();
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
