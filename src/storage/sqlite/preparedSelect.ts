import type Database from 'better-sqlite3';
import { is, Param, Placeholder } from 'drizzle-orm';
import type { Driver, Statement } from '../query/queries.ts';
import type { ComputedRows, SelectedRows } from '../query/results.ts';
import { shareStatements } from '../query/sharedStatements.ts';
import { listColumns, compileRowMapper } from '../query/tableMeta.ts';
import { joinRows, jsonConversions, writeComputed } from './rowText.ts';

type Values = Record<string, unknown>;

/** A query built by Drizzle: its SQL, and its parameters with their encoders. */
interface Built {
  toSQL(): { sql: string; params: unknown[] };
}

/** A query with a single result: its SQL, its parameters, and a function that converts the result and bound values to rows. */
export interface RowQuery<Result = string | null> {
  query: string;
  readArguments: (values: Values) => unknown[];
  readRows: (result: Result | undefined, values: Values) => Values[];
}

/** Compiles a query for rows of a table, or for columns that it computes, whose rows are returned as one JSON text. */
function buildRowQuery(built: Built, rows: SelectedRows | ComputedRows): RowQuery {
  const { sql, params } = built.toSQL();
  const isOne = 'isOne' in rows && rows.isOne;
  const query = isOne ? sql : 'computed' in rows ? writeComputed(sql, rows) : joinRows(sql);
  const readers = params.map(readArgument);
  const makeRow = compileRowMapper(
    listColumns(rows).map(({ key, kind, bound }) => ({ key, bound, read: jsonConversions[kind].read })),
  );
  const one = (text: string | null | undefined, values: Values) =>
    text ? [makeRow(JSON.parse(text), values)] : [];
  // An aggregate of no rows is null.
  const several = (text: string | null | undefined, values: Values) =>
    text ? (JSON.parse(text) as unknown[][]).map((cells) => makeRow(cells, values)) : [];
  const readArguments = (values: Values) => readers.map((read) => read(values));
  return { query, readArguments, readRows: isOne ? one : several };
}

/** Wraps a query that returns one number, which SQLite returns as a BigInt. */
export function buildCountQuery(built: Built): RowQuery<bigint> {
  const { sql, params } = built.toSQL();
  const readers = params.map(readArgument);
  const readArguments = (values: Values) => readers.map((read) => read(values));
  return { query: sql, readArguments, readRows: (count) => [{ value: Number(count) }] };
}

/** Compiles a statement that changes rows: its SQL, and a function that reads its parameters. */
function buildWrite(built: Built) {
  const { sql, params } = built.toSQL();
  const readers = params.map(readArgument);
  return { sql, readArguments: (values: Values) => readers.map((read) => read(values)) };
}

export const shareRowQuery = shareStatements(buildRowQuery);
const shareWrite = shareStatements(buildWrite);

/** Prepares a statement for a connection; see `Driver`. */
export function prepareStatement(
  connection: Database.Database,
  ...[shape, build, result]: Parameters<Driver['prepare']>
): Statement {
  if (result === 'changes') {
    const { sql, readArguments, tables } = shareWrite(shape, build, result);
    const statement = connection.prepare(sql);
    return { prepared: { run: (values: Values) => statement.run(...readArguments(values)) }, tables };
  }
  if (!result) {
    const { query, tables } = build();
    return { prepared: query.prepare(), tables };
  }
  const { query, readArguments, readRows, tables } = shareRowQuery(shape, build, result);
  const statement = connection.prepare<unknown[], string | null>(query).pluck();
  const all = (values: Values) => readRows(statement.get(...readArguments(values)), values);
  return { prepared: { all }, tables };
}

/**
 * Returns a function that reads a parameter from the values; Drizzle's own code checks the parameter's class at each
 * call.
 */
function readArgument(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param)) return () => param;
  const { value, encoder } = param;
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value);
  return (values) => encoder.mapToDriverValue(values[value.name]);
}
