import { visit, type GraphQLResolveInfo, type OperationDefinitionNode } from 'graphql';

const fieldNames = new WeakMap<OperationDefinitionNode, Set<string>>();

/** Lists those of `fields` that an operation selects nowhere, on any type; their columns need not be read. */
export function listUnselected<Field extends string>(
  { operation, fragments }: GraphQLResolveInfo,
  fields: readonly Field[],
): Field[] {
  const known = fieldNames.get(operation);
  const selected = known ?? new Set<string>();
  if (!known) {
    for (const part of [operation, ...Object.values(fragments)]) {
      visit(part, { Field: ({ name }) => void selected.add(name.value) });
    }
    fieldNames.set(operation, selected);
  }
  return fields.filter((field) => !selected.has(field));
}
