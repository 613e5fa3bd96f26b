import { suggestionList } from 'graphql/jsutils/suggestionList.js';

const maxWordLength = 80;
const maxSuggestions = 3;

/** Returns ` Did you mean A or B?` for a word that is not in the list, or an empty text if no word is similar. */
export function formatSuggestions(word: string, words: readonly string[]): string {
  // The distance of a long text is slow to compute, and no word of the list is similar to it.
  const near = word.length > maxWordLength ? [] : suggestionList(word, words).slice(0, maxSuggestions);
  if (near.length === 0) return '';
  const last = near.at(-1)!;
  const listed = near.length === 1 ? last : `${near.slice(0, -1).join(', ')} or ${last}`;
  return ` Did you mean ${listed}?`;
}
