import type pg from 'pg';
import { tables } from '../query/tableMeta.ts';
import { toSnakeCase } from '../model/columns.ts';
import { isServerTable, tableDeclarations, type TableName } from '../model/rowTypes.ts';

/**
 * Distributes the tables by tenant with the Citus extension of PostgreSQL: all rows of a tenant are on one shard,
 * chosen by its alias (https://docs.citusdata.com, "Multi-tenant Applications"). The few rows of the server's own tables
 * are on every node ("Reference Tables").
 */

type Client = Pick<pg.ClientBase, 'query'>;

/** A table, and the statement that distributes it. */
interface DistributionStep {
  table: string;
  statement: string;
}

/** The tables distributed now, and those distributed before. */
export interface Distribution {
  distributed: string[];
  already: string[];
}

const distributionByTable = (name: TableName): DistributionStep => {
  const table = tableDeclarations[name].name;
  if (isServerTable(name)) return { table, statement: `SELECT create_reference_table('${table}')` };
  const arguments_ = name === 'tenants' ? `'alias'` : `'tenant_alias', colocate_with => 'tenants'`;
  return { table, statement: `SELECT create_distributed_table('${table}', ${arguments_})` };
};

/** Lists the steps for all tables that are not distributed yet; referenced tables come first. */
export const planDistribution = (distributed: ReadonlySet<string>): DistributionStep[] =>
  tables.map(distributionByTable).filter(({ table }) => !distributed.has(table));

const created = /^\s*CREATE TABLE (?:IF NOT EXISTS )?"(\w+)"/i;

const changesRows = /^\s*(?:--.*\n\s*)*(?:UPDATE|INSERT|DELETE)\b/i;

/**
 * Writes a migration's statements as Citus performs them; `now` is the present time as an expression without a function.
 * Statements that distribute its new tables are inserted, each right after its table is created, because Citus refuses references
 * from a local table to a distributed one. Changes of rows call no function whose result may differ between shards, which Citus
 * refuses.
 */
export function writeForDistributed(statements: string[], now: string): string[] {
  const steps = new Map(tables.map(distributionByTable).map(({ table, statement }) => [table, statement]));
  return statements.flatMap((statement) => {
    if (changesRows.test(statement)) return [writeWithoutUnstable(statement, now)];
    const distributing = steps.get(created.exec(statement)?.[1] ?? '');
    return distributing ? [statement, distributing] : [statement];
  });
}

/** PostgreSQL says of `convert_to` that it depends on the encoding of the database, which is UTF8. */
const writeWithoutUnstable = (statement: string, now: string): string =>
  statement
    .replaceAll(/\bnow\(\)/gi, () => now)
    .replaceAll(/\bconvert_to\((\w+\([^()]*\)), 'UTF8'\)/gi, String.raw`replace($1, '\', '\\')::bytea`);

/** Returns the beginning of the transaction as an expression without a function. */
export async function readNow(client: Client): Promise<string> {
  const { rows } = await client.query<{ now: string }>(
    `SELECT quote_literal(now()) || '::timestamptz' AS now`,
  );
  return rows[0]!.now;
}

/** Returns the names of the distributed tables; undefined if the database has no Citus. */
export async function readDistributedTables(client: Client): Promise<Set<string> | undefined> {
  const { rows: known } = await client.query<{ has: boolean }>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL
      AND EXISTS (SELECT FROM pg_proc WHERE proname = 'create_distributed_table') AS has`,
  );
  if (!known[0]!.has) return undefined;
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
      WHERE partmethod IN ('h', 'n') AND pg_table_is_visible(pg_class.oid)`,
  );
  return new Set(rows.map(({ relname }) => relname));
}

/** A foreign key from a table of tenants to one of the server. */
interface ServerKey {
  table: string;
  name: string;
  definition: string;
}

const serverKeys: ServerKey[] = tables.flatMap((name) => {
  const { name: table, keys } = tableDeclarations[name];
  if (isServerTable(name)) return [];
  return (keys.foreign ?? [])
    .filter((key) => isServerTable(key.table as TableName))
    .map((key) => {
      const column = toSnakeCase(key.columns.at(-1)!);
      const { name: target } = tableDeclarations[key.table as TableName];
      const definition = `FOREIGN KEY ("${column}") REFERENCES "${target}" ("id")`;
      return { table, name: `${table}_${column}_fk`, definition };
    });
});

/**
 * Distributes all tables that are not distributed yet, including their rows. If it is interrupted, the next call
 * continues. Throws an Error if the database has no Citus.
 *
 * Citus turns a local table with a foreign key to a reference table into one that it manages, and such a table may not
 * refer to a distributed one, as all tables of tenants do. So these keys are removed first, and added once their table is
 * distributed.
 */
export async function distributeTables(client: Client): Promise<Distribution> {
  const before = await readDistributedTables(client);
  if (!before) {
    throw new Error(
      'The database has no Citus extension (CREATE EXTENSION citus): its tables cannot be distributed.',
    );
  }
  for (const { table, name } of serverKeys.filter((key) => !before.has(key.table)))
    await client.query(`ALTER TABLE "${table}" DROP CONSTRAINT IF EXISTS "${name}"`);
  const distributed: string[] = [];
  for (const { table, statement } of planDistribution(before)) {
    await client.query(statement);
    distributed.push(table);
  }
  for (const key of serverKeys) await addKeyIfMissing(client, key);
  const already = tables.map((name) => tableDeclarations[name].name).filter((table) => before.has(table));
  return { distributed, already };
}

async function addKeyIfMissing(client: Client, { table, name, definition }: ServerKey): Promise<void> {
  const { rows } = await client.query(
    'SELECT FROM pg_constraint WHERE conname = $1 AND conrelid = $2::regclass',
    [name, table],
  );
  if (rows.length === 0) await client.query(`ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${definition}`);
}

/** Returns the tables that are not distributed although others are. */
export async function readUndistributedTables(client: Client): Promise<string[]> {
  const distributed = await readDistributedTables(client);
  const left = planDistribution(distributed ?? new Set());
  return !distributed || left.length === tables.length ? [] : left.map(({ table }) => table);
}
