import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { administer, templateName } from './administer.ts';

/** The database that the tests of this project run on; the same tests run on each. */
export const engine: 'sqlite' | 'postgres' =
  process.env['PERENNIAL_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** A database of a test's own. */
export interface Scratch {
  /** As PERENNIAL_DATABASE has it. */
  url: string;
  /** The file, on SQLite. */
  path: string;
  drop(): Promise<void>;
}

/** Makes an empty database, on PostgreSQL with all its tables. */
export async function scratchDatabase(): Promise<Scratch> {
  if (engine === 'postgres') return scratchPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'perennial-'));
  const path = join(folder, 'test.db');
  return {
    url: `sqlite:${path}`,
    path,
    drop: async () => rmSync(folder, { recursive: true }),
  };
}

async function scratchPostgres(): Promise<Scratch> {
  const server = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  return {
    url: `${server}/${name}`,
    path: '',
    drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}
