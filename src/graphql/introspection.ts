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

/** How long the lists of a type of the schema are, by their fields: `fields`, `args`, `enumValues` … */
export type SizesOfTypes = Readonly<Record<string, number>>;

/** How long the lists are that tell of a schema. */
export interface IntrospectionSizes {
  /** For a type that may be any. */
  largest: SizesOfTypes;
  /** How long a list of the schema's own types is; undefined for other fields. */
  of(parent: GraphQLCompositeType, field: string, ofTypes: SizesOfTypes): number | undefined;
  /** How long lists are below a field: on the average below the list of all types. */
  below(parent: GraphQLCompositeType, field: string, ofTypes: SizesOfTypes): SizesOfTypes;
}

/** Measures the lists by which a schema tells of itself. */
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
  const sizesBy = (pick: (sizes: number[]) => number): SizesOfTypes => ({
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
  const average = sizesBy((sizes) => sizes.reduce((total, size) => total + size, 0) / sizes.length);
  const largest = sizesBy((sizes) => Math.max(...sizes));
  const isOfSchema = ({ name }: GraphQLCompositeType) => name.startsWith('__');
  const withinType = new Set(['fields', 'args', 'inputFields', 'enumValues']);
  return {
    largest,
    of: (parent, field, ofTypes) =>
      isOfSchema(parent) ? Math.ceil((ofTypes[field] ?? 1) * 10) / 10 : undefined,
    below: (parent, field, ofTypes) => {
      if (parent.name === '__Schema') return field === 'types' || field === 'directives' ? average : largest;
      return withinType.has(field) ? ofTypes : largest;
    },
  };
}

/** Answers kept; a client asks in one way, and tools in few. */
const mostKept = 8;

/** Answers what asks for the schema alone, which is always the same; undefined for all else. */
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
