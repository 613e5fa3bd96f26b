import {
  customType,
  foreignKey,
  index,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { sql } from 'drizzle-orm';
import { writeSqliteRow } from './rowText.ts';
import { largeJsonBytes, type MeasureJson } from '../query/largeJson.ts';
import type { Hints } from '../query/where.ts';
import { buildTables, encodeUnlessNull, type Dialect } from '../model/columns.ts';
import { tableDeclarations } from '../model/rowTypes.ts';

// The connection reads all integers as BigInts, because SQLite's integers have 64 bits and a double is exact only to
// 53.
const boolean = customType<{ data: boolean; driverData: bigint }>({
  dataType: () => 'integer',
  fromDriver: (value) => value === 1n,
  toDriver: encodeUnlessNull((value) => (value ? 1n : 0n)),
});
const count = customType<{ data: number; driverData: bigint }>({
  dataType: () => 'integer',
  fromDriver: Number,
  toDriver: encodeUnlessNull(BigInt),
});
const money = customType<{ data: bigint; driverData: bigint }>({ dataType: () => 'integer' });
const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  fromDriver: (value) => JSON.parse(value),
  toDriver: encodeUnlessNull(JSON.stringify),
});

const dialect: Dialect = {
  columns: { text, instant: text, boolean, count, money, json },
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
};

/**
 * SQLite has no statistics here (ANALYZE is never run). If two indexes bound a range, it prefers the one with fewer
 * columns, regardless of how many rows are in the range.
 */
const sqliteHints: Hints = {
  unindexed: (column) => sql`+${column}`,
  rare: (condition) => sql`unlikely(${condition})`,
};

/** Reads a length from the record's header, without reading the text. */
const measureSqliteJson: MeasureJson = (column) =>
  sql`case when octet_length(${column}) > ${sql.raw(String(largeJsonBytes))} then octet_length(${column}) else ${column} end`;

/** How SQLite writes what the databases write differently. */
export const sqliteExpressions = {
  hints: sqliteHints,
  measureJson: measureSqliteJson,
  writeRow: writeSqliteRow,
  // SQLite has no exact decimals, so they are added after the statement.
  sumDecimals: (column: any) => sql`group_concat(${column}, ' ')`,
};

/** The SQLite tables; `scripts/drizzleTables.cjs` passes them to drizzle-kit. */
export const sqlite = buildTables(tableDeclarations, dialect);
