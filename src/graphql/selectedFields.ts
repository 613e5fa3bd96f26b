import { visit, type GraphQLResolveInfo, type OperationDefinitionNode } from 'graphql';

const fieldNames = new WeakMap<OperationDefinitionNode, Set<string>>();

/** Those of `fields` that an operation asks for nowhere, whatever the type: nobody would see their columns. */
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
