import { tableDeclarations, type TableName } from '../model/rowTypes.ts';
import { listJsonColumns } from './largeJson.ts';

/** The columns that a selection of a table leaves out. */
interface ColumnSet {
  table: TableName;
  text: string;
  hasJson: boolean;
}

/**
 * By the list itself: most are constants, or belong to an operation that is executed many times. Comparing the columns of a
 * table with a list takes 2 µs.
 */
const columnSetCache = new WeakMap<readonly string[], ColumnSet>();

/**
 * Names the columns of a table that a selection leaves out: one bit each, as a number of base 36. The text of fifteen
 * names would cost each call 1.5 µs, to be joined and to be hashed as part of the statement's shape.
 */
export const nameLeftOut = (table: TableName, leaveOut: readonly string[] | undefined): string =>
  leaveOut ? describe(table, leaveOut).text : '';

/** Whether a selection reads a JSON column of the table. */
export const readsJson = (table: TableName, leaveOut: readonly string[] | undefined): boolean =>
  leaveOut ? describe(table, leaveOut).hasJson : listJsonColumns(table).length > 0;

function describe(table: TableName, leaveOut: readonly string[]): ColumnSet {
  const known = columnSetCache.get(leaveOut);
  if (known?.table === table) return known;
  const columns = Object.keys(tableDeclarations[table].columns);
  let bits = 0n;
  for (const [index, name] of columns.entries()) if (leaveOut.includes(name)) bits |= 1n << BigInt(index);
  const hasJson = listJsonColumns(table).some((name) => !leaveOut.includes(name));
  const set = { table, text: bits.toString(36), hasJson };
  columnSetCache.set(leaveOut, set);
  return set;
}
