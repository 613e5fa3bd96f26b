import { visit, type GraphQLResolveInfo, type OperationDefinitionNode } from 'graphql';

const fieldNames = new WeakMap<OperationDefinitionNode, Set<string>>();

/** Lists those of `fields` that an operation selects nowhere, on any type; their columns need not be read. */
export function listUnselected<Field extends string>(
  { operation, fragments }: GraphQLResolveInfo,
  fields: readonly Field[],
): Field[] {
  const known = fieldNames.get(operation);
  const asked = known ?? new Set<string>();
  if (!known) {
    for (const part of [operation, ...Object.values(fragments)]) {
      visit(part, { Field: ({ name }) => void asked.add(name.value) });
    }
    fieldNames.set(operation, asked);
  }
  return fields.filter((field) => !asked.has(field));
}
