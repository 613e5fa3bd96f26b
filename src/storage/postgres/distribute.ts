import type pg from 'pg';
import { tables } from '../query/tableMeta.ts';
import { isServerTable, tableDeclarations, type TableName } from '../model/rowTypes.ts';

/**
 * Distributes the tables by tenant with the Citus extension of PostgreSQL: all rows of a tenant are on one shard,
 * chosen by its alias (https://docs.citusdata.com, "Multi-tenant Applications"). The few rows of the server's own tables
 * are on every node ("Reference Tables").
 */

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

/**
 * Inserts into a migration's statements those that distribute its new tables, each right after its table is created:
 * Citus refuses references from a local table to a distributed one.
 */
export function distributeNewTables(statements: string[]): string[] {
  const steps = new Map(tables.map(distributionByTable).map(({ table, statement }) => [table, statement]));
  return statements.flatMap((statement) => {
    const distributing = steps.get(created.exec(statement)?.[1] ?? '');
    return distributing ? [statement, distributing] : [statement];
  });
}

type Client = Pick<pg.ClientBase, 'query'>;

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

/**
 * Distributes all tables that are not distributed yet, including their rows. If it is interrupted, the next call
 * continues. Throws an Error if the database has no Citus.
 */
export async function distributeTables(client: Client): Promise<Distribution> {
  const before = await readDistributedTables(client);
  if (!before) {
    throw new Error(
      'The database has no Citus extension (CREATE EXTENSION citus): its tables cannot be distributed.',
    );
  }
  const distributed: string[] = [];
  for (const { table, statement } of planDistribution(before)) {
    await client.query(statement);
    distributed.push(table);
  }
  const already = tables.map((name) => tableDeclarations[name].name).filter((table) => before.has(table));
  return { distributed, already };
}

/** Returns the tables that are not distributed although others are. */
export async function readUndistributedTables(client: Client): Promise<string[]> {
  const distributed = await readDistributedTables(client);
  const left = planDistribution(distributed ?? new Set());
  return !distributed || left.length === tables.length ? [] : left.map(({ table }) => table);
}
