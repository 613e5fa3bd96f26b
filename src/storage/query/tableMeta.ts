import { compileObjectMapper } from '../../runtime/compileMapper.ts';
import type { ColumnKind } from '../model/columns.ts';
import type { Queries, SelectedRows } from './queries.ts';
import { tableDeclarations, type Row, type TableName } from '../model/rowTypes.ts';

/** A row of any table, as the rules see it. */
export type AnyRow = Record<string, unknown>;

/** Every table, those that others refer to first. */
export const tables = Object.keys(tableDeclarations) as TableName[];

const rowsPerRead = 1000;

/** The columns of a table. */
export const columnNames = <Name extends TableName>(name: Name) =>
  Object.keys(tableDeclarations[name].columns) as (keyof Row<Name> & string)[];

/** The columns that such rows have, in the order in which the table declares them. */
export const listColumns = ({ table, leaveOut }: SelectedRows): { key: string; kind: ColumnKind }[] =>
  Object.entries<{ kind: ColumnKind }>(tableDeclarations[table].columns)
    .filter(([key]) => !leaveOut.includes(key))
    .map(([key, { kind }]) => ({ key, kind }));

/** Makes rows of their cells; `read` is what becomes of a column's cell, where it is more than what has come. */
export const compileRowMapper = (columns: readonly { key: string; read?: (cell: any) => unknown }[]) =>
  compileObjectMapper(columns.map(({ key, read }, index) => ({ name: key, at: index, read })));

/** The columns of a table's primary key. */
export const keyNames = (name: TableName): string[] => tableDeclarations[name].keys.primary;

/** The values of a row's primary key, all of them text. */
export const primaryKey = (name: TableName, row: AnyRow): string[] =>
  keyNames(name).map((key) => String(row[key]));

/** Orders keys as the databases do: by the bytes of their text. */
export function compareKeys(a: string[], b: string[]): number {
  for (const [index, value] of a.entries()) {
    if (value !== b[index]) return Buffer.compare(Buffer.from(value), Buffer.from(b[index]!));
  }
  return 0;
}

/** Whether all values of two rows are the same. */
export const sameRow = (a: AnyRow, b: AnyRow): boolean => toRowText(a) === toRowText(b);

/** All values of a row as text, in the order in which the table declares them. */
export const toRowText = (row: AnyRow): string => JSON.stringify(row, plain);

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

/** Hands out the rows of a table in the order of its key, reading some at a time. */
export function rowsInOrder(queries: Queries, name: TableName) {
  const orderBy = keyNames(name) as never[];
  let page: AnyRow[] = [];
  let at = 0;
  let past: string[] | undefined;
  let isOver = false;
  return {
    next: async (): Promise<AnyRow | undefined> => {
      if (at === page.length && !isOver) {
        page = await queries.select(name, { where: {}, orderBy, past, limit: rowsPerRead });
        at = 0;
        isOver = page.length < rowsPerRead;
        if (page.length > 0) past = primaryKey(name, page.at(-1)!);
      }
      return page[at++];
    },
  };
}
