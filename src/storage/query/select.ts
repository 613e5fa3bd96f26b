import { and, asc, desc, getTableColumns, sql, type SQL } from 'drizzle-orm';
import { nameLeftOut, readsJson } from './columnSets.ts';
import { measureColumns, type MeasureJson } from './largeJson.ts';
import { keysetAfter, listTables, buildPredicates, readMatch, type Hints, type Range } from './where.ts';
import type { Row, TableName } from '../model/rowTypes.ts';
import type { SelectedRows } from './results.ts';

/** Conditions that must all hold: a value means equality, an array membership, null absence. */
export type Match<Name extends TableName> = {
  [K in keyof Row<Name>]?: Row<Name>[K] | readonly Row<Name>[K][] | Range<Row<Name>[K]>;
};

export interface Selection<Name extends TableName> {
  where: Match<Name>;
  /** Further conditions, which are checked on the rows found by `where` without using an index of SQLite. */
  filter?: Match<Name>;
  orderBy?: readonly (keyof Row<Name> & string)[];
  direction?: 'asc' | 'desc';
  /** Sorts the rows that `where` finds: no index is read in the order of `orderBy` and searched for them. */
  sortsFound?: boolean;
  /** The values of `orderBy` in the row after which the result begins. */
  past?: string[];
  /** The values of `orderBy` in the last row that may be returned. */
  upTo?: string[];
  /** How many rows to skip; needs a limit. */
  skip?: number;
  limit?: number;
  /** Columns that the caller does not read. */
  leaveOut?: readonly (keyof Row<Name> & string)[];
  /** Returns the length in bytes in place of a JSON value that is larger than 64 KiB. */
  measureLargeJson?: boolean;
}

type Values = Record<string, unknown>;

/** Selects other columns in place of these, from which the driver makes the row. */
export type WriteRow = (name: TableName, selected: Values) => Values;

/** The parts of a driver that statements are built with. */
interface Parts {
  tables: Record<TableName, any>;
  builder: any;
  hints?: Hints;
  measureJson: MeasureJson;
  writeRow?: WriteRow;
}

/** A parsed selection: its shape, which names its statement, and the values to bind. */
interface ReadSelection {
  shape: string;
  values: Values;
  bound?: SelectedRows['bound'];
  build: (driver: Parts) => { query: any; tables: readonly TableName[] };
}

/**
 * The tenant of all rows that a tenant reads. To read it from each of 100 rows would cost SQLite and `JSON.parse` 12 µs,
 * 3% of a list of customers.
 */
const boundTenant = { tenantAlias: 'tenantAlias =' };

/**
 * Parses a selection; the result's `build` makes its statement with the query builder of a database. With `isCount` the
 * statement returns the number of rows as `value`; `orderBy` then only gives `past` and `upTo` their meaning.
 */
export function readSelection<Name extends TableName>(
  name: Name,
  {
    where,
    filter = {},
    orderBy = [],
    direction = 'asc',
    sortsFound = false,
    past,
    upTo,
    skip,
    limit,
    leaveOut,
    measureLargeJson = false,
  }: Selection<Name>,
  limitsInText: boolean,
  isCount = false,
): ReadSelection {
  const measures = measureLargeJson && readsJson(name, leaveOut);
  const values: Values = {};
  const conditions = readMatch(name, where, values);
  const filters = readMatch(name, filter, values);
  past?.forEach((value, index) => (values[`past${index}`] = value));
  upTo?.forEach((value, index) => (values[`upTo${index}`] = value));
  if (limit !== undefined) values['limit'] = limit;
  const limitBound = limit === undefined || limitsInText ? limit : sql.placeholder('limit');
  const range = `${past ? 'past' : ''} ${upTo ? 'upTo' : ''} ${skip ?? ''}`;
  const limitText = typeof limitBound === 'object' ? 'limit' : (limitBound ?? '');
  const shape = `${isCount ? 'count' : 'select'} ${name} ${conditions.join()} ${filters.join()} ${orderBy.join()} ${direction} ${range} ${limitText} ${nameLeftOut(name, leaveOut)} ${measures ? 'measured' : ''} ${sortsFound ? 'sorted' : ''}`;
  const bound = 'tenantAlias =' in values ? boundTenant : undefined;
  const build = (driver: Parts) => {
    const table = driver.tables[name];
    const columns = orderBy.map((key) => table[key]);
    const { unindexed, rare } = (columns.length > 0 && driver.hints) || {};
    const selected = omitColumns(getTableColumns(table), [...(leaveOut ?? []), ...Object.keys(bound ?? {})]);
    if (measures) Object.assign(selected, measureColumns(name, selected, driver.measureJson));
    const counted = { value: sql`count(*)`.mapWith(Number) };
    const shown = driver.writeRow?.(name, selected) ?? selected;
    const query = driver.builder.select(isCount ? counted : shown).from(table);
    query.where(
      and(
        ...buildPredicates(driver.tables, name, where, { rare }),
        past && keysetAfter(columns, direction === 'asc' ? '>' : '<', 'past'),
        upTo && keysetAfter(columns, direction === 'asc' ? '<=' : '>=', 'upTo'),
        ...buildPredicates(driver.tables, name, filter, { unindexed }),
      ),
    );
    const sorted = sortsFound && unindexed ? columns.map(unindexed) : columns;
    if (columns.length && !isCount) query.orderBy(...sorted.map(direction === 'asc' ? asc : desc));
    if (limitBound !== undefined)
      query.limit(typeof limitBound === 'number' ? sql.raw(String(limitBound)) : limitBound);
    if (limitBound !== undefined && skip !== undefined) query.offset(sql.raw(String(skip)));
    return { query, tables: listTables(name, where, filter) };
  };
  return { shape, values, bound, build };
}

const omitColumns = (columns: Values, names: readonly string[]) =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !names.includes(name)));

/** Builds the SQL of conditions that must all hold; undefined without conditions. */
export const matchAll = (driver: Parts, name: TableName, where: object): SQL | undefined =>
  and(...buildPredicates(driver.tables, name, where));
