import type { Operation } from './request.ts';

/** A document as text or parsed, with the types of its result and variables, in the shape of `TypedDocumentNode`. */
export type Document<Result, Variables> =
  TypedDocument<Result, Variables> | TypedText<Result, Variables> | string;

/** A parsed document: of gql.tada, GraphQL Code Generator, graphql-tag or graphql-js. */
export interface TypedDocument<Result, Variables> {
  readonly kind: 'Document';
  readonly definitions: readonly unknown[];
  __apiType?: ((variables: Variables) => Result) | undefined;
}

/** A document of GraphQL Code Generator with `documentMode: 'string'`. */
export interface TypedText<Result, Variables> {
  toString(): string;
  __apiType?: ((variables: Variables) => Result) | undefined;
  __meta__?: unknown;
}

/** A node of the syntax tree of GraphQL. */
interface Node {
  kind: string;
  [field: string]: unknown;
}

/** Reads a document: its text, its name, and whether it is a mutation. */
export function readDocument(document: Document<never, never>): Omit<Operation, 'variables'> {
  if (typeof document === 'object' && 'definitions' in document) {
    const nodes = document.definitions as Node[];
    const operation = nodes.find(({ kind }) => kind === 'OperationDefinition');
    return {
      query: nodes.map(print).join(' '),
      name: readName(operation) || 'anonymous',
      isMutation: operation?.['operation'] === 'mutation',
    };
  }
  const query = String(document);
  // Without comments and strings, in which the word may stand as well.
  const bare = query.replace(/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*/g, ' ');
  const [, kind, name] =
    /(?:^|[}\s])(query|mutation|subscription)\b\s*(\w+)?/.exec(stripFragments(bare)) ?? [];
  return { query, name: name ?? 'anonymous', isMutation: kind === 'mutation' };
}

/** Removes the selections, so that only the heads of definitions remain. */
function stripFragments(text: string): string {
  let depth = 0;
  let heads = '';
  for (const character of text) {
    if (character === '{') depth += 1;
    if (depth === 0) heads += character;
    if (character === '}') {
      depth -= 1;
      heads += ' ';
    }
  }
  return heads;
}

const readName = (node: Node | undefined): string =>
  (node?.['name'] as { value: string } | undefined)?.value ?? '';

const list = (nodes: unknown, separator = ' '): string =>
  ((nodes as Node[] | undefined) ?? []).map(print).join(separator);

const wrap = (open: string, text: string, close: string): string =>
  text === '' ? '' : `${open}${text}${close}`;

const child = (node: Node, field: string): string => (node[field] ? print(node[field] as Node) : '');

/** How each node of a document is written. */
const printers: Record<string, (node: Node) => string> = {
  Name: (node) => String(node['value']),
  OperationDefinition: (node) =>
    `${String(node['operation'])} ${readName(node)}${wrap('(', list(node['variableDefinitions'], ','), ')')}${list(node['directives'])}${child(node, 'selectionSet')}`,
  FragmentDefinition: (node) =>
    `fragment ${readName(node)} on ${child(node, 'typeCondition')}${list(node['directives'])}${child(node, 'selectionSet')}`,
  VariableDefinition: (node) =>
    `${child(node, 'variable')}:${child(node, 'type')}${wrap('=', child(node, 'defaultValue'), '')}${list(node['directives'])}`,
  SelectionSet: (node) => `{${list(node['selections'])}}`,
  Field: (node) =>
    `${wrap('', child(node, 'alias'), ':')}${readName(node)}${wrap('(', list(node['arguments'], ','), ')')}${list(node['directives'])}${child(node, 'selectionSet')}`,
  Argument: (node) => `${readName(node)}:${child(node, 'value')}`,
  FragmentSpread: (node) => `...${readName(node)}${list(node['directives'])}`,
  InlineFragment: (node) =>
    `...${wrap(' on ', child(node, 'typeCondition'), '')}${list(node['directives'])}${child(node, 'selectionSet')}`,
  Directive: (node) => ` @${readName(node)}${wrap('(', list(node['arguments'], ','), ')')}`,
  Variable: (node) => `$${readName(node)}`,
  IntValue: (node) => String(node['value']),
  FloatValue: (node) => String(node['value']),
  StringValue: (node) => JSON.stringify(node['value']),
  BooleanValue: (node) => String(node['value']),
  NullValue: () => 'null',
  EnumValue: (node) => String(node['value']),
  ListValue: (node) => `[${list(node['values'], ',')}]`,
  ObjectValue: (node) => `{${list(node['fields'], ',')}}`,
  ObjectField: (node) => `${readName(node)}:${child(node, 'value')}`,
  NamedType: (node) => readName(node),
  ListType: (node) => `[${child(node, 'type')}]`,
  NonNullType: (node) => `${child(node, 'type')}!`,
};

function print(node: Node): string {
  const printer = printers[node.kind];
  if (!printer) throw new TypeError(`A document for the server has no ${node.kind}`);
  return printer(node);
}
