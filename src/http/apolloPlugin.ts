import type {
  GraphQLRequestContextDidEncounterErrors,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ASTVisitor,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationContext,
} from 'graphql';
import { BillingError } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import type { Cost, RefuseCostly } from '../graphql/rules/cost.ts';
import { formatFailure } from '../graphql/errors.ts';
import { inputsOf, refuseWrongInputs } from '../graphql/rules/inputSizes.ts';
import { leftAfter } from '../lib/readBudget.ts';

const refusedDocument = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_TOO_COSTLY',
]);

/** Holds each operation to the sizes of its inputs and to its cost. */
export function guardOperations(
  schema: GraphQLSchema,
  refuseCostly: RefuseCostly,
): GraphQLRequestListener<Context> {
  return {
    didResolveOperation: async ({ document, operation, request, contextValue }) => {
      if (!operation) return;
      contextValue.asked.operation = nameOfOperation(operation);
      refuseInputs(schema, operation, request.variables ?? {});
      const { asked } = contextValue;
      try {
        asked.cost = refuseCostly(document, operation, request.variables);
      } catch (error) {
        const { message, nodes, extensions: told } = error as GraphQLError;
        asked.cost = told['cost'] as Cost;
        const extensions = { code: 'OPERATION_TOO_COSTLY', http: { status: 400 } };
        throw new GraphQLError(message, { nodes, extensions });
      }
    },
  };
}

/** Refuses variables before they are coerced, in the way that GraphQL refuses them. */
function refuseInputs(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
) {
  try {
    refuseWrongInputs(inputsOf(schema, operation), variables);
  } catch (originalError) {
    const { message } = originalError as Error;
    const extensions = { http: { status: 400 } };
    throw new GraphQLError(message, {
      nodes: operation.variableDefinitions?.[0],
      originalError: originalError as Error,
      extensions,
    });
  }
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

/**
 * Refuses an answer that is too large before it is written, and tells its cost where that is asked for. Where a part of
 * a query was too large to be read all of it is refused; a mutation tells what it has done, as long as that can be sent.
 */
export function settleAnswer(
  { response, contextValue, operation }: GraphQLRequestContextWillSendResponse<Context>,
  maxResponseBytes: number,
): void {
  const { body, http } = response;
  if (body.kind !== 'single') return;
  const { data, errors } = body.singleResult;
  const isUnread =
    operation?.operation === OperationTypeNode.QUERY &&
    errors?.some(({ extensions }) => extensions?.['reason'] === 'result_too_large');
  if (isUnread || (data && leftAfter(data, maxResponseBytes) < 0)) {
    const error = new BillingError('result_too_large');
    body.singleResult = { errors: [formatFailure({ message: error.message }, error)] };
    http.status = error.status;
  }
  const { cost, tellsCost } = contextValue.asked;
  if (!tellsCost || !cost) return;
  const { requested, limit } = cost;
  // An operation that was refused has no data, and did no work.
  const told = { cost: { requested, actual: data ? cost.actualOf(data) : 0, limit } };
  body.singleResult.extensions = { ...body.singleResult.extensions, ...told };
}
