import type Database from 'better-sqlite3';
import { is, Param, Placeholder } from 'drizzle-orm';
import { quoted, type ColumnKind } from '../model/columns.ts';
import type { SelectedRows } from '../query/queries.ts';
import { listColumns, compileRowMapper } from '../query/tableMeta.ts';

type Values = Record<string, unknown>;

/** What Drizzle has built: its SQL, and its parameters with their encoders. */
interface Built {
  toSQL(): { sql: string; params: unknown[] };
  prepare(): unknown;
}

/** A query for rows of a table: its SQL, its parameters, and how rows are made of its one text. */
export interface Reading {
  query: string;
  readArguments: (values: Values) => unknown[];
  readRows: (text: string | undefined) => Values[];
}

/**
 * Reads what was built for rows of a table. They cross from SQLite as one JSON text: the driver pays for each cell
 * that it hands over, and the text is one. Where there is one row at most, nothing needs to be gathered.
 */
export function buildReading(built: Built, rows: SelectedRows): Reading {
  const { sql, params } = built.toSQL();
  const columns = listColumns(rows).map(({ key, kind }) => ({ key, ...crossings[kind] }));
  const cells = columns.map(({ key, write }) => write(quoted(key))).join(', ');
  const rowText = `json_array(${cells})`;
  const query = `select ${rows.isOne ? rowText : `json_group_array(${rowText})`} from (${sql})`;
  const readers = params.map(readArgument);
  const makeRow = compileRowMapper(columns);
  const one = (text: string | undefined) => (text === undefined ? [] : [makeRow(JSON.parse(text)) as Values]);
  const several = (text: string | undefined) =>
    text === undefined || text === '[]'
      ? []
      : (JSON.parse(text) as unknown[][]).map((cell) => makeRow(cell) as Values);
  const readArguments = (values: Values) => readers.map((read) => read(values));
  return { query, readArguments, readRows: rows.isOne ? one : several };
}

/** Prepares a query that answers rows of a table. */
export function prepareSelect(connection: Database.Database, built: Built, rows: SelectedRows) {
  const { query, readArguments, readRows } = buildReading(built, rows);
  const statement = connection.prepare<unknown[], string | undefined>(query).pluck();
  return { all: (values: Values): Values[] => readRows(statement.get(...readArguments(values))) };
}

/** Prepares what changes rows, or answers something else than rows. */
export function prepareOther(connection: Database.Database, built: Built) {
  const { sql, params } = built.toSQL();
  const statement = connection.prepare(sql);
  if (statement.reader) return built.prepare();
  const readArguments = params.map(readArgument);
  return {
    run: (values: Values) => statement.run(...readArguments.map((read) => read(values))),
  };
}

/** How to find a parameter among the values: Drizzle's own way asks of which class it is at each call. */
function readArgument(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param)) return () => param;
  const { value, encoder } = param;
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value);
  return (values) => encoder.mapToDriverValue(values[value.name]);
}

interface Crossing {
  /** The SQL that puts a column into JSON. */
  write: (column: string) => string;
  /** What it becomes on this side, where that is more than JSON says. */
  read?: (value: any) => unknown;
}

const asItIs = (column: string) => column;

/** How each kind of value crosses. */
const crossings: Record<ColumnKind, Crossing> = {
  text: { write: asItIs },
  instant: { write: asItIs },
  count: { write: asItIs },
  boolean: { write: asItIs, read: (value: number | null) => (value === null ? null : value === 1) },
  // A number of JSON is a double, and loses what lies beyond 2^53.
  money: {
    write: (column) => `cast(${column} as text)`,
    read: (value: string | null) => (value === null ? null : BigInt(value)),
  },
  json: { write: (column) => `json(${column})` },
};
