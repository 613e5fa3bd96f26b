import { listGrams } from '../../lib/searchText.ts';
import { listIndexed, newestEntries, type TextIndex } from '../textIndex.ts';
import { translatePostgresError } from './errors.ts';
import type { QueryExecutor } from './pipeline.ts';

/** Separates the trigrams in a column; the folded text has no control characters. */
const separator = '\u001f';
/** More would only make the look-up longer. */
const mostGrams = 48;

/**
 * Not named: the plan depends on the values. If most entries have the words, the newest are read in order; otherwise the
 * index of trigrams is.
 */
const findIndexed = `select id from search_entries
  where tenant_alias = $1 and type = $2 and string_to_array(grams, E'\\x1f') @> $5::text[] and text like all ($3::text[])
  order by id desc limit $4`;

const findNewest = `select id from (select id, text from search_entries where tenant_alias = $1 and type = $2
    order by id desc limit ${newestEntries}) as entry
  where text like all ($3::text[]) limit $4`;

const toPattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Searches with an index over the trigrams of the texts. They are made by the program and indexed by PostgreSQL's own GIN, so
 * that no extension is needed, and letters of all scripts have trigrams in every locale.
 */
export function createPostgresTextIndex(executor: Pick<QueryExecutor, 'query'>): TextIndex {
  return {
    find: async ({ tenantAlias, type, words, limit }) => {
      const values: unknown[] = [tenantAlias, type, words.map(toPattern), limit];
      const grams = listIndexed(words).flatMap(listGrams).slice(0, mostGrams);
      const text = grams.length === 0 ? findNewest : findIndexed;
      if (grams.length > 0) values.push(grams);
      try {
        const { rows } = await executor.query({ text }, values);
        return rows.map(({ id }: { id: string }) => id);
      } catch (error) {
        throw translatePostgresError(error);
      }
    },
    buildGrams: (text) => listGrams(text).join(separator),
  };
}
