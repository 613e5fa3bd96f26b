import { Kind, visit, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** The variables that select the parts of an operation to execute. */
interface SpecializingVariables {
  /** The variables of `@skip` and `@include`, each with its default. */
  conditions: ReadonlyMap<string, boolean | undefined>;
  /** Variables of input fields that may be omitted. */
  optional: readonly string[];
}

/** Finds the variables that select the parts of an operation and its fragments to execute. */
export function findSpecializingVariables(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): SpecializingVariables {
  const inConditions = new Set<string>();
  const inObjects = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) inConditions.add(value.name.value);
    },
    ObjectField: ({ value }) => {
      if (value.kind === Kind.VARIABLE) inObjects.add(value.name.value);
    },
  });
  const conditions = new Map<string, boolean | undefined>();
  const optional: string[] = [];
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (inConditions.has(name))
      conditions.set(name, defaultValue?.kind === Kind.BOOLEAN ? defaultValue.value : undefined);
    if (inObjects.has(name) && type.kind !== Kind.NON_NULL_TYPE && !defaultValue) optional.push(name);
  }
  return { conditions, optional };
}

/** Returns the key of the specialization that variables select; undefined if a condition is not a boolean. */
export function buildSpecializationKey(
  { conditions, optional }: SpecializingVariables,
  variables: Variables,
): string | undefined {
  let form = '';
  for (const [name, usual] of conditions) {
    const value = resolveValue(variables, name, usual);
    if (typeof value !== 'boolean') return undefined;
    form += value ? '+' : '-';
  }
  for (const name of optional) form += variables[name] === undefined ? '-' : '+';
  return form;
}

const resolveValue = (variables: Variables, name: string, usual: unknown) =>
  variables[name] === undefined ? usual : variables[name];

/** Applies and removes `@skip` and `@include`. */
export function resolveConditions(
  document: DocumentNode,
  { conditions }: SpecializingVariables,
  variables: Variables,
): DocumentNode {
  const isExcluded = ({ name: { value: name }, arguments: given = [] }: DirectiveNode): boolean => {
    const value = given[0]?.value;
    const condition =
      value?.kind === Kind.VARIABLE &&
      resolveValue(variables, value.name.value, conditions.get(value.name.value));
    return (value?.kind === Kind.BOOLEAN ? value.value : condition) === (name === 'skip');
  };
  const enter = <Node extends { directives?: readonly DirectiveNode[] }>(node: Node) => {
    if (!node.directives?.length) return undefined;
    return node.directives.some(isExcluded) ? null : { ...node, directives: [] };
  };
  return visit(document, {
    Field: { enter },
    InlineFragment: { enter },
    FragmentSpread: { enter },
  });
}

/** Removes the fields of input objects whose variables are omitted. */
export function dropOmittedFields(
  document: DocumentNode,
  { optional }: SpecializingVariables,
  variables: Variables,
): DocumentNode {
  const leftOut = new Set(optional.filter((name) => variables[name] === undefined));
  return visit(document, {
    ObjectField: ({ value }) =>
      value.kind === Kind.VARIABLE && leftOut.has(value.name.value) ? null : undefined,
  });
}
