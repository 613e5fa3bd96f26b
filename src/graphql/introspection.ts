import {
  executeSync,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

/** Lengths of the lists of a type, by field: `fields`, `args`, `enumValues` … */
export type ListSizes = Readonly<Record<string, number>>;

/** Lengths of the lists in introspection results, from which the cost is computed. */
export interface IntrospectionSizes {
  /** The largest of all types. */
  largest: ListSizes;
  /** Returns the length of a list field of an introspection type; undefined for other types. */
  getLength(parent: GraphQLCompositeType, field: string, sizes: ListSizes): number | undefined;
  /** Returns the lengths to assume below a field: below the list of all types, the average; below an argument, those of input types. */
  getNestedSizes(parent: GraphQLCompositeType, field: string, sizes: ListSizes): ListSizes;
}

/** Measures the lists of a schema's introspection. */
export function measureIntrospection(schema: GraphQLSchema): IntrospectionSizes {
  const all = Object.values(schema.getTypeMap());
  const lists = all.map((type) => {
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    return {
      fields: fields.length,
      args: fields.map(({ args }) => args.length),
      inputFields: isInputObjectType(type) ? Object.keys(type.getFields()).length : 0,
      enumValues: isEnumType(type) ? type.getValues().length : 0,
      interfaces: isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().length : 0,
      possibleTypes: isInterfaceType(type) ? schema.getPossibleTypes(type).length : 0,
    };
  });
  const args = lists.flatMap((each) => each.args);
  const directives = schema.getDirectives();
  const computeSizes = (pick: (sizes: number[]) => number): ListSizes => ({
    types: all.length,
    directives: directives.length,
    locations: 10,
    fields: pick(lists.map((each) => each.fields)),
    args: pick(args),
    inputFields: pick(lists.map((each) => each.inputFields)),
    enumValues: pick(lists.map((each) => each.enumValues)),
    interfaces: pick(lists.map((each) => each.interfaces)),
    possibleTypes: pick(lists.map((each) => each.possibleTypes)),
  });
  const average = computeSizes((sizes) => sizes.reduce((total, size) => total + size, 0) / sizes.length);
  const largest = computeSizes((sizes) => Math.max(...sizes));
  // The type of an argument or an input field is an input type, which has neither fields nor implementations.
  const largestInput: ListSizes = { ...largest, fields: 0, args: 0, interfaces: 0, possibleTypes: 0 };
  const isIntrospectionType = ({ name }: GraphQLCompositeType) => name.startsWith('__');
  const withinType = new Set(['fields', 'args', 'inputFields', 'enumValues']);
  return {
    largest,
    getLength: (parent, field, sizes) =>
      isIntrospectionType(parent) ? Math.ceil((sizes[field] ?? 1) * 10) / 10 : undefined,
    getNestedSizes: (parent, field, sizes) => {
      if (parent.name === '__Schema') return field === 'types' || field === 'directives' ? average : largest;
      if (parent.name === '__InputValue') return largestInput;
      return withinType.has(field) || sizes === largestInput ? sizes : largest;
    },
  };
}

/** The number of results kept; clients and tools send few different introspection queries. */
const mostKept = 8;

/**
 * Returns a function that executes queries of the schema alone, and caches the constant result; it returns
 * undefined for other operations.
 */
export function createIntrospection(schema: GraphQLSchema) {
  const kept = new Map<OperationDefinitionNode, Record<string, unknown>>();
  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): Record<string, unknown> | undefined => {
    const known = kept.get(operation);
    if (known || !isIntrospectionOnly(operation)) return known;
    const { data, errors } = executeSync({ schema, document, operationName: operation.name?.value });
    if (errors || !data) return undefined;
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!);
    kept.set(operation, data);
    return data;
  };
}

function isIntrospectionOnly({ operation, variableDefinitions, selectionSet }: OperationDefinitionNode) {
  if (operation !== OperationTypeNode.QUERY || variableDefinitions?.length) return false;
  return selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && /^__(schema|type)$/.test(selection.name.value),
  );
}
