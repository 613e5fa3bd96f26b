import type { Declaration } from './columns.ts';
import { tableDeclarations, type TableName } from './rowTypes.ts';

/**
 * For each table, the columns for which partial indexes hold only one value, and that value. A condition on that value
 * is written into the statement as a literal, because with a parameter SQLite's planner would not use the index.
 */
export const indexedConstants: Partial<Record<TableName, Record<string, string>>> = Object.fromEntries(
  Object.entries<Declaration>(tableDeclarations).flatMap(([name, { keys }]) => {
    const constants = Object.values(keys.indexes ?? {}).map(({ where }) => where);
    const equalities = constants.filter((where) => typeof where === 'object');
    return equalities.length > 0 ? [[name, Object.assign({}, ...equalities)]] : [];
  }),
);

/** Returns the condition of a partial index as SQL. */
export function findIndexCondition(table: TableName, index: string): string {
  const declarations: Record<TableName, Declaration> = tableDeclarations;
  const where = declarations[table].keys.indexes?.[index]?.where;
  if (typeof where !== 'string') throw new Error(`${table} has no partial index ${index}`);
  return where;
}
