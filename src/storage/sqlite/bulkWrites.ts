import type Database from 'better-sqlite3';
import { compileListAppender } from '../../runtime/compileMapper.ts';
import { quoteColumn } from '../model/columns.ts';
import type { Driver } from '../query/queries.ts';
import { buildUpsert, columnNames } from '../query/tableMeta.ts';
import { quoteTable, tableDeclarations, type TableName } from '../model/rowTypes.ts';
import { sqlite } from './tables.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows' | 'upsertRows'>;
type Write = (rows: readonly object[]) => void;

/** Larger statements gain nothing, and most batches of renewals are a multiple of this. */
const rowsAtOnce = 10;

/**
 * Writes rows with prepared statements. Inserts several rows per statement, which saves a fifth of each; passing rows
 * as JSON is slower on SQLite.
 */
export function createSqliteBulkWrites(connection: Database.Database): Rows {
  const prepared = new Map<string, Write>();
  const write = (shape: string, make: () => Write): Write => {
    const known = prepared.get(shape);
    if (known) return known;
    const made = make();
    prepared.set(shape, made);
    return made;
  };

  /**
   * Returns a function that runs a statement for up to `most` rows at a time, with their values of the columns `keys`;
   * it returns how many rows are done.
   */
  const prepareWrite = (text: string, name: TableName, keys: string[], most = 1) => {
    const statement = connection.prepare(text);
    const addValues = compileAppender(name, keys);
    return (rows: readonly object[], from = 0): number => {
      let index = from;
      while (index + most <= rows.length) {
        const values: unknown[] = [];
        for (const end = index + most; index < end; index++) addValues(rows[index]!, values);
        // Spread instead of passed as an array, whose elements the driver would look up by name.
        statement.run(...values);
      }
      return index;
    };
  };

  const prepareInsert = (name: TableName, clause: string): Write => {
    const keys = columnNames(name);
    const row = `(${keys.map(() => '?').join()})`;
    const text = `insert into ${quoteTable(name)} (${keys.map(quoteColumn).join()}) values `;
    const list = Array(rowsAtOnce).fill(row).join();
    const several = prepareWrite(`${text}${list}${clause}`, name, keys, rowsAtOnce);
    const one = prepareWrite(`${text}${row}${clause}`, name, keys);
    return (all) => void one(all, several(all));
  };

  const insertRows: Rows['insertRows'] = (name, rows) => {
    const insert = write(name, () => prepareInsert(name, ''));
    insert(rows);
  };

  const upsertRows: Rows['upsertRows'] = (name, set, rows) => {
    const upsert = write(`upsert ${name} ${set.join()}`, () => prepareInsert(name, buildUpsert(name, set)));
    upsert(rows);
  };

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const update = write(`${name} ${set.join()} ${by.join()}`, () => {
      const changes = set.map((key) => `${quoteColumn(key)} = ?`).join();
      const match = by.map((key) => `${quoteColumn(key)} = ?`).join(' and ');
      return prepareWrite(`update ${quoteTable(name)} set ${changes} where ${match}`, name, [...set, ...by]);
    });
    update(rows);
  };

  return { insertRows, updateRows, upsertRows };
}

/** Returns a function that appends a row's values of the columns, as the database stores them. */
function compileAppender(name: TableName, keys: string[]) {
  const kinds = tableDeclarations[name].columns as Record<string, { kind: string }>;
  const readColumn = (key: string) => {
    const column = sqlite[name][key];
    // Text and money are stored unchanged.
    if (['text', 'instant', 'money'].includes(kinds[key]!.kind)) return undefined;
    return (value: unknown) => column.mapToDriverValue(value) as unknown;
  };
  return compileListAppender(keys.map((key) => ({ name: key, read: readColumn(key) })));
}
