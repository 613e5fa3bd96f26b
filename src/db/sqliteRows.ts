import type Database from 'better-sqlite3';
import { quoted } from './columns.ts';
import type { Driver } from './queries.ts';
import { columnNames } from './rows.ts';
import { quotedTable, type TableName } from './schema.ts';
import { sqlite } from './tables.sqlite.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows'>;

/**
 * Writes rows one after the other, each by a statement that is prepared once for all of its kind. SQLite gains nothing
 * from several rows in a statement, and loses by rows that come as JSON.
 */
export function sqliteRows(connection: Database.Database): Rows {
  const prepared = new Map<string, Database.Statement>();
  const statement = (text: string) => {
    const known = prepared.get(text);
    if (known) return known;
    const made = connection.prepare(text);
    prepared.set(text, made);
    return made;
  };

  const insertRows: Rows['insertRows'] = (name, rows) => {
    const columns = columnNames(name);
    const places = columns.map(() => '?').join();
    const insert = statement(
      `insert into ${quotedTable(name)} (${columns.map(quoted).join()}) values (${places})`,
    );
    const valuesOf = valuesFor(name, columns);
    for (const row of rows) insert.run(valuesOf(row));
  };

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const changes = set.map((key) => `${quoted(key)} = ?`).join();
    const match = by.map((key) => `${quoted(key)} = ?`).join(' and ');
    const update = statement(`update ${quotedTable(name)} set ${changes} where ${match}`);
    const valuesOf = valuesFor(name, [...set, ...by]);
    for (const row of rows) update.run(valuesOf(row));
  };

  return { insertRows, updateRows };
}

/** A row's values of some columns, as the database keeps them. */
function valuesFor(name: TableName, keys: string[]) {
  const columns = keys.map((key) => sqlite[name][key]);
  return (row: object): unknown[] => {
    const values: unknown[] = [];
    for (let index = 0; index < keys.length; index++) {
      values.push(columns[index].mapToDriverValue((row as Record<string, unknown>)[keys[index]!]));
    }
    return values;
  };
}
