/**
 * Sums rows of many spans of time by one statement, where each span has rows of its own: one row comes back for each span and
 * group, instead of each row that is summed.
 */
import { sql, type SQL } from 'drizzle-orm';
import type { ColumnKind } from '../model/columns.ts';
import type { Row, TableName } from '../model/rowTypes.ts';
import { bindPadded, castBound } from './grouping.ts';
import { matchAll, type Match } from './select.ts';
import { listTables, readMatch } from './where.ts';

/** Spans of rows to sum. */
export interface SpanSums<Name extends TableName, Own extends keyof Row<Name> & string> {
  where: Match<Name>;
  /** The instant that has to be in a span. */
  at: keyof Row<Name> & string;
  /** The columns of which each span names the value. An index that begins with those of `where`, these and `at` is searched. */
  own: readonly Own[];
  /** Their ends are exclusive. */
  spans: readonly Readonly<Record<Own | 'from' | 'before', string>>[];
  /** The column by which the rows of a span are grouped. */
  by: keyof Row<Name> & string;
  /** A column of whole numbers. */
  count: keyof Row<Name> & string;
  /** A column of exact decimals, which are text. */
  decimal: keyof Row<Name> & string;
}

/** What the rows of a span with the same value in a column add up to. */
export interface SpanSum {
  /** The position of the span in the list. */
  span: number;
  /** The value of the column by which rows are grouped. */
  group: string;
  count: number;
  /** Decimals separated by spaces, whose sum it is; null if no row has one. */
  decimals: string | null;
}

/** The parts of a driver that the statement is built with. */
interface Parts {
  tables: Record<TableName, any>;
  builder: any;
  lateralRanges: boolean;
  sumDecimals: (column: any) => SQL;
}

const computed: readonly { key: keyof SpanSum; kind: ColumnKind }[] = [
  { key: 'span', kind: 'count' },
  { key: 'group', kind: 'text' },
  { key: 'count', kind: 'count' },
  { key: 'decimals', kind: 'text' },
];

/** Parses spans: the shape of their statement, the values to bind, the columns of its result, and what builds it. */
export function readSpanSums<Name extends TableName, Own extends keyof Row<Name> & string>(
  name: Name,
  { where, at, own, spans, by, count, decimal }: SpanSums<Name, Own>,
) {
  const values: Record<string, unknown> = {};
  const conditions = readMatch(name, where, values);
  for (const column of own)
    bindPadded(
      `${column} `,
      spans.map((span) => span[column]),
      values,
    );
  bindPadded(
    'from ',
    spans.map(({ from }) => from),
    values,
  );
  const size = bindPadded(
    'before ',
    spans.map(({ before }) => before),
    values,
  );
  const shape = `sum ${name} ${at} of ${size} ${own.join()} by ${by}: ${count} ${decimal} ${conditions.join()}`;
  const build = (driver: Parts) => {
    const table = driver.tables[name];
    const columns = [...own.map((key) => [key, table[key]]), ['from', table[at]], ['before', table[at]]];
    const rows = Array.from({ length: size }, (_, nth) => {
      const cells = columns.map(([key, column]) => castBound(`${key} ${nth}`, column));
      return sql`(${sql.raw(String(nth))}, ${sql.join(cells, sql`, `)})`;
    });
    const [from, before] = [own.length + 2, own.length + 3].map((nth) => sql.raw(`column${nth}`));
    const matched = sql.join(
      [
        matchAll(driver as never, name, where)!,
        ...own.map((key, index) => sql`${table[key]} = ${sql.raw(`column${index + 2}`)}`),
        sql`${table[at]} >= ${from} and ${table[at]} < ${before}`,
      ],
      sql` and `,
    );
    const sums = {
      group: table[by],
      count: sql`sum(${table[count]})`,
      decimals: driver.sumDecimals(table[decimal]),
    };
    return { query: selectSums(driver, { table, rows, matched, sums }), tables: listTables(name, where) };
  };
  return { shape, values, computed, build };
}

/** What the statement reads: the table, the rows of the spans, the conditions of their rows, and the sums. */
interface Sums {
  table: any;
  rows: readonly SQL[];
  matched: SQL;
  sums: { group: any; count: SQL; decimals: SQL };
}

/** PostgreSQL needs a lateral query, as in `fromRanges` of `grouping.ts`. SQLite has none, and reads the spans first. */
function selectSums({ builder, lateralRanges }: Parts, { table, rows, matched, sums }: Sums) {
  const spans = sql`(values ${sql.join([...rows], sql`, `)}) as "spans"`;
  const span = sql`column1`.as('span');
  if (!lateralRanges)
    return builder
      .select({
        span,
        group: sql`${sums.group}`.as('group'),
        count: sums.count.as('count'),
        decimals: sums.decimals.as('decimals'),
      })
      .from(sql`${spans} cross join ${table}`)
      .where(matched)
      .groupBy(sql`column1`, sums.group);
  const own = sql`select ${sums.group} as "group", ${sums.count} as "count", ${sums.decimals} as "decimals" from ${table} where ${matched} group by ${sums.group}`;
  const names = { group: sql`"group"`, count: sql`"count"`, decimals: sql`"decimals"` };
  return builder.select({ span, ...names }).from(sql`${spans} cross join lateral (${own}) as "sums"`);
}
