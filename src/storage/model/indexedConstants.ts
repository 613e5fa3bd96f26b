import { writeIndexCondition, type Declaration } from './columns.ts';
import { tableDeclarations, type TableName } from './rowTypes.ts';

/** Without the types of their columns, which differ. */
const declarations: Record<TableName, Declaration<any>> = tableDeclarations;

/**
 * For each table, the columns for which partial indexes hold only one value, and those values. A condition on one of them
 * is written into the statement as a literal, because with a parameter SQLite's planner would not use the index.
 */
export const indexedConstants: Partial<Record<TableName, Record<string, string[]>>> = Object.fromEntries(
  Object.entries(declarations).flatMap(([name, { keys }]) => {
    const constants = Object.values(keys.indexes ?? {})
      .map(({ where = {} }) => Object.entries(where))
      .filter((conditions) => conditions.every(([, values]) => typeof values === 'string'))
      .flat() as [column: string, value: string][];
    if (constants.length === 0) return [];
    const values: Record<string, string[]> = {};
    for (const [column, value] of constants) values[column] = [...(values[column] ?? []), value];
    return [[name, values]];
  }),
);

/** Returns the condition of a partial index as SQL. */
export function findIndexCondition(table: TableName, index: string): string {
  const condition = writeIndexCondition(declarations[table].keys.indexes?.[index] ?? {});
  if (condition === undefined) throw new Error(`${table} has no partial index ${index}`);
  return condition;
}
