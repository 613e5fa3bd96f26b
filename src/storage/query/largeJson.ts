import type { SQL } from 'drizzle-orm';
import { tableDeclarations, type TableName } from '../model/rowTypes.ts';

/** Stored JSON of more bytes is read one value at a time. Only rows written by early releases contain it. */
export const largeJsonBytes = 64 * 1024;

/** Selects a JSON column, or the length of its text in bytes if that exceeds `largeJsonBytes`. */
export type MeasureJson = (column: unknown) => SQL;

type AnyRow = Record<string, unknown>;

const columnsByTable: ReadonlyMap<string, string[]> = new Map(
  Object.entries(tableDeclarations).map(([name, { columns }]) => [
    name,
    Object.entries<{ kind: string }>(columns).flatMap(([key, { kind }]) => (kind === 'json' ? key : [])),
  ]),
);

/** Returns the names of a table's JSON columns. */
export const listJsonColumns = (name: TableName): string[] => columnsByTable.get(name)!;

/** Returns the selected JSON columns, each wrapped in `measure`. */
export function measureColumns(name: TableName, selected: AnyRow, measure: MeasureJson): AnyRow {
  const columns = listJsonColumns(name).filter((key) => key in selected);
  return Object.fromEntries(columns.map((key) => [key, measure(selected[key])]));
}

/** A row whose JSON columns hold a length instead of a value, and the sum of those lengths in bytes. */
export interface LargeRow<R> {
  row: R;
  columns: string[];
  bytes: number;
}

/** Returns the rows read with a length in place of a value. JSON columns contain no numbers otherwise. */
export function findLargeRows<R extends object>(name: TableName, rows: readonly R[]): LargeRow<R>[] {
  const columns = listJsonColumns(name);
  const found: LargeRow<R>[] = [];
  if (columns.length === 0) return found;
  for (const row of rows) {
    let bytes = 0;
    for (const key of columns) {
      const value = (row as AnyRow)[key];
      if (typeof value === 'number') bytes += value;
    }
    if (bytes > 0) {
      found.push({ row, columns: columns.filter((key) => typeof (row as AnyRow)[key] === 'number'), bytes });
    }
  }
  return found;
}
