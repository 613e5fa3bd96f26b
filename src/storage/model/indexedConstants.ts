import type { Declaration } from './columns.ts';
import { tableDeclarations, type TableName } from './rowTypes.ts';

/**
 * For each table, the columns whose partial indexes hold one value alone, and that value. A condition for such a value
 * is written into the statement, because a parameter would hide from SQLite's planner that the index serves it.
 */
export const indexedConstants: Partial<Record<TableName, Record<string, string>>> = Object.fromEntries(
  Object.entries<Declaration>(tableDeclarations).flatMap(([name, { keys }]) => {
    const constants = Object.values(keys.indexes ?? {}).map(({ where }) => where);
    const equalities = constants.filter((where) => typeof where === 'object');
    return equalities.length > 0 ? [[name, Object.assign({}, ...equalities)]] : [];
  }),
);
