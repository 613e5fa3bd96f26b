import { toSnakeCase } from '../../src/storage/model/columns.ts';
import { columnNames } from '../../src/storage/query/tableMeta.ts';
import { tableDeclarations, type TableName } from '../../src/storage/model/rowTypes.ts';
import type { TestApp } from './app.ts';
import { engine } from './engines.ts';

/**
 * Adds rows to a table by one statement of SQL: copies of a row of the tenant, each with other values in some columns,
 * which are SQL over `i`, counted from 1. `where` chooses the row.
 */
export async function multiply(
  { backdoor }: Pick<TestApp, 'backdoor'>,
  tenantAlias: string,
  name: TableName,
  rows: number,
  others: Record<string, string>,
  where = 'true',
): Promise<void> {
  const names = columnNames(name) as string[];
  const cells = names.map((column) => others[column] ?? `t."${toSnakeCase(column)}"`);
  const columns = names.map((column) => `"${toSnakeCase(column)}"`);
  const table = `"${tableDeclarations[name].name}"`;
  const statement = `insert into ${table} (${columns.join()})
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
     select ${cells.join()} from n, (select * from ${table} where tenant_alias = '${tenantAlias}' and ${where} limit 1) t`;
  // The log is emptied here, without a wait for the disk, and not when the server closes.
  const onSqlite = `PRAGMA synchronous = OFF; ${statement}; PRAGMA wal_checkpoint(TRUNCATE)`;
  // As autovacuum would before long.
  const onPostgres = `${statement}; ANALYZE ${table}`;
  await backdoor.execute(engine === 'sqlite' ? onSqlite : onPostgres);
}

/** SQL for an instant that is `i` minutes after a moment, alike on both databases. */
export const minutesAfter = (instant: string) =>
  engine === 'sqlite'
    ? `strftime('%Y-%m-%dT%H:%M:%fZ', '${instant}', '+' || i || ' minutes')`
    : `timestamptz '${instant}' + i * interval '1 minute'`;
