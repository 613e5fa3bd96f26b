import { fillPlaceholders } from 'drizzle-orm';
import type pg from 'pg';
import type { Kind } from './columns.ts';
import { asItIs, asText, crossingOf, type Crossing } from './crossing.ts';
import type { Asked } from './postgresWire.ts';
import type { RowsOf } from './queries.ts';

/** Prepares a query that answers rows of a table, which cross from the server as one JSON text. */
export function prepareRows(
  asked: Asked,
  nameOf: (text: string) => string,
  built: { text: string; params: unknown[] },
  rows: RowsOf,
) {
  const { cells, rowOf } = crossingOf(rows, crossings);
  const text = `select json_agg(json_build_array(${cells})) from (${built.text}) as found`;
  const name = nameOf(text);
  const execute = async (given: Record<string, unknown>) => {
    const values = fillPlaceholders(built.params, given);
    const answer = await asked.query({ name, text, values, rowMode: 'array' } as pg.QueryConfig);
    const found = (answer.rows as unknown as [unknown[][] | null][])[0]![0];
    return found === null ? [] : found.map(rowOf);
  };
  return { text, select: { execute } };
}

/** How each kind of value crosses. */
const crossings: Record<Kind, Crossing> = {
  text: asItIs,
  instant: { write: asItIs.write, read: instantOf },
  count: asItIs,
  boolean: asItIs,
  money: asText,
  json: asItIs,
};

const inUtc = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00:00$/;

/** `2026-01-31T00:00:00.5+00:00`, as a connection in UTC puts it into JSON, in the form that instants have everywhere. */
function instantOf(value: string | null): string | null {
  if (value === null) return null;
  const [, seconds, fraction = ''] = inUtc.exec(value) ?? noInstant(value);
  return `${seconds}.${fraction.padEnd(3, '0')}Z`;
}

function noInstant(value: string): never {
  throw new TypeError(`${value} is no instant.`);
}
