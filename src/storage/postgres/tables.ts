import { sql } from 'drizzle-orm';
import { customType, foreignKey, index, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import { buildTables, encodeUnlessNull, type Dialect } from '../model/columns.ts';
import { largeJsonBytes, type MeasureJson } from '../query/largeJson.ts';
import type { Hints } from '../query/where.ts';
import { tableDeclarations } from '../model/rowTypes.ts';

// Ordered and compared by bytes, as in SQLite: the order of a locale would differ between machines.
const text = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: toInstant,
});
const boolean = customType<{ data: boolean }>({ dataType: () => 'boolean' });
const count = customType<{ data: number; driverData: string }>({
  dataType: () => 'bigint',
  fromDriver: Number,
});
const money = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'bigint',
  fromDriver: BigInt,
  toDriver: encodeUnlessNull(String),
});
// Not jsonb, which does not preserve the order of keys.
const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: encodeUnlessNull(JSON.stringify),
});

/** Converts `2026-01-31 00:00:00.5+00`, as a connection in UTC returns it, to the common format of instants. */
function toInstant(value: string): string {
  const [date, time] = value.replace('+00', '').split(' ') as [string, string];
  const [seconds, fraction = ''] = time.split('.') as [string, string?];
  return `${date}T${seconds}.${fraction.padEnd(3, '0')}Z`;
}

const dialect: Dialect = {
  columns: { text, instant, boolean, count, money, json },
  table: pgTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
};

/**
 * A prepared statement's plan is the same for all values. If most rows have one value, the planner would choose that
 * value's index and sort all of the rows for each step of a scan. An expression on the column has no index.
 */
export const postgresHints: Hints = {
  unindexed: (column) => (column.getSQLType().startsWith('text') ? sql`(${column} || '')` : column),
};

/**
 * A value stored in 512 bytes, compressed, cannot exceed the limit: only longer values are decompressed to be measured.
 */
export const measurePostgresJson: MeasureJson = (column) => sql`case
  when pg_column_size(${column}) > 512 and octet_length(${column}::text) > ${sql.raw(String(largeJsonBytes))}
  then to_json(octet_length(${column}::text)) else ${column} end`;

/** The PostgreSQL tables; `scripts/drizzleTables.cjs` passes them to drizzle-kit. */
export const postgres = buildTables(tableDeclarations, dialect);
