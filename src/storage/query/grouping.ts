import { sql, type SQL } from 'drizzle-orm';
import { quoteColumn, toSnakeCase, type ColumnKind } from '../model/columns.ts';
import { tableDeclarations, type Row, type TableName } from '../model/rowTypes.ts';
import { matchAll, type Match } from './select.ts';
import { listTables, readMatch } from './where.ts';

/** Groups of rows to sum. */
export interface Grouping<Name extends TableName> {
  where: Match<Name>;
  /** Columns by which rows are grouped. */
  by?: readonly (keyof Row<Name> & string)[];
  /**
   * Instants by whose period rows are grouped, with the bounds of the periods in order. The number of bounds up to the
   * instant of `at` is `atPeriod` of the group: 0 before the first.
   */
  byPeriod?: Readonly<Record<string, readonly string[]>>;
  /**
   * Ranges that do not overlap, of which an instant has to be in one. An index is searched for each, so `where` must not
   * bound the same instant.
   */
  within?: { column: keyof Row<Name> & string; ranges: readonly InstantRange[] };
  sums: readonly (keyof Row<Name> & string)[];
}

/** A range of instants; its end is exclusive. */
type InstantRange = readonly [from: string, before: string];

/** A group: the values by which it is grouped, the sums as BigInts, and the number of its rows. */
export type Group = Record<string, unknown> & { rows: number };

/** The parts of a driver that statements are built with. */
interface Parts {
  tables: Record<TableName, any>;
  builder: any;
  lateralRanges: boolean;
}

type Values = Record<string, unknown>;

const afterAll = '9999-12-31T23:59:59.999Z';

/** Parses a grouping: its shape, the values to bind, the columns of its result, and what builds its statement. */
export function readGrouping<Name extends TableName>(
  name: Name,
  { where, by = [], byPeriod = {}, within, sums }: Grouping<Name>,
) {
  const values: Values = {};
  const conditions = readMatch(name, where, values);
  const periods = Object.entries(byPeriod).map(([key, bounds]) => ({
    key,
    size: bindPadded(`${key} bound`, bounds, values),
  }));
  const ranges = within && bindPadded('range', within.ranges.flat(), values);
  const shape = `sum ${name} ${sums.join()} ${by.join()} ${JSON.stringify(periods)} ${within?.column} ${ranges} ${conditions.join()}`;
  const { columns } = tableDeclarations[name] as { columns: Record<string, { kind: ColumnKind }> };
  const computed = [
    ...by.map((key) => ({ key, kind: columns[key]!.kind })),
    ...periods.map(({ key }) => ({ key: `${key}Period`, kind: 'count' as const })),
    ...sums.map((key) => ({ key, kind: 'money' as const })),
    { key: 'rows', kind: 'count' as const },
  ];
  const build = ({ tables, builder, lateralRanges }: Parts) => {
    const table = tables[name];
    const numbered = periods.map(
      ({ key, size }) =>
        [`${toSnakeCase(key)}_period`, numberPeriod(table[key], `${key} bound`, 0, size)] as const,
    );
    const selected = Object.fromEntries([
      // Drizzle expects a column alone to be of the first table, which ranges are not.
      ...by.map((key) => [key, within ? sql`${table[key]}`.as(toSnakeCase(key)) : table[key]]),
      ...numbered.map(([alias, number]) => [alias, number.as(alias)]),
      ...sums.map((key) => [key, sql`cast(sum(${table[key]}) as bigint)`.as(toSnakeCase(key))]),
      ['rows', sql`count(*)`.as('rows')],
    ]);
    const select = builder.select(selected);
    const matched = matchAll({ tables, builder } as never, name, where)!;
    const filtered = within
      ? fromRanges(select, table, sql`${matched} and ${isInRange(table[within.column])}`, {
          rows: listRanges(table[within.column], ranges!),
          lateralRanges,
        })
      : select.from(table).where(matched);
    const groups = [...by.map((key) => table[key]), ...numbered.map(([alias]) => sql.raw(`"${alias}"`))];
    const query = groups.length === 0 ? filtered : filtered.groupBy(...groups);
    return { query, tables: listTables(name, where) };
  };
  return { shape, values, computed, build };
}

/** Pads texts to a power of two, so that few statement shapes serve all lengths. Returns their number. */
export function bindPadded(name: string, texts: readonly string[], values: Values): number {
  const size = 2 ** Math.ceil(Math.log2(Math.max(texts.length, 2)));
  for (let nth = 0; nth < size; nth += 1) values[name + nth] = texts[nth] ?? afterAll;
  return size;
}

const bindFor = (name: string, column: any) => sql.param(sql.placeholder(name), column);

/** Builds a value that is bound by its name, of the type of a column, which may have a collation. */
export function castBound(name: string, column: any): SQL {
  const [type, collation] = (column.getSQLType() as string).split(' collate ') as [string, string?];
  const value = sql`cast(${bindFor(name, column)} as ${sql.raw(type)})`;
  return collation === undefined ? value : sql`${value} collate ${sql.raw(collation)}`;
}

/**
 * Builds the number of bounds up to an instant, by a binary search: ten comparisons for 550 bounds. It costs the databases
 * as much as `substr` or `date_trunc`, but leaves a group for each period in any time zone, where those leave one for each
 * minute (ten years of weeks in Kathmandu: 521 instead of 240,000).
 */
function numberPeriod(column: any, name: string, first: number, last: number): SQL {
  if (first === last) return sql.raw(String(first));
  const middle = (first + last) >> 1;
  const [before, after] = [
    numberPeriod(column, name, first, middle),
    numberPeriod(column, name, middle + 1, last),
  ];
  return sql`case when ${column} < ${bindFor(name + middle, column)} then ${before} else ${after} end`;
}

const isInRange = (column: any) => sql`${column} >= column1 and ${column} < column2`;

/** Builds rows of the two ends of ranges. */
function listRanges(column: any, size: number): SQL {
  const cell = (nth: number) => castBound(`range${nth}`, column);
  const rows = Array.from({ length: size / 2 }, (_, nth) => sql`(${cell(nth * 2)}, ${cell(nth * 2 + 1)})`);
  return sql.join(rows, sql`, `);
}

/**
 * Reads the rows of a table for each range in turn: 12,000 quarters of an hour instead of 240,000. SQLite reads the first
 * table of a cross join first. PostgreSQL needs a lateral query that it cannot merge: without statistics it expects one row
 * and compares each with each range, which takes more than 5 s.
 */
function fromRanges(
  select: any,
  table: any,
  matched: SQL,
  { rows, lateralRanges }: { rows: SQL; lateralRanges: boolean },
) {
  const ranges = sql`(values ${rows}) as "ranges"`;
  if (!lateralRanges) return select.from(sql`${ranges} cross join ${table}`).where(matched);
  return select.from(
    sql`${ranges} cross join lateral (select * from ${table} where ${matched} offset 0) as ${table}`,
  );
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
