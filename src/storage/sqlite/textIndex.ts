import type Database from 'better-sqlite3';
import { listSearchedGrams, newestEntries, type TextIndex } from '../textIndex.ts';

/** The bits of a row of the index that count within a type of a tenant; `search_scopes` has those above. */
const scopeBits = 40;

const hasAllParts = 'not exists (select 1 from json_each(?) as part where instr(entry.text, part.value) = 0)';

/** Searches with the trigram index of FTS5. The rows of a type of a tenant are one range of it. */
export function createSqliteTextIndex(connection: Database.Database, beforeRead: () => void): TextIndex {
  const prepare = (text: string) => {
    let statement: Database.Statement<unknown[], string> | undefined;
    return () => (statement ??= connection.prepare<unknown[], string>(text).pluck());
  };
  const findScope = prepare('select scope from search_scopes where tenant_alias = ? and type = ?');
  const findIndexed = prepare(
    `select entry.id from search_index
     cross join search_entries as entry on entry.position = search_index.rowid
     where search_index match ? and search_index.rowid between ? and ? and ${hasAllParts}
     order by search_index.rowid desc limit ?`,
  );
  const findNewest = prepare(
    `select id from (select id, text from search_entries where position between ? and ?
       order by position desc limit ${newestEntries}) as entry
     where ${hasAllParts} limit ?`,
  );
  const findOlder = prepare(
    `select id from search_entries where position between ? and ?
     order by position desc limit 1 offset ${newestEntries}`,
  );
  return {
    find: ({ tenantAlias, type, parts, limit }) => {
      beforeRead();
      const scope = findScope().get(tenantAlias, type) as bigint | undefined;
      if (scope === undefined) return { ids: [], isComplete: true };
      const first = scope << BigInt(scopeBits);
      const range = [first, first + (1n << BigInt(scopeBits)) - 1n];
      const conditions = [...range, JSON.stringify(parts), BigInt(limit)];
      const grams = listSearchedGrams(parts);
      if (grams.length > 0) {
        const match = grams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ');
        const ids = findIndexed().all(match, ...conditions);
        return { ids, isComplete: ids.length < limit };
      }
      const ids = findNewest().all(...conditions);
      return { ids, isComplete: ids.length < limit && findOlder().get(...range) === undefined };
    },
    unitMs: { busy: 4, idle: 25 },
    finishBuild: () => {},
    buildGrams: () => null,
  };
}
