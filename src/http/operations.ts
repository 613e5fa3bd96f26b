import type { GraphQLRequestContextDidEncounterErrors, GraphQLRequestListener } from '@apollo/server';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ASTVisitor,
  type OperationDefinitionNode,
  type ValidationContext,
} from 'graphql';
import type { Context } from '../graphql/context.ts';
import type { RefuseCostly } from '../graphql/cost.ts';

const refusedDocument = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_TOO_COSTLY',
]);

/** Holds each operation to its cost. */
export function guardOperations(refuseCostly: RefuseCostly): GraphQLRequestListener<Context> {
  return {
    didResolveOperation: async ({ document, operation, request, contextValue }) => {
      if (!operation) return;
      contextValue.asked.operation = nameOfOperation(operation);
      try {
        refuseCostly(document, operation, request.variables);
      } catch (error) {
        const { message, nodes } = error as GraphQLError;
        const extensions = { code: 'OPERATION_TOO_COSTLY', http: { status: 400 } };
        throw new GraphQLError(message, { nodes, extensions });
      }
    },
  };
}

/** `query customers`: one of as many as the schema has root fields, whatever a client calls it. */
function nameOfOperation({ operation, selectionSet }: OperationDefinitionNode): string {
  const [first, ...others] = selectionSet.selections;
  const isPlain = first?.kind === Kind.FIELD && others.length === 0;
  return `${operation} ${isPlain ? first.name.value : 'several'}`;
}

/**
 * GraphQL over HTTP, section 6.4: with `application/json` a well-formed request is 200, also where its document is
 * refused, for anything on the way may answer with that type; with `application/graphql-response+json` it is 400.
 */
export function settleStatus({ errors, request }: GraphQLRequestContextDidEncounterErrors<Context>) {
  if (request.http?.headers.get('accept')?.includes('application/graphql-response+json')) return;
  for (const { extensions } of errors) {
    if (refusedDocument.has(String(extensions['code']))) extensions['http'] = { status: 200 };
  }
}

/** A subscription needs a connection that stays open; over plain HTTP it would be answered once, with nothing. */
export function NoSubscriptionRule(context: ValidationContext): ASTVisitor {
  return {
    [Kind.OPERATION_DEFINITION]: (node) => {
      if (node.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const message =
        'Subscribe over a WebSocket at /graphql, or over server-sent events at /graphql/stream.';
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}
