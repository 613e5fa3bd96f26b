import { fillPlaceholders } from 'drizzle-orm';
import pg from 'pg';
import { encodeUnlessNull } from '../model/columns.ts';
import type { SelectedRows } from '../query/queries.ts';
import { listColumns, compileRowMapper } from '../query/tableMeta.ts';
import { postgres } from './tables.ts';
import type { QueryExecutor } from './pipeline.ts';

interface Built {
  name: string;
  text: string;
  params: unknown[];
}

/** The type parsers of `pg`, except that instants remain text instead of becoming dates. */
const types = {
  getTypeParser: (id: number, format: string) =>
    id === (pg.types.builtins.TIMESTAMPTZ as number)
      ? (value: string) => value
      : pg.types.getTypeParser(id, format as 'text'),
} as pg.CustomTypesConfig;

/**
 * Prepares a query that returns rows of a table. Drizzle's own conversion of the response to rows takes twice as long.
 */
export function prepareRows(executor: QueryExecutor, { name, text, params }: Built, rows: SelectedRows) {
  const makeRow = compileRowMapper(
    listColumns(rows).map(({ key }) => {
      const column = postgres[rows.table][key];
      return { key, read: encodeUnlessNull((cell) => column.mapFromDriverValue(cell)) };
    }),
  );
  const execute = async (given: Record<string, unknown>) => {
    const config = { name, text, values: fillPlaceholders(params, given), rowMode: 'array', types };
    const response = await executor.query(config as pg.QueryConfig);
    return (response.rows as unknown as unknown[][]).map(makeRow);
  };
  return { text, select: { execute } };
}
