/** Lists reduced to the records that a search finds: by their own texts, and by those of their customers. */
import type { Match, Selection } from '../storage/query/queries.ts';
import type { IndexedType } from '../storage/model/search.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { TenantScope } from './tenantScope.ts';

/** What a list is searched for. */
export interface ListSearch {
  text: string;
  /** The type of its records, if they have texts of their own. */
  type?: IndexedType;
}

/** Returns the search of a list; undefined without a text. */
export const buildListSearch = (
  text: string | null | undefined,
  type?: IndexedType,
): ListSearch | undefined => (text === null || text === undefined ? undefined : { text, type });

/** The records and the customers that a search finds for a list, the best first. */
const mostFound = 200;

/** Reads and counts the rows of a list that no single index has in order. */
export interface Source<Name extends TenantTable> {
  read: (selection: Selection<Name> & { limit: number }) => Promise<Row<Name>[]>;
  count: () => Promise<number>;
}

/** Returns the rows that a search finds among those that match. Errors: `validation_failed`, `query_timeout`. */
export async function searchList<Name extends TenantTable>(
  tenant: TenantScope,
  table: Name,
  conditions: { where: Match<Name>; filter?: Match<Name> },
  { text, type }: ListSearch,
): Promise<Source<Name>> {
  const [own, customers] = await Promise.all([
    type ? tenant.findIds(type, text, mostFound) : [],
    type === 'customer' ? [] : tenant.findIds('customer', text, mostFound),
  ]);
  const { customerId: wanted } = conditions.where as { customerId?: unknown };
  const listed = customers.filter((id) => wanted === undefined || id === wanted);
  const parts = [
    ...(own.length > 0 ? [{ id: own }] : []),
    ...(listed.length > 0 ? [{ customerId: listed }] : []),
  ];
  const select = async (selection: Omit<Selection<Name>, 'where'>) => {
    const found = new Map<string, Row<Name>>();
    for (const part of parts) {
      const where = { ...conditions.where, ...part } as Match<Name>;
      for (const row of await tenant.read.many(table, { ...selection, where, sortsFound: true }))
        found.set((row as { id: string }).id, row);
    }
    return [...found.values()];
  };
  return {
    read: async (selection) => {
      const { orderBy = [], direction = 'asc', limit } = selection;
      const key = (row: Row<Name>) => orderBy.map((column) => String(row[column])).join('|');
      const sign = direction === 'asc' ? 1 : -1;
      const rows = await select(selection);
      return rows.toSorted((a, b) => (key(a) < key(b) ? -sign : sign)).slice(0, limit);
    },
    count: async () => (await select({ filter: conditions.filter })).length,
  };
}
