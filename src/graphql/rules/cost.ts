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
import { BillingError } from '../../lib/errors.ts';
import { measureIntrospection, type IntrospectionSizes, type ListSizes } from '../introspection.ts';
import { findWork } from '../work.ts';

type Variables = Readonly<Record<string, unknown>>;
type Count = (variables: Variables) => number;

/** The cost of an operation: `requested` before execution, and the actual cost of its result. */
export interface Cost {
  requested: number;
  limit: number;
  computeActualCost(data: unknown): number;
}

/** Computes the cost of an operation with its variables. Throws `cost_exceeded` in a GraphQLError above the limit. */
type CheckCost = (variables: Variables, isOfBrowser?: boolean) => Cost;

/** The selection of one object: the number of scalar fields, and the fields with a cost of their own. */
interface Selected {
  leaves: number;
  fields: Planned[];
}

/** A field that returns objects or declares work. */
interface Planned {
  key: string;
  work: Count;
  /** The assumed length of a list; undefined for other fields. */
  size?: Count;
  below: Selected;
  isFree: boolean;
}

// The assumed length of a list without pagination, and of a page without a given size.
const usualSize = 10;
const largestPage = 100;
const sizeArguments = ['first', 'last', 'ids', 'representations'];
/** The number of scalar fields included in the cost of an object. */
const leavesPerObject = 20;
const workOfMutation = 10;
/** The highest cost of an operation with a credential of a browser, unless the limit of the server is lower. */
const mostOfBrowser = 5000;

/**
 * Creates the cost analysis of a schema, which refuses operations above `most`. Each object costs 1, and 1 more for
 * each further 20 scalar fields. A list multiplies the cost of its items by its length: `first` or `last` (default
 * 10), the number of `ids` or `representations`, or 10 for other lists unless the field declares a size. A field that does more work
 * than reading a record declares its cost; a mutation costs 10 more. Introspection lists have their real lengths.
 * An operation is analysed once; each request evaluates the sizes with its variables.
 */
export function createCostPlanner(
  schema: GraphQLSchema,
  most: number,
): (document: DocumentNode, operation: OperationDefinitionNode) => CheckCost {
  const sizes = measureIntrospection(schema);
  return (document, operation) => {
    const selected = planOperation(schema, sizes, document, operation);
    return (variables, isOfBrowser) => {
      const limit = isOfBrowser ? Math.min(most, mostOfBrowser) : most;
      const requested = Math.ceil(sum(selected.fields, (field) => computeCost(field, variables)));
      const cost: Cost = {
        requested,
        limit,
        computeActualCost: (data) => computeActualCosts(selected.fields, data, variables),
      };
      if (requested <= limit) return cost;
      const message = `The operation costs ${requested}, and at most ${limit} is allowed.`;
      throw new GraphQLError(message, {
        nodes: operation,
        originalError: new BillingError('cost_exceeded', [{ path: 'query', message }]),
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

/** Computes the cost of an object without its nested objects. */
const computeOwnCost = ({ isFree, below: { leaves } }: Planned): number =>
  isFree ? Math.floor(leaves / leavesPerObject) : Math.max(1, Math.ceil(leaves / leavesPerObject));

function computeCost(field: Planned, variables: Variables): number {
  const each = computeOwnCost(field) + sum(field.below.fields, (inner) => computeCost(inner, variables));
  return field.work(variables) + (field.size ? field.size(variables) : 1) * each;
}

/**
 * Computes the actual cost of fields; `parent` is the object of the result that contains them. Every response is counted, so
 * nothing is allocated.
 */
function computeActualCosts(fields: readonly Planned[], parent: unknown, variables: Variables): number {
  let total = 0;
  for (const field of fields) {
    total += field.work(variables);
    const value = (parent as Record<string, unknown> | null | undefined)?.[field.key];
    if (!Array.isArray(value)) total += computeActualCost(field, value, variables);
    else for (const each of value) total += computeActualCost(field, each, variables);
  }
  return total;
}

function computeActualCost(field: Planned, value: unknown, variables: Variables): number {
  if (typeof value !== 'object' || value === null) return 0;
  return computeOwnCost(field) + computeActualCosts(field.below.fields, value, variables);
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
    listSizes: ListSizes,
  ): Selected => {
    const gathered = new Map<string, Gathered>();
    for (const set of sets) gather(schema, fragments, set, type, gathered);
    const selected: Selected = { leaves: 0, fields: [] };
    for (const each of gathered.values()) {
      const field = plan(each, page, listSizes);
      if (field) selected.fields.push(field);
      else selected.leaves += 1;
    }
    return selected;
  };

  const plan = (
    { parent, nodes }: Gathered,
    page: Count | undefined,
    listSizes: ListSizes,
  ): Planned | undefined => {
    const [node] = nodes;
    const field = findField(schema, parent, node!.name.value);
    const type = field && getNamedType(field.type);
    if (!field || !type) return undefined;
    const work = planWork(field, node!, parent === schema.getMutationType(), defaults);
    const key = (node!.alias ?? node!.name).value;
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (!isCompositeType(type) || sets.length === 0) {
      return work === noCost
        ? undefined
        : { key, work, size: noCost, below: { leaves: 0, fields: [] }, isFree: true };
    }
    const given = planPageSize(node!.arguments ?? [], field, defaults);
    const isList = isListType(getNullableType(field.type));
    const knownSize = findWork(field)?.size ?? sizes.getLength(parent, field.name, listSizes);
    return {
      key,
      work,
      size: isList ? (given ?? page ?? (() => knownSize ?? usualSize)) : undefined,
      below: select(
        sets,
        type,
        isList ? undefined : given,
        sizes.getNestedSizes(parent, field.name, listSizes),
      ),
      // A chain of at most three types, of which introspection queries usually select nine levels.
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

/** Merges the fields of selection sets by type and response name, as execution does. */
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

const noCost: Count = () => 0;

function planWork(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  isMutation: boolean,
  defaults: Variables,
): Count {
  const work = findWork(field) ?? (isMutation ? { cost: workOfMutation } : undefined);
  if (!work) return noCost;
  const { cost, with: name } = work;
  if (name === undefined) return () => cost;
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (!given) return noCost;
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

/**
 * Returns a function that computes the page size from the arguments of a field; undefined if it has no size
 * arguments.
 */
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
          ? readSize(variables[value.name.value] ?? defaults[value.name.value])
          : readSize(readLiteral(value));
      if (size !== undefined) return Math.min(size, largestPage);
    }
    return usualSize;
  };
}

function readSize(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  // An invalid size is refused during execution.
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
