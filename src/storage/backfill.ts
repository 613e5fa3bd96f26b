import type Database from 'better-sqlite3';
import type pg from 'pg';

/**
 * A step of a migration that SQL cannot perform identically on both databases: SQLite lower-cases ASCII only, and
 * PostgreSQL by the collation of its build, whereas searches use JavaScript's lower case.
 */
const lowerStep = /^-- fill: (\w+)\.(\w+) = lower\((\w+)\)$/;

const rowsAtOnce = 1000;

interface Fill {
  table: string;
  column: string;
  from: string;
}

/** Returns the column that a migration statement fills in JavaScript: `-- fill: products.name_lower = lower(name)`. */
function buildFill(statement: string): Fill | undefined {
  const [, table, column, from] = lowerStep.exec(statement) ?? [];
  return table && column && from ? { table, column, from } : undefined;
}

/** Performs one statement of a migration on SQLite. */
export function performOnSqlite(connection: Database.Database, statement: string): void {
  const fill = buildFill(statement);
  if (!fill) {
    connection.exec(statement);
    return;
  }
  connection.function('to_lower_case', { deterministic: true }, (text) =>
    text === null ? null : String(text).toLowerCase(),
  );
  connection.exec(`UPDATE "${fill.table}" SET "${fill.column}" = to_lower_case("${fill.from}")`);
}

/** Performs one statement of a migration on PostgreSQL. */
export async function performOnPostgres(client: pg.Client, statement: string): Promise<void> {
  const fill = buildFill(statement);
  if (fill) await fillOnPostgres(client, fill);
  else await client.query(statement);
}

async function fillOnPostgres(client: pg.Client, { table, column, from }: Fill): Promise<void> {
  for (let past = ['', '']; ;) {
    const { rows } = await client.query<{ tenant_alias: string; id: string; text: string | null }>(
      `SELECT tenant_alias, id, "${from}" AS text FROM "${table}"
       WHERE (tenant_alias, id) > ($1, $2) ORDER BY tenant_alias, id LIMIT ${rowsAtOnce}`,
      past,
    );
    const last = rows.at(-1);
    if (!last) return;
    const aliases = rows.map((row) => row.tenant_alias);
    const ids = rows.map(({ id }) => id);
    const lowered = rows.map(({ text }) => text?.toLowerCase() ?? null);
    await client.query(
      `UPDATE "${table}" AS filled SET "${column}" = given.text
       FROM unnest($1::text[], $2::text[], $3::text[]) AS given (tenant_alias, id, text)
       WHERE filled.tenant_alias = given.tenant_alias AND filled.id = given.id`,
      [aliases, ids, lowered],
    );
    past = [last.tenant_alias, last.id];
  }
}
