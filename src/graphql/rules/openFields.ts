import {
  GraphQLError,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Audience } from '../../tenancy/apiKeyCache.ts';
import { buildClosedError, isOpenTo } from '../openness.ts';

/** Refuses an operation that selects a field which is not open to a browser's credential. Throws a GraphQLError. */
export type CheckOpenness = (audience: Audience) => void;

interface ClosedField {
  node: FieldNode;
  path: string;
}

/**
 * Creates the check of an operation's fields, those of all fragments of its document included. A field is closed unless its own
 * declaration opens it; so is the introspection, except for `__typename`. The document is searched once for each audience.
 */
export function createOpennessCheck(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CheckOpenness {
  const closed = new Map<Audience, ClosedField | undefined>();
  return (audience) => {
    if (!closed.has(audience)) closed.set(audience, findClosedField(schema, document, operation, audience));
    const found = closed.get(audience);
    if (found) throw refuseField(found);
  };
}

function findClosedField(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  audience: Audience,
): ClosedField | undefined {
  let found: ClosedField | undefined;
  const types = new TypeInfo(schema);
  const search = visitWithTypeInfo(types, {
    Field: (node) => {
      const field = types.getFieldDef();
      if (found || node.name.value === '__typename') return;
      if (!field || !isOpenTo(field, audience))
        found = { node, path: `${types.getParentType()?.name}.${node.name.value}` };
    },
  });
  for (const definition of document.definitions) {
    if (definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, search);
  }
  return found;
}

function refuseField({ node, path }: ClosedField): GraphQLError {
  const originalError = buildClosedError(path);
  const { message, status } = originalError;
  return new GraphQLError(message, { nodes: node, originalError, extensions: { http: { status } } });
}
