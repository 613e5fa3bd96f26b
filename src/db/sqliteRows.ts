import type Database from 'better-sqlite3';
import { quoted } from './columns.ts';
import type { Driver } from './queries.ts';
import { columnNames } from './rows.ts';
import { quotedTable, schema, type TableName } from './schema.ts';
import { sqlite } from './tables.sqlite.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows'>;
type Write = (rows: readonly object[]) => void;

/**
 * Writes rows one after the other, each by a statement that is prepared once for all of its kind. SQLite gains nothing
 * from several rows in a statement, and loses by rows that come as JSON.
 */
export function sqliteRows(connection: Database.Database): Rows {
  const prepared = new Map<string, Write>();
  const write = (shape: string, make: () => Write): Write => {
    const known = prepared.get(shape);
    if (known) return known;
    const made = make();
    prepared.set(shape, made);
    return made;
  };

  /** Runs a statement for each row, with the row's values of those columns. */
  const writing = (text: string, name: TableName, keys: string[]): Write => {
    const statement = connection.prepare(text);
    const valuesOf = valuesFor(name, keys);
    return (rows) => {
      // One by one and not as an array, of which the driver asks for each element by its name.
      for (const row of rows) statement.run(...valuesOf(row));
    };
  };

  const insertRows: Rows['insertRows'] = (name, rows) => {
    const insert = write(name, () => {
      const keys = columnNames(name);
      const places = keys.map(() => '?').join();
      return writing(
        `insert into ${quotedTable(name)} (${keys.map(quoted).join()}) values (${places})`,
        name,
        keys,
      );
    });
    insert(rows);
  };

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const update = write(`${name} ${set.join()} ${by.join()}`, () => {
      const changes = set.map((key) => `${quoted(key)} = ?`).join();
      const match = by.map((key) => `${quoted(key)} = ?`).join(' and ');
      return writing(`update ${quotedTable(name)} set ${changes} where ${match}`, name, [...set, ...by]);
    });
    update(rows);
  };

  return { insertRows, updateRows };
}

/** A row's values of some columns, as the database keeps them. */
function valuesFor(name: TableName, keys: string[]) {
  const kinds = schema[name].columns as Record<string, { kind: string }>;
  const encoders = keys.map((key) => {
    const column = sqlite[name][key];
    // Text and money are kept as they are.
    if (['text', 'instant', 'money'].includes(kinds[key]!.kind)) return undefined;
    return (value: unknown) => column.mapToDriverValue(value) as unknown;
  });
  return (row: object): unknown[] => {
    const values: unknown[] = [];
    for (let index = 0; index < keys.length; index++) {
      const value = (row as Record<string, unknown>)[keys[index]!];
      const encode = encoders[index];
      values.push(encode ? encode(value) : value);
    }
    return values;
  };
}
