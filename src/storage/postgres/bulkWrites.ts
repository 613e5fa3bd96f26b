import { compileObjectMapper } from '../../runtime/compileMapper.ts';
import { quoteColumn, toSnakeCase, type ColumnKind } from '../model/columns.ts';
import type { Driver } from '../query/queries.ts';
import { translatePostgresError } from './errors.ts';
import type { QueryExecutor } from './pipeline.ts';
import { buildUpsert, columnNames } from '../query/tableMeta.ts';
import { quoteTable, tableDeclarations, type TableName } from '../model/rowTypes.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows' | 'upsertRows'>;
type Write = (rows: readonly object[]) => Promise<void>;

/**
 * Writes rows with one statement for all of them, sent as one JSON text in one round trip. JSON values inside it are
 * stored unchanged, including the order of keys.
 */
export function createPostgresBulkWrites(
  executor: QueryExecutor,
  nameStatement: (text: string) => string,
): Rows {
  const prepared = new Map<string, Write>();
  const write = (shape: string, make: () => Write): Write => {
    const known = prepared.get(shape);
    if (known) return known;
    const made = make();
    prepared.set(shape, made);
    return made;
  };

  const prepareWrite = (text: string, table: TableName, columns: string[]): Write => {
    const encode = compileEncoder(table, columns);
    const name = nameStatement(text);
    return (rows) =>
      executor.write({ name, text, values: [encode(rows)] }).then(
        () => undefined,
        (error: unknown) => {
          throw translatePostgresError(error);
        },
      );
  };

  const prepareInsert = (name: TableName, clause: string): Write => {
    const table = quoteTable(name);
    const text = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)${clause}`;
    return prepareWrite(text, name, columnNames(name));
  };

  const insertRows: Rows['insertRows'] = (name, rows) => {
    const insert = write(name, () => prepareInsert(name, ''));
    return insert(rows);
  };

  const upsertRows: Rows['upsertRows'] = (name, set, rows) => {
    const upsert = write(`upsert ${name} ${set.join()}`, () => prepareInsert(name, buildUpsert(name, set)));
    return upsert(rows);
  };

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const update = write(`${name} ${set.join()} ${by.join()}`, () => {
      const table = quoteTable(name);
      const changes = set.map((key) => `${quoteColumn(key)} = changed.${quoteColumn(key)}`).join();
      const match = by
        .map((key) => `${table}.${quoteColumn(key)} = changed.${quoteColumn(key)}`)
        .join(' and ');
      const text = `update ${table} set ${changes} from json_populate_recordset(null::${table}, $1) as changed where ${match}`;
      return prepareWrite(text, name, [...by, ...set]);
    });
    return update(rows);
  };

  return { insertRows, updateRows, upsertRows };
}

/** A JSON number is a double, which is inexact beyond 2^53. */
const encodeMoney = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** Compiles a function that encodes columns of rows as JSON, keyed by the columns' names. */
function compileEncoder(name: TableName, columns: string[]): (rows: readonly object[]) => string {
  const kinds: Record<string, { kind: ColumnKind }> = tableDeclarations[name].columns;
  const makeRecord = compileObjectMapper(
    columns.map((key) => ({
      name: toSnakeCase(key),
      at: key,
      read: kinds[key]!.kind === 'money' ? encodeMoney : undefined,
    })),
  );
  return (rows) => JSON.stringify(rows.map((row) => makeRecord(row)));
}
