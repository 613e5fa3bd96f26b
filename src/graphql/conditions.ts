import { Kind, visit, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';

/** The variables that say in `@skip` and `@include` what is asked for, each with its default. */
export type Conditions = ReadonlyMap<string, boolean | undefined>;

/** What each of the conditions is in a request. */
type Decisions = ReadonlyMap<string, boolean>;

/** The conditions of an operation, those of its fragments included. */
export function conditionsOf(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Conditions {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return new Map(
    variableDefinitions
      .filter(({ variable }) => names.has(variable.name.value))
      .map(({ variable, defaultValue }) => [
        variable.name.value,
        defaultValue?.kind === Kind.BOOLEAN ? defaultValue.value : undefined,
      ]),
  );
}

/** What the variables make of the conditions; undefined where they make nothing that GraphQL takes. */
export function decide(
  conditions: Conditions,
  variables: Readonly<Record<string, unknown>>,
): Decisions | undefined {
  const decisions = new Map<string, boolean>();
  for (const [name, usual] of conditions) {
    const value = variables[name] === undefined ? usual : variables[name];
    if (typeof value !== 'boolean') return undefined;
    decisions.set(name, value);
  }
  return decisions;
}

/** The document without its `@skip` and `@include`, and without what they leave out. */
export function settle(document: DocumentNode, decisions: Decisions): DocumentNode {
  const leavesOut = ({ name, arguments: given = [] }: DirectiveNode): boolean => {
    const value = given[0]?.value;
    const condition = value?.kind === Kind.VARIABLE ? decisions.get(value.name.value) : undefined;
    return (value?.kind === Kind.BOOLEAN ? value.value : condition) === (name.value === 'skip');
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
