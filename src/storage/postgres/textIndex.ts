import { listGrams } from '../../lib/searchText.ts';
import { listIndexed, newestEntries, type TextIndex } from '../textIndex.ts';
import { translatePostgresError } from './errors.ts';
import type { QueryExecutor } from './pipeline.ts';

/** Separates the trigrams in a column; the folded text has no control characters. */
const separator = '\u001f';
/** More would only make the look-up longer. */
const mostGrams = 48;

/** `offset 0` keeps the planner from reading all entries in their order for the sake of the limit. */
const findIndexed = `select id from (select id from search_entries
    where tenant_alias = $1 and type = $2 and string_to_array(grams, E'\\x1f') @> $5::text[] and text like all ($3::text[])
    offset 0) as entry
  order by id desc limit $4`;

const findNewest = `select id from (select id, text from search_entries where tenant_alias = $1 and type = $2
    order by id desc limit ${newestEntries}) as entry
  where text like all ($3::text[]) order by id desc limit $4`;

const toPattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Searches with an index over the trigrams of the texts. They are made by the program and indexed by PostgreSQL's own GIN, so
 * that no extension is needed, and letters of all scripts have trigrams in every locale.
 */
export function createPostgresTextIndex(executor: Pick<QueryExecutor, 'query'>): TextIndex {
  return {
    find: async ({ tenantAlias, type, words, limit }) => {
      const values: unknown[] = [tenantAlias, type, words.map(toPattern), limit];
      const read = async (text: string, parameters: unknown[]) => {
        try {
          const { rows } = await executor.query({ text }, parameters);
          return rows.map(({ id }: { id: string }) => id);
        } catch (error) {
          throw translatePostgresError(error);
        }
      };
      // Words that many entries have are found here; the index would read all of these to sort them.
      const newest = await read(findNewest, values);
      const grams = listIndexed(words).flatMap(listGrams).slice(0, mostGrams);
      if (newest.length === limit || grams.length === 0) return newest;
      return read(findIndexed, [...values, grams]);
    },
    unitMs: { busy: 50, idle: 250 },
    buildGrams: (text) => listGrams(text).join(separator),
  };
}
