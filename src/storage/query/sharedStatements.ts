import type { TableName } from '../model/rowTypes.ts';

/** A query of the builder, and the tables that it reads or writes. */
export interface Built {
  query: any;
  tables: readonly TableName[];
}

const maxShared = 4000;

/**
 * Returns a function that compiles queries to what all connections to databases of one kind share: the text and the
 * functions that bind values and read rows. A query is built for the first connection that needs its shape only.
 */
export function shareStatements<Compiled extends object, Result>(
  compile: (query: any, result: Result) => Compiled,
) {
  const known = new Map<string, Compiled & Pick<Built, 'tables'>>();
  return (shape: string, build: () => Built, result: Result) => {
    const shared = known.get(shape);
    if (shared) return shared;
    const { query, tables } = build();
    const made = { ...compile(query, result), tables };
    if (known.size === maxShared) known.clear();
    known.set(shape, made);
    return made;
  };
}
