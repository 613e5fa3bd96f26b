import type Database from 'better-sqlite3';
import { is, Param, Placeholder } from 'drizzle-orm';
import { quoteColumn, type ColumnKind } from '../model/columns.ts';
import type { Driver, Statement } from '../query/queries.ts';
import type { ComputedRows, SelectedRows } from '../query/results.ts';
import { shareStatements } from '../query/sharedStatements.ts';
import { listColumns, compileRowMapper } from '../query/tableMeta.ts';

type Values = Record<string, unknown>;

/** A query built by Drizzle: its SQL, and its parameters with their encoders. */
interface Built {
  toSQL(): { sql: string; params: unknown[] };
}

/** A query with a single result: its SQL, its parameters, and a function that converts the result and bound values to rows. */
export interface RowQuery<Result = string> {
  query: string;
  readArguments: (values: Values) => unknown[];
  readRows: (result: Result | undefined, values: Values) => Values[];
}

/**
 * Wraps a query for rows of a table. Its rows are returned by SQLite as one JSON text, because the driver has a cost
 * per cell. A query for at most one row needs no aggregation.
 */
function buildRowQuery(built: Built, rows: SelectedRows | ComputedRows): RowQuery {
  const { sql, params } = built.toSQL();
  const columns = listColumns(rows).map(({ key, kind, bound }) => ({ key, bound, ...jsonConversions[kind] }));
  const read = columns.filter(({ bound }) => bound === undefined);
  const cells = read.map(({ key, write }) => write(quoteColumn(key))).join(', ');
  const rowText = `json_array(${cells})`;
  const isOne = 'isOne' in rows && rows.isOne;
  const query = `select ${isOne ? rowText : `json_group_array(${rowText})`} from (${sql})`;
  const readers = params.map(readArgument);
  const makeRow = compileRowMapper(columns);
  const one = (text: string | undefined, values: Values) =>
    text === undefined ? [] : [makeRow(JSON.parse(text), values)];
  const several = (text: string | undefined, values: Values) =>
    text === undefined || text === '[]'
      ? []
      : (JSON.parse(text) as unknown[][]).map((row) => makeRow(row, values));
  const readArguments = (values: Values) => readers.map((readValue) => readValue(values));
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
  const statement = connection.prepare<unknown[], string | undefined>(query).pluck();
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

interface JsonConversion {
  /** The SQL expression that converts a column to JSON. */
  write: (column: string) => string;
  /** Converts the JSON value to the rules' value, if they differ. */
  read?: (value: any) => unknown;
}

const asItIs = (column: string) => column;

/** How each kind of value is passed as JSON. */
const jsonConversions: Record<ColumnKind, JsonConversion> = {
  text: { write: asItIs },
  instant: { write: asItIs },
  count: { write: asItIs },
  boolean: { write: asItIs, read: (value: number | null) => (value === null ? null : value === 1) },
  // A JSON number is a double, which is inexact beyond 2^53.
  money: {
    write: (column) => `cast(${column} as text)`,
    read: (value: string | null) => (value === null ? null : BigInt(value)),
  },
  json: { write: (column) => `json(${column})` },
};
