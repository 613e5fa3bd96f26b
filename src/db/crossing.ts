import { quoted, type Kind } from './columns.ts';
import type { RowsOf } from './queries.ts';
import { schema } from './schema.ts';

/** How a kind of value leaves a database within JSON. */
export interface Crossing {
  /** The SQL that puts a column into JSON. */
  write: (column: string) => string;
  /** What it becomes on this side, where that is more than JSON says. */
  read?: (value: any) => unknown;
}

type Values = Record<string, unknown>;

export const asItIs: Crossing = { write: (column) => column };

/** A number of JSON is a double, and loses what lies beyond 2^53. */
export const asText: Crossing = {
  write: (column) => `cast(${column} as text)`,
  read: (value: string | null) => (value === null ? null : BigInt(value)),
};

/**
 * How rows of a table leave a database as one JSON text: drivers pay for each cell that they hand over, and the text is
 * one. Answers the SQL of a row's cells, and what makes the row of what was read of them.
 */
export function crossingOf({ table, leaveOut }: RowsOf, crossings: Record<Kind, Crossing>) {
  const columns = Object.entries<{ kind: Kind }>(schema[table].columns)
    .filter(([key]) => !leaveOut.includes(key))
    .map(([key, { kind }]) => ({ key, ...crossings[kind] }));
  const cells = columns.map(({ key, write }) => write(quoted(key))).join(', ');
  const rowOf = (read: unknown[]): Values => {
    const row: Values = {};
    for (let index = 0; index < columns.length; index++) {
      const { key, read: make } = columns[index]!;
      row[key] = make ? make(read[index]) : read[index];
    }
    return row;
  };
  return { cells, rowOf };
}
