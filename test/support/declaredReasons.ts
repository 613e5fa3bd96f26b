import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import {
  commonReasons,
  mutationReasons,
  connectionReasons,
  consoleReasons,
  transportReasons,
} from '../../src/graphql/reasons.ts';
import { operationReasons } from './declarations.ts';
import { routes } from '../../src/rest/routes.ts';

/** Throws where an answer of GraphQL or REST has a reason that its operation does not declare. */
export function expectDeclared(method: string, url: string, sent: unknown, body: any): void {
  const reason = body?.body?.reason as string | undefined;
  if (reason !== undefined && url.startsWith('/api/v1')) {
    const field = rootOfRoute(method, url.slice('/api/v1'.length).split('?')[0]!);
    if (field) refuseUndeclared(reason, field.name, field.isMutation, url);
  }
  if (!url.startsWith('/graphql') || !Array.isArray(body?.errors)) return;
  const fields = listRoots((sent as { query?: unknown } | undefined)?.query);
  for (const { path, extensions } of body.errors) {
    const field = path ? fields.get(String(path[0])) : undefined;
    // Connections of nested objects and `totalCount` have reasons of their own.
    const isBelow = path?.length > 1 && connectionReasons.includes(extensions?.reason);
    if (field && extensions?.reason && !isBelow)
      refuseUndeclared(extensions.reason, field.name, field.isMutation, url);
  }
}

interface Root {
  name: string;
  isMutation: boolean;
}

function refuseUndeclared(reason: string, field: string, isMutation: boolean, url: string) {
  const declared: string[] = [
    ...(operationReasons[field] ?? []),
    ...(isMutation ? mutationReasons : []),
    ...commonReasons,
    ...consoleReasons,
    ...transportReasons,
  ];
  if (declared.includes(reason)) return;
  throw new Error(`${url}: ${field} ended with ${reason}, which its resolver does not declare.`);
}

const rootIn = (operation: OperationDefinitionNode, { name }: FieldNode): Root => ({
  name: name.value,
  isMutation: operation.operation === OperationTypeNode.MUTATION,
});

/** The root fields of a document by their names in the answer; those in fragments are left out. */
function listRoots(query: unknown): Map<string, Root> {
  const roots = new Map<string, Root>();
  if (typeof query !== 'string' || query.length > 20_000) return roots;
  try {
    for (const definition of parse(query).definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      for (const field of definition.selectionSet.selections) {
        if (field.kind === Kind.FIELD)
          roots.set((field.alias ?? field.name).value, rootIn(definition, field));
      }
    }
  } catch {
    // Not a document: its error has no path.
  }
  return roots;
}

const known = routes.map(({ method, path, document }) => {
  const operation = getOperationAST(parse(document))!;
  const field = operation.selectionSet.selections[0] as FieldNode;
  return {
    method,
    form: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    root: rootIn(operation, field),
  };
});

/** The root field of the first route that takes the path; fixed paths come before those with ids where they overlap. */
function rootOfRoute(method: string, path: string): Root | undefined {
  return known.find((route) => route.method === method && route.form.test(path))?.root;
}
