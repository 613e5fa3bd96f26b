import { compileObjectMapper } from '../../runtime/compileMapper.ts';
import { quoteColumn, type ColumnKind } from '../model/columns.ts';
import type { Queries } from './queries.ts';
import type { ComputedRows, SelectedRows } from './results.ts';
import { tableDeclarations, type NewRow, type Row, type TableName } from '../model/rowTypes.ts';

/** A row of any table, as rules see it. */
export type AnyRow = Record<string, unknown>;

/** All tables; referenced tables come first. */
export const tables = Object.keys(tableDeclarations) as TableName[];

const rowsPerRead = 1000;

/** Returns the names of a table's columns. */
export const columnNames = <Name extends TableName>(name: Name) =>
  Object.keys(tableDeclarations[name].columns) as (keyof Row<Name> & string)[];

/** Returns the names of a table's columns but these, for a query that reads nothing else. */
export const allColumnsBut = <Name extends TableName>(name: Name, ...read: (keyof Row<Name> & string)[]) =>
  columnNames(name).filter((column) => !read.includes(column));

const listMarked = <Name extends TableName>(name: Name, mark: 'isShownIfSet' | 'isPersonal') =>
  columnNames(name).filter((column) => {
    const columns: Record<string, { [M in typeof mark]?: true }> = tableDeclarations[name].columns;
    return columns[column]![mark];
  });

/** Lists the columns that the interface leaves out of a resource while they are null. */
export const listShownIfSet = <Name extends TableName>(name: Name) => listMarked(name, 'isShownIfSet');

/** Lists the columns that the erasure of a customer makes null. */
export const listPersonal = <Name extends TableName>(name: Name) => listMarked(name, 'isPersonal');

/** A column of a result; `bound` names the value that it has in every row, which the statement does not read. */
interface ResultColumn {
  key: string;
  kind: ColumnKind;
  bound?: string;
}

/** Lists the columns of these rows, in the order of their declaration or of the statement. */
export const listColumns = (rows: SelectedRows | ComputedRows): readonly ResultColumn[] =>
  'computed' in rows
    ? rows.computed
    : Object.entries<{ kind: ColumnKind }>(tableDeclarations[rows.table].columns)
        .filter(([key]) => !rows.leaveOut.includes(key))
        .map(([key, { kind }]) => ({ key, kind, bound: rows.bound?.[key] }));

/**
 * Compiles a function that builds rows from their cells and the bound values; `read` converts a column's cell if it needs
 * conversion.
 */
export function compileRowMapper(
  columns: readonly (Pick<ResultColumn, 'key' | 'bound'> & { read?: (cell: any) => unknown })[],
) {
  const cells = columns.filter(({ bound }) => bound === undefined);
  return compileObjectMapper(
    columns.map((column) => ({ ...column, name: column.key, at: cells.indexOf(column) })),
  );
}

/** By the table's declaration. Compiling those of all tables takes 12 ms, and most commands insert into few of them. */
const completerCache = new WeakMap<object, (values: object) => AnyRow>();

function compileCompleter(name: TableName) {
  const columns = Object.entries<{ nullable: boolean }>(tableDeclarations[name].columns);
  return compileObjectMapper(columns.map(([key, { nullable }]) => ({ name: key, orNull: nullable })));
}

/** Returns the row to insert: a statement inserts all columns, and those that `values` leaves out are null. */
export function completeRow<Name extends TableName>(
  name: Name,
  values: NewRow<Name>,
  tenantAlias?: string,
): Row<Name> {
  const table = tableDeclarations[name];
  let complete = completerCache.get(table);
  if (!complete) completerCache.set(table, (complete = compileCompleter(name)));
  const row = complete(values);
  if (tenantAlias !== undefined && 'tenantAlias' in row) row['tenantAlias'] = tenantAlias;
  return row as Row<Name>;
}

/** Returns the columns of a table's primary key. */
export const keyNames = (name: TableName): string[] => tableDeclarations[name].keys.primary;

/** Returns the clause by which inserted rows whose primary key is there replace its columns `set`; both databases have it. */
export const buildUpsert = (name: TableName, set: readonly string[]): string => {
  const changes = set.map((key) => `${quoteColumn(key)} = excluded.${quoteColumn(key)}`).join();
  return ` on conflict (${keyNames(name).map(quoteColumn).join()}) do update set ${changes}`;
};

/** Returns the values of a row's primary key, all of them text. */
export const getPrimaryKey = (name: TableName, row: AnyRow): string[] =>
  keyNames(name).map((key) => String(row[key]));

/** Compares keys as the databases do: by the bytes of their text. */
export function compareKeys(a: string[], b: string[]): number {
  for (const [index, value] of a.entries()) {
    if (value !== b[index]) return Buffer.compare(Buffer.from(value), Buffer.from(b[index]!));
  }
  return 0;
}

/** Whether all values of two rows are equal. */
export const isSameRow = (a: AnyRow, b: AnyRow): boolean => toRowText(a) === toRowText(b);

/** Encodes all values of a row as text, in the order of their declaration. */
export const toRowText = (row: AnyRow): string => JSON.stringify(row, encodeBigInt);

const encodeBigInt = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

/** Iterates over the rows of a table in the order of its primary key, reading a page at a time. */
export function iterateRows(queries: Queries, name: TableName) {
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
        if (page.length > 0) past = getPrimaryKey(name, page.at(-1)!);
      }
      return page[at++];
    },
  };
}
