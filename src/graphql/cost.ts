import {
  getNamedType,
  GraphQLError,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  getNullableType,
  isLeafType,
  Kind,
  typeFromAST,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;
type Count = (variables: Variables) => number;

/** Refuses an operation that asks for more than it may, whatever its variables make of it. Throws a GraphQLError. */
export type RefuseCostly = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables | undefined,
) => void;

// What a list holds that cannot be asked for by the page, and a page whose size is not given.
const usualSize = 10;
const largestPage = 100;
const sizeArguments = ['first', 'last', 'ids'];

/**
 * Counts the objects that an operation may be answered with, and refuses more than `most`: each object counts one, and
 * what is in a list counts as often as the list is long. That is the `first` or `last` asked for (10 unless given), the
 * number of `ids`, and 10 for other lists. An operation is read once; what is left for a request is the arithmetic.
 */
export function createCost(schema: GraphQLSchema, most: number): RefuseCostly {
  const known = new WeakMap<OperationDefinitionNode, Count>();
  return (document, operation, variables = {}) => {
    const count = known.get(operation) ?? counterOf(schema, document, operation);
    known.set(operation, count);
    const cost = count(variables);
    if (cost <= most) return;
    throw new GraphQLError(`The operation may be answered with ${cost} objects; it may with ${most}.`, {
      nodes: operation,
    });
  };
}

function counterOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Count {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const defaults = defaultsOf(operation);

  const ofSelections = (set: SelectionSetNode, type: GraphQLCompositeType, page: Count | undefined): Count =>
    sum(
      set.selections.map((selection) => {
        if (selection.kind === Kind.FIELD) return ofField(selection, type, page);
        const within =
          selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;
        const narrowed = within.typeCondition ? typeFromAST(schema, within.typeCondition) : type;
        return ofSelections(within.selectionSet, narrowed as GraphQLCompositeType, page);
      }),
    );

  const ofField = (node: FieldNode, parent: GraphQLCompositeType, page: Count | undefined): Count => {
    const field = fieldOf(parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (!type || !node.selectionSet || isLeafType(type) || isIntrospectionType(type)) return nothing;
    if (!isCompositeType(type)) return nothing;
    const given = sizeOf(node.arguments ?? [], field, defaults);
    if (!isListType(getNullableType(field.type))) {
      return plusOne(ofSelections(node.selectionSet, type, given));
    }
    const each = plusOne(ofSelections(node.selectionSet, type, undefined));
    return times(given ?? page ?? (() => usualSize), each);
  };

  const root = schema.getRootType(operation.operation);
  return root ? ofSelections(operation.selectionSet, root, undefined) : nothing;
}

const nothing: Count = () => 0;
const plusOne =
  (count: Count): Count =>
  (variables) =>
    1 + count(variables);
const times =
  (one: Count, other: Count): Count =>
  (variables) =>
    one(variables) * other(variables);

function sum(counts: Count[]): Count {
  const counting = counts.filter((count) => count !== nothing);
  if (counting.length === 0) return nothing;
  return (variables) => counting.reduce((total, count) => total + count(variables), 0);
}

function fieldOf(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (!isAbstractType(type)) return type.getFields()[name];
  return 'getFields' in type ? type.getFields()[name] : undefined;
}

/** How many items the arguments of a field ask for; undefined for a field that is not asked by number. */
function sizeOf(
  given: readonly ArgumentNode[],
  { args }: GraphQLField<unknown, unknown>,
  defaults: Variables,
): Count | undefined {
  const names = sizeArguments.filter((name) => args.some((arg) => arg.name === name));
  if (names.length === 0) return undefined;
  const values = given.filter(({ name }) => names.includes(name.value)).map(({ value }) => value);
  return (variables) => {
    for (const value of values) {
      const size =
        value.kind === Kind.VARIABLE
          ? lengthOf(variables[value.name.value] ?? defaults[value.name.value])
          : lengthOf(literal(value));
      if (size !== undefined) return Math.min(size, largestPage);
    }
    return usualSize;
  };
}

function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  // What is no size is refused where it is used.
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function literal(value: ArgumentNode['value']): unknown {
  if (value.kind === Kind.INT) return Number(value.value);
  return value.kind === Kind.LIST ? value.values : undefined;
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && literal(defaultValue),
    ]),
  );
