import {
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
import type { PortalPart } from '../../storage/model/common.ts';
import { refuseAt } from '../errors.ts';
import { buildClosedError, findPortalPart, isOpenTo } from '../openness.ts';

/**
 * Refuses an operation that selects a field which is not open to a browser's credential. Throws a GraphQLError. Returns the parts
 * of the portal that the operation selects.
 */
export type CheckOpenness = (audience: Audience) => readonly PortalPart[];

interface Searched {
  closed?: { node: FieldNode; path: string };
  parts: PortalPart[];
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
  const known = new Map<Audience, Searched>();
  return (audience) => {
    const searched = known.get(audience) ?? searchFields(schema, document, operation, audience);
    known.set(audience, searched);
    const { closed, parts } = searched;
    if (closed) throw refuseAt(closed.node, buildClosedError(closed.path));
    return parts;
  };
}

function searchFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  audience: Audience,
): Searched {
  const searched: Searched = { parts: [] };
  const types = new TypeInfo(schema);
  const search = visitWithTypeInfo(types, {
    Field: (node) => {
      const field = types.getFieldDef();
      if (node.name.value === '__typename') return;
      if (!field || !isOpenTo(field, audience)) {
        searched.closed ??= { node, path: `${types.getParentType()?.name}.${node.name.value}` };
        return;
      }
      const part = findPortalPart(field);
      if (part && !searched.parts.includes(part)) searched.parts.push(part);
    },
  });
  for (const definition of document.definitions) {
    if (definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, search);
  }
  return searched;
}
