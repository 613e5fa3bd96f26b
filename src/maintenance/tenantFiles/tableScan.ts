import { createHash, type Hash } from 'node:crypto';
import type { Queries } from '../../storage/query/queries.ts';
import { columnNames } from '../../storage/query/tableMeta.ts';
import {
  isServerTable,
  tableDeclarations,
  type Row,
  type TableName,
  type TenantTable,
} from '../../storage/model/rowTypes.ts';

/** A tenant's rows in one table: the row count, and the SHA-256 of their lines in key order. */
interface TableSum {
  rows: number;
  sha256: string;
}

export type TableSums = Partial<Record<TenantTable, TableSum>>;

const rowsPerPage = 1000;

/**
 * Tables that a tenant's file leaves out: customers sign in to the portal again, failed attempts are soon forgotten, and
 * operators belong to the server. The search index and the sums of the tax report are made from the records.
 */
const leftOut: TenantTable[] = [
  'portalSessions',
  'customerSessions',
  'portalCodes',
  'codeAttempts',
  'operatorMemberships',
  'searchEntries',
  'searchProgress',
  'taxSums',
  'taxProgress',
];

/** Every table of a tenant's file, ordered so that a table follows the tables it refers to. */
export const tableNames = (Object.keys(tableDeclarations) as TableName[]).filter(
  (name): name is TenantTable => !isServerTable(name) && !(leftOut as TableName[]).includes(name),
);

/** Iterates over a tenant's rows of a table in key order, one page in memory at a time. */
export async function* readPages<Name extends TenantTable>(
  queries: Queries,
  name: Name,
  alias: string,
): AsyncGenerator<Row<Name>[]> {
  const owner = name === 'tenants' ? 'alias' : 'tenantAlias';
  const keys = (tableDeclarations[name].keys.primary as (keyof Row<Name> & string)[]).filter(
    (key) => key !== owner,
  );
  const where = { [owner]: alias } as never;
  let past: string[] | undefined;
  for (;;) {
    const page = await queries.select(name, { where, orderBy: keys, past, limit: rowsPerPage });
    if (page.length > 0) yield page;
    if (page.length < rowsPerPage || keys.length === 0) return;
    past = keys.map((key) => page.at(-1)![key] as string);
  }
}

/** Serializes a row identically for both databases: columns in declared order, money as text. */
export function toLine(name: TenantTable, row: Record<string, unknown>): string {
  const ordered = Object.fromEntries(columnNames(name).map((column) => [column, row[column]]));
  return JSON.stringify(ordered, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Creates an accumulator of row counts and hashes by table. */
export function createTableSums() {
  const hashes = new Map<TenantTable, { rows: number; hash: Hash }>();
  return {
    add: (name: TenantTable, line: string): void => {
      const sum = hashes.get(name) ?? { rows: 0, hash: createHash('sha256') };
      sum.rows += 1;
      sum.hash.update(line).update('\n');
      hashes.set(name, sum);
    },
    /** Returns the sums of the tables that have rows. */
    sums: (): TableSums =>
      Object.fromEntries(
        [...hashes].map(([name, { rows, hash }]) => [name, { rows, sha256: hash.digest('hex') }]),
      ),
  };
}

/** Returns the total number of rows. */
export const countRows = (sums: TableSums): number =>
  Object.values(sums).reduce((total, { rows }) => total + rows, 0);
