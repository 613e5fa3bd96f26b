import type { Issue, Problem } from '../data/errors.ts';

/** The metadata of a record. Products and coupons may have other values than text. */
export type Metadata = Record<string, unknown>;

/** A line of the form that edits metadata. */
export interface Entry {
  name: string;
  /** The value as the field shows it. */
  text: string;
  /** The value as it is stored; undefined for a new line. */
  stored?: unknown;
}

export const emptyEntry: Entry = { name: '', text: '' };

/** Returns a value as text. */
const writeValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Lists metadata as the lines of a form, in their order. */
export const listEntries = (metadata: Metadata): Entry[] =>
  Object.entries(metadata).map(([name, stored]) => ({ name, text: writeValue(stored), stored }));

/**
 * Builds metadata from the lines of a form, without new lines that are empty; a value that was not edited keeps its type. Names
 * that occur more than once are `repeated`: only one of them could be stored.
 */
export function buildMetadata(entries: Entry[]): { metadata: Metadata; repeated: ReadonlySet<string> } {
  const filled = entries.filter(
    ({ name, text, stored }) => name !== '' || text !== '' || stored !== undefined,
  );
  const names = filled.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const values = filled.map(({ name, text, stored }): [string, unknown] => {
    const isEdited = stored === undefined || text !== writeValue(stored);
    return [name, isEdited ? text : stored];
  });
  // `fromEntries` keeps a name such as `__proto__`, which an assignment would not.
  return { metadata: Object.fromEntries(values), repeated };
}

/** Finds what the server refused about a line: its value, or its name, which an issue shortens if it is too long. */
export function findEntryProblems(
  { name }: Entry,
  problem: Problem | undefined,
): { ofName?: Issue | undefined; ofValue?: Issue | undefined } {
  const issues = problem?.issues ?? [];
  const isShortened = (path: string) =>
    path.startsWith('metadata.') && path.endsWith('…') && name.startsWith(path.slice(9, -1));
  return {
    ofName: issues.find(({ path }) => path !== `metadata.${name}` && isShortened(path)),
    ofValue: issues.find(({ path }) => path === `metadata.${name}`),
  };
}
