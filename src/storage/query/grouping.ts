import { sql, type SQL } from 'drizzle-orm';
import { quoteColumn, toSnakeCase, type ColumnKind } from '../model/columns.ts';
import { tableDeclarations, type Row, type TableName } from '../model/rowTypes.ts';
import { matchAll, type Match } from './select.ts';
import { listTables, readMatch } from './where.ts';

/** The parts of an instant's text that are equal within a year, month, day, hour, minute or second. */
export type InstantLength = 4 | 7 | 10 | 13 | 16 | 19;

/** Builds the first characters of an instant's text, and what rows with equal ones are grouped by. */
export type CutInstant = (column: any, length: InstantLength) => { text: SQL; group: SQL };

/** Groups of rows to sum. */
export interface Grouping<Name extends TableName> {
  where: Match<Name>;
  /** Columns by which rows are grouped. */
  by?: readonly (keyof Row<Name> & string)[];
  /** Instants of which rows are grouped by the first characters of their text. */
  byInstant?: Readonly<Record<string, InstantLength>>;
  sums: readonly (keyof Row<Name> & string)[];
}

/** A group: the values by which it is grouped, the sums as BigInts, and the number of its rows. */
export type Group = Record<string, unknown> & { rows: number };

/** The parts of a driver that statements are built with. */
interface Parts {
  tables: Record<TableName, any>;
  builder: any;
  cutInstant: CutInstant;
}

/** Parses a grouping: its shape, the values to bind, the columns of its result, and what builds its statement. */
export function readGrouping<Name extends TableName>(
  name: Name,
  { where, by = [], byInstant = {}, sums }: Grouping<Name>,
) {
  const values: Record<string, unknown> = {};
  const conditions = readMatch(name, where, values);
  const shape = `sum ${name} ${sums.join()} ${by.join()} ${JSON.stringify(byInstant)} ${conditions.join()}`;
  const { columns } = tableDeclarations[name] as { columns: Record<string, { kind: ColumnKind }> };
  const computed = [
    ...by.map((key) => ({ key, kind: columns[key]!.kind })),
    ...Object.keys(byInstant).map((key) => ({ key, kind: 'text' as const })),
    ...sums.map((key) => ({ key, kind: 'money' as const })),
    { key: 'rows', kind: 'count' as const },
  ];
  const build = (driver: Parts) => {
    const table = driver.tables[name];
    const cut = Object.entries(byInstant).map(
      ([key, length]) => [key, driver.cutInstant(table[key], length)] as const,
    );
    const selected = Object.fromEntries([
      ...by.map((key) => [key, table[key]]),
      ...cut.map(([key, { text }]) => [key, text.as(toSnakeCase(key))]),
      ...sums.map((key) => [key, sql`cast(sum(${table[key]}) as bigint)`.as(toSnakeCase(key))]),
      ['rows', sql`count(*)`.as('rows')],
    ]);
    const filtered = driver.builder
      .select(selected)
      .from(table)
      .where(matchAll(driver as never, name, conditions));
    const groups = [...by.map((key) => table[key]), ...cut.map(([, { group }]) => group)];
    const query = groups.length === 0 ? filtered : filtered.groupBy(...groups);
    return { query, tables: listTables(name, conditions) };
  };
  return { shape, values, computed, build };
}

/** Adds to an insert that the columns `sums` are added to those of a row with the same primary key. */
export function addOnConflict(insert: any, name: TableName, table: any, sums: readonly string[]): any {
  const set = sums.map((key) => [key, sql`${table[key]} + ${sql.raw(`excluded.${quoteColumn(key)}`)}`]);
  const { primary } = tableDeclarations[name].keys as { primary: string[] };
  return insert.onConflictDoUpdate({
    target: primary.map((key) => table[key]),
    set: Object.fromEntries(set),
  });
}
