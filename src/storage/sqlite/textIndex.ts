import type Database from 'better-sqlite3';
import { listIndexed, newestEntries, type TextIndex } from '../textIndex.ts';

/** The bits of a row of the index that count within a type of a tenant; `search_scopes` has those above. */
const scopeBits = 40;

const hasAllWords = 'not exists (select 1 from json_each(?) as word where instr(entry.text, word.value) = 0)';

/** Searches with the trigram index of FTS5. The rows of a type of a tenant are one range of it. */
export function createSqliteTextIndex(connection: Database.Database, beforeRead: () => void): TextIndex {
  const prepare = (text: string) => {
    let statement: Database.Statement<unknown[], string> | undefined;
    return () => (statement ??= connection.prepare<unknown[], string>(text).pluck());
  };
  const findScope = prepare('select scope from search_scopes where tenant_alias = ? and type = ?');
  const findIndexed = prepare(
    `select entry.id from search_index
     cross join search_rows as place on place.position = search_index.rowid
     cross join search_entries as entry on entry.tenant_alias = place.tenant_alias and entry.id = place.id
     where search_index match ? and search_index.rowid between ? and ? and ${hasAllWords}
     order by search_index.rowid desc limit ?`,
  );
  const findNewest = prepare(
    `select id from (select id, text from search_entries where tenant_alias = ? and type = ?
       order by id desc limit ${newestEntries}) as entry
     where ${hasAllWords} limit ?`,
  );
  return {
    find: ({ tenantAlias, type, words, limit }) => {
      beforeRead();
      const all = JSON.stringify(words);
      const indexed = listIndexed(words);
      if (indexed.length === 0) return findNewest().all(tenantAlias, type, all, BigInt(limit));
      const scope = findScope().get(tenantAlias, type) as bigint | undefined;
      if (scope === undefined) return [];
      const first = scope << BigInt(scopeBits);
      const last = first + (1n << BigInt(scopeBits)) - 1n;
      const match = indexed.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
      return findIndexed().all(match, first, last, all, BigInt(limit));
    },
    unitMs: { busy: 4, idle: 25 },
    buildGrams: () => null,
  };
}
