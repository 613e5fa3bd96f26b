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
