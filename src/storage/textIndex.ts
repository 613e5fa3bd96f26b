import { hasGrams } from '../lib/searchText.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { IndexedType } from './model/search.ts';

/** A search in the entries of one type of one tenant. */
interface TextSearch {
  tenantAlias: string;
  type: IndexedType;
  /** Folded; all of them must occur in the text. */
  words: string[];
  limit: number;
}

/** The trigram index over the texts of `searchEntries`; each database has its own. */
export interface TextIndex {
  /** Returns the ids of the entries with all words, newest first. Words of two characters alone are searched in the newest entries only. */
  find(search: TextSearch): MaybePromise<string[]>;
  /** How long one unit of work that indexes may take, while the server is busy and while it is not. SQLite stops other work meanwhile. */
  unitMs: { busy: number; idle: number };
  /** Returns what the database indexes of a text besides the text itself. */
  buildGrams(text: string): string | null;
}

/** The newest entries of a type in which words without a trigram are searched. */
export const newestEntries = 5000;

/** Returns the words that the index finds. */
export const listIndexed = (words: string[]): string[] => words.filter(hasGrams);
