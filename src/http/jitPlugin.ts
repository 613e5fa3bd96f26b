import { HeaderMap, type GraphQLRequestListener, type GraphQLResponse } from '@apollo/server';
import {
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { mapMaybe } from '../lib/maybePromise.ts';
import { createCompiledOperations } from '../graphql/jit/compiler.ts';
import { Context } from '../graphql/context.ts';
import { formatFailure } from '../graphql/errors.ts';
import { createIntrospection } from '../graphql/introspection.ts';

/**
 * Answers operations that come again by compiled functions. Where a query ends in an error it answers nothing, and
 * Apollo performs it as ever: an error is told in one way alone. A mutation is performed once; its errors are told to
 * `tellErrors`, as Apollo would have told them.
 */
export function compiledQueries(
  schema: GraphQLSchema,
  tellErrors: (errors: readonly GraphQLError[]) => void,
): GraphQLRequestListener<Context> {
  const getCompiled = createCompiledOperations(schema);
  const introspect = createIntrospection(schema);
  return {
    responseForOperation: ({ document, operation, operationName, request, contextValue }) => {
      // A request may name an operation that the document does not hold.
      const kind = (operation as OperationDefinitionNode | undefined)?.operation;
      if (!kind) return none;
      const told = introspect(document, operation);
      if (told) return Promise.resolve(toResponse({ data: told }));
      const isQuery = kind === OperationTypeNode.QUERY;
      const variables = request.variables ?? {};
      const compiled = getCompiled(document, operationName, variables);
      if (!compiled) return none;
      // Of a context of its own: what Apollo asks again must not find what was counted and loaded before.
      const context = isQuery ? new Context(contextValue.tenant, contextValue.publicUrl) : contextValue;
      const response = mapMaybe(compiled.query(undefined, context, variables), (result) => {
        if (!result.errors) return toResponse({ data: result.data });
        // Variables that are refused leave no data: nothing has been performed.
        if (isQuery || result.data === undefined) return null;
        tellErrors(result.errors);
        return toResponse(result);
      });
      return Promise.resolve(response);
    },
  };
}

const none = Promise.resolve(null);

// Apollo reads it, and writes another.
const http = { status: undefined, headers: new HeaderMap() };

function toResponse({ data, errors }: ExecutionResult<Record<string, unknown>>): GraphQLResponse<any> {
  const formatted = errors?.map((error) => formatFailure(error.toJSON(), error));
  return {
    http,
    body: { kind: 'single', singleResult: { data, errors: formatted } },
  };
}
