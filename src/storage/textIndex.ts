import { coverByGrams } from '../lib/searchText.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { IndexedType } from './model/search.ts';

/** A search in the entries of one type of one tenant. */
interface TextSearch {
  tenantAlias: string;
  type: IndexedType;
  /** Folded; all of them must occur in the text. */
  parts: string[];
  limit: number;
}

export interface FoundEntries {
  /** The ids of the entries, newest first. */
  ids: string[];
  /** Whether no other entry has all parts. */
  isComplete: boolean;
}

/** The trigram index over the texts of `searchEntries`; each database has its own. */
export interface TextIndex {
  /** Returns the entries with all parts. Parts of two characters alone are searched in the newest entries only. */
  find(search: TextSearch): MaybePromise<FoundEntries>;
  /** How long one unit of work that indexes may take, while the server is busy and while it is not. SQLite stops other work meanwhile. */
  unitMs: { busy: number; idle: number };
  /** Prepares the database for searches in entries that were written all at once. */
  finishBuild(): MaybePromise<void>;
  /** Returns what the database indexes of an entry besides its text. */
  buildGrams(entry: { tenantAlias: string; type: IndexedType; text: string }): string | null;
}

/** The newest entries of a type in which parts without a trigram are searched. */
export const newestEntries = 5000;

/** More would only make the look-up longer. */
const mostGrams = 48;

/** Returns the trigrams by which the index finds candidates: a third of all, which takes a third of the time. */
export const listSearchedGrams = (parts: string[]): string[] =>
  [...new Set(parts.flatMap(coverByGrams))].slice(0, mostGrams);
