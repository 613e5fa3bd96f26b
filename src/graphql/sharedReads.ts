import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { Match, Selection } from '../storage/query/queries.ts';
import type { Reads } from '../storage/store.ts';
import { writeBigint, type Context } from './context.ts';

/**
 * Returns reads for a rule that runs once for each record of a list: selections that differ in an id alone share a
 * query in one event-loop turn, and equal ones are read once.
 */
export const shareReads = (context: Context): Reads => ({
  one: async (table, where) => (await readShared(context, table, { where }))[0],
  many: (table, selection) => readShared(context, table, selection),
  sumSpans: (table, sums) => context.tenant.read.sumSpans(table, sums),
});

function readShared<Name extends TenantTable>(
  context: Context,
  table: Name,
  selection: Selection<Name>,
): Promise<Row<Name>[]> {
  const { read } = context.tenant;
  const { where, ...rest } = selection;
  const conditions = Object.entries(where ?? {}).map(([column, value]): [string, unknown] => [
    column,
    Array.isArray(value) && value.length === 1 ? value[0] : value,
  ]);
  const found = conditions.find(([column, value]) => /id$/i.test(column) && typeof value === 'string');
  if (!found || rest.limit !== undefined) {
    const key = `rows of ${table} ${JSON.stringify(selection, writeBigint)}`;
    return context.memoize(key, async () => read.many(table, selection));
  }
  const [column, id] = found as [keyof Row<Name> & string, string];
  const others = conditions.filter(([other]) => other !== column);
  const key = `rows of ${table} ${column} ${JSON.stringify([others, rest], writeBigint)}`;
  return context.load(key, id, async (ids) => {
    const shared = { ...Object.fromEntries(others), [column]: [...ids] } as Match<Name>;
    const grouped = new Map<unknown, Row<Name>[]>(ids.map((each) => [each, []]));
    for (const row of await read.many(table, { ...rest, where: shared })) grouped.get(row[column])!.push(row);
    return ids.map((each) => grouped.get(each)!);
  });
}
