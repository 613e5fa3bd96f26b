import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { administer, signatureQuery, templateName } from './administer.ts';

const ownRows = `FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
const filledTables = `SELECT oid::regclass::text AS name, pg_relation_size(oid)::int AS bytes ${ownRows}
  AND relname <> 'migrations' AND pg_relation_size(oid) > 0`;

/** Deleted rows stay in their files: databases with more are not used again. */
const maxBytes = 2 * 1024 * 1024;

const reusable: string[] = [];

/** Returns the name of a database with all tables and without rows; `bare`: without tables. */
export async function takePostgres(bare: boolean): Promise<string> {
  const used = bare ? undefined : reusable.pop();
  if (used) return used;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = bare ? 'template0' : templateName;
  await administer(inject('postgres').address, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return name;
}

/**
 * Empties a database for the next test, or drops it if the test has changed more than rows: making one takes four times
 * as long as emptying it.
 */
export async function returnPostgres(name: string): Promise<void> {
  const { address, signature } = inject('postgres');
  if (await isEmptied(`${address}/${name}`, signature)) reusable.push(name);
  else await administer(address, `DROP DATABASE ${name} WITH (FORCE)`);
}

async function isEmptied(address: string, signature: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const found = await client.query(signatureQuery);
    if (found.rows[0].signature !== signature) return false;
    const { rows } = await client.query<{ name: string; bytes: number }>(filledTables);
    if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) return false;
    // As a replica applies rows: foreign keys and triggers are not looked at.
    const deletions = rows.map((row) => `DELETE FROM ${row.name};`);
    await client.query(`SET session_replication_role = replica; ${deletions.join(' ')}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
