import pg from 'pg';

/** The database with all tables, that each test's own is copied from. */
export const templateName = 'perennial_template';

/** Runs one statement as the server's administrator. */
export async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Everything of a database but its rows: tables, columns, functions, triggers, settings, statistics. Each change of a
 * catalogue's row has a transaction id of its own, which the sums notice.
 */
export const signatureQuery = `SELECT concat_ws(' ', ${[
  'pg_attribute',
  'pg_class',
  'pg_constraint',
  'pg_index',
  'pg_namespace',
  'pg_proc',
  'pg_trigger',
]
  .map((table) => `(SELECT count(*) || '/' || sum(xmin::text::bigint) FROM ${table})`)
  .join()},
  (SELECT count(*) FROM pg_statistic),
  (SELECT count(*) FROM pg_db_role_setting WHERE setdatabase IN (
    0, (SELECT oid FROM pg_database WHERE datname = current_database()))),
  (SELECT string_agg(tag || hash, ' ' ORDER BY position) FROM migrations)) AS signature`;

/** Reads the signature of the template, which a database must have to be used again. */
export async function readSignature(address: string): Promise<string> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(signatureQuery)).rows[0].signature;
  } finally {
    await client.end();
  }
}
