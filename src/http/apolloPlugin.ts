import {
  HeaderMap,
  type GraphQLRequestContextDidEncounterErrors,
  type GraphQLRequestContextWillSendResponse,
  type GraphQLRequestListener,
  type GraphQLResponse,
} from '@apollo/server';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ASTVisitor,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationContext,
} from 'graphql';
import { BillingError } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import type { Cost } from '../graphql/rules/cost.ts';
import { formatFailure, refuseAt } from '../graphql/errors.ts';
import { createIntrospection } from '../graphql/introspection.ts';
import type { PortalPart } from '../storage/model/common.ts';
import type { Operations } from '../graphql/operation.ts';
import { refuseHiddenParts } from '../tenants/portalSettings.ts';
import { getRetryHeaders } from './retryHeaders.ts';
import { reservePoints } from '../lib/pointBudget.ts';
import { computeBytesLeft } from '../lib/readBudget.ts';
import { yieldTurns } from '../runtime/yield.ts';

/** Counting and writing a response of more bytes take several milliseconds each. */
const largeBytes = 256 * 1024;

const refusedDocument = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_TOO_COSTLY',
]);

/**
 * Returns the Apollo listener that checks each operation before execution and executes compiled operations. Apollo
 * does not see the errors of a compiled mutation, so they are passed to `logErrors`. Introspection shows `published`.
 */
export function executeOperations(
  published: GraphQLSchema,
  operations: Operations,
  logErrors: (errors: readonly GraphQLError[]) => void,
): GraphQLRequestListener<Context> {
  const introspect = createIntrospection(published);
  return {
    didResolveOperation: async ({ document, operation, request, contextValue }) => {
      // The request can name an operation that the document does not contain.
      if (!operation) return;
      const info = contextValue.operation;
      info.name = nameOperation(operation);
      info.kind = operation.operation;
      const prepared = operations.prepare(document, operation);
      const { audience } = contextValue;
      if (audience) refuseHidden(contextValue, operation, prepared.checkOpenness(audience));
      const variables = request.variables ?? {};
      try {
        prepared.checkVariables(variables);
      } catch (error) {
        throw refuseVariables(operation, error as Error);
      }
      try {
        info.cost = prepared.checkCost(variables, audience !== undefined);
      } catch (error) {
        const { message, nodes, originalError, extensions: details } = error as GraphQLError;
        info.cost = details['cost'] as Cost;
        const extensions = { code: 'OPERATION_TOO_COSTLY', http: { status: 400 } };
        throw new GraphQLError(message, { nodes, originalError, extensions });
      }
      reserveCost(contextValue, operation, info.cost.requested);
    },
    responseForOperation: async ({ document, operation, request, contextValue }) => {
      if (!(operation as OperationDefinitionNode | undefined)) return null;
      const introspected = introspect(document, operation);
      if (introspected) return toResponse({ data: introspected });
      const result = await operations
        .prepare(document, operation)
        .executeCompiled(contextValue, request.variables ?? {});
      if (!result) return null;
      if (result.errors) logErrors(result.errors);
      return toResponse(result);
    },
  };
}

/** Takes the requested cost from the budget of the caller, so that operations at the same time share it. */
function reserveCost(
  { budget, operation: info }: Context,
  operation: OperationDefinitionNode,
  requested: number,
): void {
  if (!budget) return;
  try {
    reservePoints(budget, requested);
  } catch (error) {
    const originalError = error as BillingError;
    const headers = new HeaderMap(Object.entries(getRetryHeaders(originalError)!));
    throw new GraphQLError(originalError.message, {
      nodes: operation,
      originalError,
      extensions: { http: { status: originalError.status, headers } },
    });
  }
  info.reservedPoints = requested;
}

/** Refuses customers the parts of the portal that the tenant has switched off. */
function refuseHidden(
  { tenant }: Context,
  operation: OperationDefinitionNode,
  parts: readonly PortalPart[],
): void {
  try {
    refuseHiddenParts(tenant.record, parts);
  } catch (error) {
    throw refuseAt(operation, error as BillingError);
  }
}

/** Builds the error that graphql-js returns for invalid variables. */
function refuseVariables(
  { variableDefinitions }: OperationDefinitionNode,
  originalError: Error,
): GraphQLError {
  return new GraphQLError(originalError.message, {
    nodes: variableDefinitions?.[0],
    originalError,
    extensions: { http: { status: 400 } },
  });
}

// Apollo only reads it.
const defaultHttp = { status: undefined, headers: new HeaderMap() };

function toResponse({ data, errors }: ExecutionResult<Record<string, unknown>>): GraphQLResponse<any> {
  const formatted = errors?.map((error) => formatFailure(error.toJSON(), error));
  return { http: defaultHttp, body: { kind: 'single', singleResult: { data, errors: formatted } } };
}

/**
 * Names an operation for logs and metrics: `query customers`. The name contains root fields of the schema only,
 * never text of the client, so the number of names is bounded.
 */
function nameOperation({ operation, selectionSet }: OperationDefinitionNode): string {
  const [first, ...others] = selectionSet.selections;
  const isPlain = first?.kind === Kind.FIELD && others.length === 0;
  return `${operation} ${isPlain ? first.name.value : 'several'}`;
}

/**
 * Sets the HTTP status of an invalid document by the GraphQL over HTTP specification: 200 with `application/json`,
 * because a proxy can also respond with that type; 400 with `application/graphql-response+json`.
 */
export function setStatus({ errors, request }: GraphQLRequestContextDidEncounterErrors<Context>) {
  if (request.http?.headers.get('accept')?.includes('application/graphql-response+json')) return;
  for (const { extensions } of errors) {
    if (refusedDocument.has(String(extensions['code']))) extensions['http'] = { status: 200 };
  }
}

/** Refuses subscriptions over plain HTTP, which need a connection that stays open. */
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
 * Replaces a response that exceeds `maxResponseBytes` with `result_too_large`, and adds the cost to `extensions` if
 * the request asked for it. A query with a value that was too large to read fails as a whole. A mutation keeps its
 * data if the data can be sent. Yields to other requests before a large response is written.
 */
export async function finishResponse(
  { response, contextValue, operation }: GraphQLRequestContextWillSendResponse<Context>,
  maxResponseBytes: number,
): Promise<void> {
  const { body, http } = response;
  if (body.kind !== 'single') return;
  const { data, errors } = body.singleResult;
  const isUnread =
    operation?.operation === OperationTypeNode.QUERY &&
    errors?.some(({ extensions }) => extensions?.['reason'] === 'result_too_large');
  const bytesLeft = data ? computeBytesLeft(data, maxResponseBytes) : maxResponseBytes;
  if (isUnread || bytesLeft < 0) {
    const error = new BillingError('result_too_large');
    body.singleResult = { errors: [formatFailure({ message: error.message }, error)] };
    http.status = error.status;
  }
  const cost = chargeCost(contextValue, body.singleResult);
  if (cost) body.singleResult.extensions = { ...body.singleResult.extensions, cost };
  if (maxResponseBytes - bytesLeft > largeBytes) await yieldTurns(1);
}

/**
 * Gives back what an operation reserved and did not use. Returns the cost to report, if the request asked for it or the budget
 * was too small.
 */
function chargeCost(
  { budget, operation: { cost, reportsCost, reservedPoints } }: Context,
  { data, errors }: Pick<ExecutionResult, 'data'> & { errors?: readonly unknown[] },
) {
  if (!cost || !budget) return undefined;
  const { requested, limit } = cost;
  // A refused operation did no work.
  if (reservedPoints === undefined) {
    const isOverBudget = requested <= limit;
    return reportsCost || isOverBudget ? { requested, actual: 0, limit, left: budget.left } : undefined;
  }
  // What fails may have read everything before.
  const actual = errors ? requested : cost.computeActualCost(data);
  if (actual < reservedPoints) budget.giveBack(reservedPoints - actual);
  return reportsCost ? { requested, actual, limit, left: budget.left } : undefined;
}
