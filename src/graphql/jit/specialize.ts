import { Kind, visit, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** The variables of an operation that decide what is left of it. */
interface SpecializingVariables {
  /** Those in `@skip` and `@include`, each with its default. */
  conditions: ReadonlyMap<string, boolean | undefined>;
  /** Those that may be left out, and leave out fields of input objects then. */
  optional: readonly string[];
}

/** The variables that decide what is left of an operation, those in its fragments included. */
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

/** What the variables make of those that decide, in short; undefined where they make nothing that GraphQL takes. */
export function specializationKey(
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

/** The document without its `@skip` and `@include`, and without what they leave out. */
export function resolveConditions(
  document: DocumentNode,
  { conditions }: SpecializingVariables,
  variables: Variables,
): DocumentNode {
  const leavesOut = ({ name: { value: name }, arguments: given = [] }: DirectiveNode): boolean => {
    const value = given[0]?.value;
    const condition =
      value?.kind === Kind.VARIABLE &&
      resolveValue(variables, value.name.value, conditions.get(value.name.value));
    return (value?.kind === Kind.BOOLEAN ? value.value : condition) === (name === 'skip');
  };
  const enter = <Node extends { directives?: readonly DirectiveNode[] }>(node: Node) => {
    if (!node.directives?.length) return undefined;
    return node.directives.some(leavesOut) ? null : { ...node, directives: [] };
  };
  return visit(document, {
    Field: { enter },
    InlineFragment: { enter },
    FragmentSpread: { enter },
  });
}

/** The document without the fields of input objects that variables leave out. */
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
