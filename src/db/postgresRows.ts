import { quoted, snakeCase } from './columns.ts';
import type { Driver } from './queries.ts';
import { translate } from './postgresErrors.ts';
import type { Asked } from './postgresWire.ts';
import { quotedTable } from './schema.ts';

type Rows = Pick<Driver, 'insertRows' | 'updateRows'>;

/**
 * Writes rows with one statement for all of them: they go to the server as one JSON text, whose round trip they share.
 * JSON within it stays as it is written, key order included.
 */
export function postgresRows(asked: Asked, nameOf: (text: string) => string): Rows {
  const run = (text: string, rows: readonly object[]) =>
    asked.write({ name: nameOf(text), text, values: [textOf(rows)] }).then(
      () => undefined,
      (error: unknown) => {
        throw translate(error);
      },
    );

  const insertRows: Rows['insertRows'] = (name, rows) => {
    const table = quotedTable(name);
    const text = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`;
    return run(text, rows);
  };

  const updateRows: Rows['updateRows'] = (name, by, set, rows) => {
    const table = quotedTable(name);
    const changes = set.map((key) => `${quoted(key)} = changed.${quoted(key)}`).join();
    const match = by.map((key) => `${table}.${quoted(key)} = changed.${quoted(key)}`).join(' and ');
    const text = `update ${table} set ${changes} from json_populate_recordset(null::${table}, $1) as changed where ${match}`;
    return run(text, rows);
  };

  return { insertRows, updateRows };
}

/** Rows as JSON, under the columns' names. */
function textOf(rows: readonly object[]): string {
  const named = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [snakeCase(key), value])),
  );
  // A number of JSON is a double, and loses what lies beyond 2^53.
  return JSON.stringify(named, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
