import { visit, type GraphQLResolveInfo, type OperationDefinitionNode } from 'graphql';

/** For each column that a list can leave out, the fields that show it; a column without any is never read. */
type FieldsOfColumns<Column extends string> = Readonly<Partial<Record<Column, readonly string[]>>>;

/** By the operation, which is executed many times: visiting twenty fields takes 25 µs. */
const unreadCache = new WeakMap<OperationDefinitionNode, Map<FieldsOfColumns<string>, readonly string[]>>();

/** Lists the columns of which an operation selects no field, on any type; they need not be read. */
export function listUnread<Column extends string>(
  { operation, fragments }: Pick<GraphQLResolveInfo, 'operation' | 'fragments'>,
  fieldsOfColumns: FieldsOfColumns<Column>,
): readonly Column[] {
  const known = unreadCache.get(operation) ?? new Map<FieldsOfColumns<string>, readonly string[]>();
  const found = known.get(fieldsOfColumns) as readonly Column[] | undefined;
  if (found) return found;
  const selected = listFieldNames([operation, ...Object.values(fragments)]);
  const columns = Object.entries<readonly string[]>(fieldsOfColumns as Record<Column, readonly string[]>)
    .filter(([, fields]) => !fields.some((field) => selected.has(field)))
    .map(([column]) => column as Column);
  unreadCache.set(operation, known.set(fieldsOfColumns, columns));
  return columns;
}

function listFieldNames(
  parts: readonly (OperationDefinitionNode | GraphQLResolveInfo['fragments'][string])[],
) {
  const names = new Set<string>();
  for (const part of parts) visit(part, { Field: ({ name }) => void names.add(name.value) });
  return names;
}
