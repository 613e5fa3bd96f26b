import type Database from 'better-sqlite3';
import { is, Param, Placeholder } from 'drizzle-orm';
import type { Kind } from './columns.ts';
import { asItIs, asText, crossingOf, type Crossing } from './crossing.ts';
import type { RowsOf } from './queries.ts';
import { quotedTable } from './schema.ts';

type Values = Record<string, unknown>;

/** What Drizzle has built: its SQL, and its parameters with their encoders. */
interface Built {
  toSQL(): { sql: string; params: unknown[] };
  prepare(): unknown;
}

/** Prepares a query that answers rows of a table, which cross from SQLite as one JSON text. */
export function prepareSelect(connection: Database.Database, built: Built, rows: RowsOf) {
  const { sql, params } = built.toSQL();
  const { cells, rowOf } = crossingOf(rows, crossings);
  const statement = connection
    .prepare<unknown[], string>(`select json_group_array(json_array(${cells})) from (${sql})`)
    .pluck();
  const argumentsOf = params.map(argumentOf);
  return {
    all: (values: Values): Values[] => {
      const text = statement.get(...argumentsOf.map((read) => read(values)))!;
      return text === '[]' ? [] : (JSON.parse(text) as unknown[][]).map(rowOf);
    },
  };
}

/** Prepares what changes rows, or answers something else than rows. */
export function prepareOther(connection: Database.Database, built: Built) {
  const { sql, params } = built.toSQL();
  const statement = connection.prepare(sql);
  if (statement.reader) return built.prepare();
  const argumentsOf = params.map(argumentOf);
  return {
    isOfTenants: sql.includes(quotedTable('tenants')),
    run: (values: Values) => statement.run(...argumentsOf.map((read) => read(values))),
  };
}

/** How to find a parameter among the values: Drizzle's own way asks of which class it is at each call. */
function argumentOf(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param)) return () => param;
  const { value, encoder } = param;
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value);
  return (values) => encoder.mapToDriverValue(values[value.name]);
}

/** How each kind of value crosses. */
const crossings: Record<Kind, Crossing> = {
  text: asItIs,
  instant: asItIs,
  count: asItIs,
  boolean: { write: asItIs.write, read: (value: number | null) => (value === null ? null : value === 1) },
  money: asText,
  json: { write: (column) => `json(${column})` },
};
