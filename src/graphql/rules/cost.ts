import {
  getNamedType,
  GraphQLError,
  isAbstractType,
  isCompositeType,
  isListType,
  getNullableType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
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
import { measureIntrospection, type IntrospectionSizes, type SizesOfTypes } from '../introspection.ts';
import { findWork } from '../work.ts';

type Variables = Readonly<Record<string, unknown>>;
type Count = (variables: Variables) => number;

/** What an operation costs: what it may be answered with, and what it has been answered with. */
export interface Cost {
  requested: number;
  limit: number;
  computeActualCost(data: unknown): number;
}

/** Computes the cost of an operation with its variables. Throws a GraphQLError where it is too high. */
type CheckCost = (variables: Variables) => Cost;

/** What is asked for of one object: how many plain values, and which fields with values of their own. */
interface Selected {
  leaves: number;
  fields: Planned[];
}

/** A field that is answered with objects, or that takes work. */
interface Planned {
  key: string;
  work: Count;
  /** How many objects a list is taken to have; undefined where there is one or none. */
  size?: Count;
  below: Selected;
  isFree: boolean;
}

// What a list holds that cannot be asked for by the page, and a page whose size is not given.
const usualSize = 10;
const largestPage = 100;
const sizeArguments = ['first', 'last', 'ids'];
/** So many plain values of an object come with it. */
const leavesPerObject = 20;
const workOfMutation = 10;

/**
 * Counts what an operation costs, and refuses more than `most`. Each object that it may be answered with counts one, or
 * more where more than 20 values of it are asked for, and what is in a list counts as often as the list is long: that is
 * the `first` or `last` asked for (10 unless given), the number of `ids`, and 10 for other lists unless they declare
 * their size. Fields that take more work than to read a record declare it, and a mutation counts 10. The schema's own
 * lists are as long as they are. An operation is planned once; each request computes its sizes from the variables.
 */
export function createCostPlanner(
  schema: GraphQLSchema,
  most: number,
): (document: DocumentNode, operation: OperationDefinitionNode) => CheckCost {
  const sizes = measureIntrospection(schema);
  return (document, operation) => {
    const selected = planOperation(schema, sizes, document, operation);
    return (variables) => {
      const requested = Math.ceil(sum(selected.fields, (field) => computeCost(field, variables)));
      const cost: Cost = {
        requested,
        limit: most,
        computeActualCost: (data) =>
          sum(selected.fields, (field) => computeActualCost(field, data, variables)),
      };
      if (requested <= most) return cost;
      throw new GraphQLError(`The operation costs ${requested}, and at most ${most} is allowed.`, {
        nodes: operation,
        extensions: { cost },
      });
    };
  };
}

const sum = (fields: readonly Planned[], count: (field: Planned) => number): number => {
  let total = 0;
  for (const field of fields) total += count(field);
  return total;
};

/** An object's own part, without the objects within. */
const computeOwnCost = ({ isFree, below: { leaves } }: Planned): number =>
  isFree ? Math.floor(leaves / leavesPerObject) : Math.max(1, Math.ceil(leaves / leavesPerObject));

function computeCost(field: Planned, variables: Variables): number {
  const each = computeOwnCost(field) + sum(field.below.fields, (inner) => computeCost(inner, variables));
  return field.work(variables) + (field.size ? field.size(variables) : 1) * each;
}

/** What a field has cost; `parent` is the object of the answer that has it. */
function computeActualCost(field: Planned, parent: unknown, variables: Variables): number {
  const value = (parent as Record<string, unknown> | null | undefined)?.[field.key];
  const objects: unknown[] = Array.isArray(value) ? value : [value];
  let total = field.work(variables);
  for (const each of objects) {
    if (typeof each !== 'object' || each === null) continue;
    total +=
      computeOwnCost(field) + sum(field.below.fields, (inner) => computeActualCost(inner, each, variables));
  }
  return total;
}

function planOperation(
  schema: GraphQLSchema,
  sizes: IntrospectionSizes,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Selected {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const defaults = readDefaults(operation);

  const select = (
    sets: readonly SelectionSetNode[],
    type: GraphQLCompositeType,
    page: Count | undefined,
    ofTypes: SizesOfTypes,
  ): Selected => {
    const gathered = new Map<string, Gathered>();
    for (const set of sets) gather(schema, fragments, set, type, gathered);
    const selected: Selected = { leaves: 0, fields: [] };
    for (const each of gathered.values()) {
      const field = plan(each, page, ofTypes);
      if (field) selected.fields.push(field);
      else selected.leaves += 1;
    }
    return selected;
  };

  const plan = (
    { parent, nodes }: Gathered,
    page: Count | undefined,
    ofTypes: SizesOfTypes,
  ): Planned | undefined => {
    const [node] = nodes;
    const field = findField(schema, parent, node!.name.value);
    const type = field && getNamedType(field.type);
    if (!field || !type) return undefined;
    const work = planWork(field, node!, parent === schema.getMutationType(), defaults);
    const key = (node!.alias ?? node!.name).value;
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (!isCompositeType(type) || sets.length === 0) {
      return work === nothing
        ? undefined
        : { key, work, size: nothing, below: { leaves: 0, fields: [] }, isFree: true };
    }
    const given = planPageSize(node!.arguments ?? [], field, defaults);
    const isList = isListType(getNullableType(field.type));
    const knownSize = findWork(field)?.size ?? sizes.of(parent, field.name, ofTypes);
    return {
      key,
      work,
      size: isList ? (given ?? page ?? (() => knownSize ?? usualSize)) : undefined,
      below: select(sets, type, isList ? undefined : given, sizes.below(parent, field.name, ofTypes)),
      // A chain of at most three, for which the usual queries ask nine times.
      isFree: parent.name === '__Type' && field.name === 'ofType',
    };
  };

  const root = schema.getRootType(operation.operation);
  return root ? select([operation.selectionSet], root, undefined, sizes.largest) : { leaves: 0, fields: [] };
}

interface Gathered {
  parent: GraphQLCompositeType;
  nodes: FieldNode[];
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Gathers the fields of selections, those of the same name and type together, as they are answered. */
function gather(
  schema: GraphQLSchema,
  fragments: Fragments,
  set: SelectionSetNode,
  type: GraphQLCompositeType,
  into: Map<string, Gathered>,
): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const id = `${type.name} ${(selection.alias ?? selection.name).value}`;
      const gathered = into.get(id) ?? { parent: type, nodes: [] };
      gathered.nodes.push(selection);
      into.set(id, gathered);
      continue;
    }
    const within = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;
    const narrowed = within.typeCondition ? typeFromAST(schema, within.typeCondition) : type;
    gather(schema, fragments, within.selectionSet, narrowed as GraphQLCompositeType, into);
  }
}

const nothing: Count = () => 0;

function planWork(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  isMutation: boolean,
  defaults: Variables,
): Count {
  const work = findWork(field) ?? (isMutation ? { cost: workOfMutation } : undefined);
  if (!work) return nothing;
  const { cost, with: name } = work;
  if (name === undefined) return () => cost;
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (!given) return nothing;
  if (given.kind !== Kind.VARIABLE) return () => cost;
  const variable = given.name.value;
  return (variables) => ((variables[variable] ?? defaults[variable] ?? null) === null ? 0 : cost);
}

function findField(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  if (!isAbstractType(type)) return type.getFields()[name];
  return 'getFields' in type ? type.getFields()[name] : undefined;
}

/** How many items the arguments of a field ask for; undefined for a field that is not asked by number. */
function planPageSize(
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
          ? listLength(variables[value.name.value] ?? defaults[value.name.value])
          : listLength(readLiteral(value));
      if (size !== undefined) return Math.min(size, largestPage);
    }
    return usualSize;
  };
}

function listLength(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  // What is no size is refused where it is used.
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function readLiteral(value: ArgumentNode['value']): unknown {
  if (value.kind === Kind.INT) return Number(value.value);
  if (value.kind === Kind.NULL) return null;
  return value.kind === Kind.LIST ? value.values : value;
}

const readDefaults = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && readLiteral(defaultValue),
    ]),
  );
