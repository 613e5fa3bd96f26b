import { fillPlaceholders } from 'drizzle-orm';
import pg from 'pg';
import { encodeUnlessNull, type ColumnKind } from '../model/columns.ts';
import type { Driver, Statement } from '../query/queries.ts';
import type { ComputedRows, SelectedRows } from '../query/results.ts';
import { shareStatements } from '../query/sharedStatements.ts';
import { listColumns, compileRowMapper } from '../query/tableMeta.ts';
import { postgres } from './tables.ts';
import type { QueryExecutor } from './pipeline.ts';

/** The type parsers of `pg`, except that instants remain text instead of becoming dates. */
export const cellTypes = {
  getTypeParser: (id: number, format: string) =>
    id === (pg.types.builtins.TIMESTAMPTZ as number)
      ? (value: string) => value
      : pg.types.getTypeParser(id, format as 'text'),
} as pg.CustomTypesConfig;

interface Text {
  text: string;
  params: unknown[];
}

function buildText(query: { toSQL(): { sql: string; params: unknown[] } }): Text {
  const { sql: text, params } = query.toSQL();
  return { text, params };
}

/** Compiles a query that returns rows of a table. Drizzle's own conversion of the response to rows takes twice as long. */
function buildRowQuery(query: Parameters<typeof buildText>[0], rows: SelectedRows | ComputedRows) {
  const makeRow = compileRowMapper(
    listColumns(rows).map(({ key, kind, bound }) => {
      if ('computed' in rows) return { key, read: computedReaders[kind] };
      const column = postgres[rows.table][key];
      return { key, bound, read: encodeUnlessNull((cell) => column.mapFromDriverValue(cell)) };
    }),
  );
  return { ...buildText(query), makeRow };
}

/** Converts the cells of computed columns; the others are text. */
const computedReaders: Partial<Record<ColumnKind, (cell: any) => unknown>> = { count: Number, money: BigInt };

const shareRowQuery = shareStatements(buildRowQuery);
const shareWrite = shareStatements(buildText);

/** Prepares a statement for a connection; see `Driver`. */
export function prepareStatement(
  executor: QueryExecutor,
  nameStatement: (text: string) => string,
  ...[shape, build, result]: Parameters<Driver['prepare']>
): Statement {
  if (result === 'changes') {
    const { text, params, tables } = shareWrite(shape, build, result);
    return { prepared: { name: nameStatement(text), text, params }, tables };
  }
  if (!result) {
    const { query, tables } = build();
    return { prepared: { select: query.prepare(nameStatement(query.toSQL().sql)) }, tables };
  }
  const { text, params, makeRow, tables } = shareRowQuery(shape, build, result);
  const name = nameStatement(text);
  const execute = async (given: Record<string, unknown>) => {
    const config = {
      name,
      text,
      values: fillPlaceholders(params, given),
      rowMode: 'array',
      types: cellTypes,
    };
    const response = await executor.query(config as pg.QueryConfig);
    return (response.rows as unknown as unknown[][]).map((cells) => makeRow(cells, given));
  };
  return { prepared: { select: { execute } }, tables };
}
