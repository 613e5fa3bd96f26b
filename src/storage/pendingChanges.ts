/** The pending changes of a batch, and the conditions that it answers from memory. */
import type { TableName } from './model/rowTypes.ts';
import { keyNames, type AnyRow } from './query/tableMeta.ts';

/** A row after its changes, and the columns to write. */
export interface Changed {
  row: AnyRow;
  columns: string[];
}

/** Pending changes to rows found by the same columns, keyed by the values of those columns. */
export interface Changes {
  by: string[];
  rows: Map<string, Changed>;
}

/** Whether conditions find nothing, because they ask for a missing value among the examined rows. */
export const isAbsent = (
  { column, values, among }: { column: string; values: Set<unknown>; among: AnyRow },
  where: AnyRow,
): boolean =>
  values.has(where[column]) && Object.keys(among).every((condition) => where[condition] === among[condition]);

/** Returns the column that alone identifies a row of the tenant, if there is one. */
export function findKeyColumn(name: TableName): string | undefined {
  const names = keyNames(name);
  return names.length === 2 ? names[1] : undefined;
}

/** Returns the id if the conditions match by id alone. */
export function findId(where: object): string | undefined {
  for (const column in where) if (column !== 'id') return undefined;
  const { id } = where as AnyRow;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the map of a table; adds an empty one if there is none. */
export function getMap(maps: Map<TableName, Map<string, AnyRow>>, name: TableName): Map<string, AnyRow> {
  const known = maps.get(name);
  if (known) return known;
  const made = new Map<string, AnyRow>();
  maps.set(name, made);
  return made;
}

/** Groups the rows by the columns to write. */
export function groupByColumns(changes: Iterable<Changed>): { columns: string[]; rows: AnyRow[] }[] {
  const groups: { columns: string[]; rows: AnyRow[] }[] = [];
  for (const { row, columns } of changes) {
    // There are few groups, and identical name strings compare without reading their characters.
    const group = groups.find((each) => isAlike(each.columns, columns));
    if (group) group.rows.push(row);
    else groups.push({ columns, rows: [row] });
  }
  return groups;
}

/** Whether two lists have the same names in the same order. */
export const isAlike = (a: string[], b: string[]) =>
  a.length === b.length && a.every((name, index) => name === b[index]);
