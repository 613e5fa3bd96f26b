import { listGrams } from '../../lib/searchText.ts';
import { idPrefixes, indexedTypes, type IndexedType } from '../model/search.ts';
import { listSearchedGrams, newestEntries, type TextIndex } from '../textIndex.ts';
import { translatePostgresError } from './errors.ts';
import type { QueryExecutor } from './pipeline.ts';

/** Separates the trigrams in a column; the folded text has no control characters. */
const separator = '\u001f';

/** The most candidates that are read and sorted. */
const mostCandidates = 10_000;

/**
 * The ids of a type are one range of the primary key. With statistics of the table, PostgreSQL reads it from its end; without, it
 * would read and sort the whole range.
 */
const findNewest = `with newest as materialized (select id, text from search_entries
    where tenant_alias = $1 and id > $2 || '_' and id < $2 || '\`' order by id desc limit ${newestEntries}),
    found as (select array(select id from newest where text like all ($3::text[]) limit $4) as ids)
  select ids, cardinality(ids) < $4 and (select count(*) < ${newestEntries} from newest) as "isAll" from found`;

/** As autovacuum does some time after many rows were written. */
const updateStatistics = 'analyze search_entries';

/**
 * No statistics of PostgreSQL fit trigrams, and without any it would read all entries of the tenant: the conditions leave it only
 * the index of trigrams.
 */
const findIndexed = `select id from (select id from search_entries
    where string_to_array(grams, E'\\x1f') @> (select $5::text[]) and tenant_alias || '' = $1 and id like $2 || '\\_%'
      and text like all ($3::text[])
    limit ${mostCandidates}) as entry
  order by id desc limit $4`;

const toPattern = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

const firstVisible = 0x21;
const visibleCharacters = 94;

/**
 * Returns two characters before each trigram of a type of a tenant: the index has the trigrams of other types, and of most other
 * tenants, elsewhere.
 */
function buildScope(tenantAlias: string, type: IndexedType): string {
  let hash = 0;
  for (let index = 0; index < tenantAlias.length; index++)
    hash = (hash * 31 + tenantAlias.charCodeAt(index)) % visibleCharacters;
  return String.fromCharCode(firstVisible + indexedTypes.indexOf(type), firstVisible + hash);
}

/**
 * Searches with an index over the trigrams of the texts. They are made by the program and indexed by PostgreSQL's own GIN, so
 * that no extension is needed, and letters of all scripts have trigrams in every locale.
 */
export function createPostgresTextIndex(executor: Pick<QueryExecutor, 'query'>): TextIndex {
  const read = async (text: string, parameters: unknown[]) => {
    try {
      return (await executor.query({ text }, parameters)).rows;
    } catch (error) {
      throw translatePostgresError(error);
    }
  };
  return {
    find: async ({ tenantAlias, type, parts, limit }) => {
      const values: unknown[] = [tenantAlias, idPrefixes[type], parts.map(toPattern), limit];
      const [newest] = (await read(findNewest, values)) as { ids: string[]; isAll: boolean }[];
      const { ids, isAll } = newest!;
      const scope = buildScope(tenantAlias, type);
      const grams = listSearchedGrams(parts).map((gram) => scope + gram);
      // Parts that many entries have are found here; the index would read all of these to sort them.
      if (isAll || ids.length === limit || grams.length === 0)
        return { ids, isComplete: isAll && ids.length < limit };
      const rows = (await read(findIndexed, [...values, grams])) as { id: string }[];
      return { ids: rows.map(({ id }) => id), isComplete: rows.length < limit };
    },
    unitMs: { busy: 50, idle: 250 },
    finishBuild: async () => void (await read(updateStatistics, [])),
    buildGrams: ({ tenantAlias, type, text }) => {
      const scope = buildScope(tenantAlias, type);
      return listGrams(text)
        .map((gram) => scope + gram)
        .join(separator);
    },
  };
}
