import { quoteColumn, toSnakeCase } from '../model/columns.ts';
import type { Driver } from '../query/queries.ts';
import { translatePostgresError } from './errors.ts';
import type { QueryExecutor } from './pipeline.ts';
import { buildUpsert, columnNames, type AnyRow } from '../query/tableMeta.ts';
import { quoteTable, type TableName } from '../model/rowTypes.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows' | 'upsertRows'>;

/**
 * Writes rows with one statement for all of them, sent as one JSON text in one round trip. JSON values inside it are
 * stored unchanged, including the order of keys.
 */
export function createPostgresBulkWrites(
  executor: QueryExecutor,
  nameStatement: (text: string) => string,
): Rows {
  const run = (text: string, rows: readonly object[], columns: string[]) =>
    executor.write({ name: nameStatement(text), text, values: [toRecordsText(rows, columns)] }).then(
      () => undefined,
      (error: unknown) => {
        throw translatePostgresError(error);
      },
    );

  const buildInsert = (name: TableName) => {
    const table = quoteTable(name);
    return `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`;
  };

  const insertRows: Rows['insertRows'] = (name, rows) => run(buildInsert(name), rows, columnNames(name));

  const upsertRows: Rows['upsertRows'] = (name, set, rows) =>
    run(buildInsert(name) + buildUpsert(name, set), rows, columnNames(name));

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const table = quoteTable(name);
    const changes = set.map((key) => `${quoteColumn(key)} = changed.${quoteColumn(key)}`).join();
    const match = by.map((key) => `${table}.${quoteColumn(key)} = changed.${quoteColumn(key)}`).join(' and ');
    const text = `update ${table} set ${changes} from json_populate_recordset(null::${table}, $1) as changed where ${match}`;
    return run(text, rows, [...by, ...set]);
  };

  return { insertRows, updateRows, upsertRows };
}

/** Encodes some columns of rows as JSON, keyed by the columns' names. */
function toRecordsText(rows: readonly object[], columns: string[]): string {
  const names = columns.map((column) => [column, toSnakeCase(column)] as const);
  const named = rows.map((row) =>
    Object.fromEntries(names.map(([column, name]) => [name, (row as AnyRow)[column]])),
  );
  // A JSON number is a double, which is inexact beyond 2^53.
  return JSON.stringify(named, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
