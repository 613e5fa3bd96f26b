import { OperationTypeNode, type ExecutionResult } from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { Context } from '../context.ts';

/** An operation that graphql-jit has compiled to a function. */
export type Compiled = CompiledQuery<Record<string, unknown>, Record<string, unknown>>;

type Result = ExecutionResult<Record<string, unknown>>;

/**
 * Executes a compiled operation. graphql-jit may report several errors in another order than graphql-js, so this resolves
 * to undefined where a query failed, and graphql-js executes it again; the same for variables that are refused. A mutation
 * is executed once: only those where the order of errors is certain are compiled.
 */
export function executeCompiled(
  compiled: Compiled,
  kind: OperationTypeNode,
  context: Context,
  variables: Record<string, unknown>,
): MaybePromise<Result | undefined> {
  const isQuery = kind === OperationTypeNode.QUERY;
  // A query that is executed again must not find the loaders and counts of its first execution.
  const own = isQuery ? new Context(context.tenant, context.publicUrl) : context;
  return mapMaybe(compiled.query(undefined, own, variables), (result: Result) => {
    if (!result.errors) return result;
    // Without data no field was executed: variables were refused.
    return isQuery || result.data === undefined ? undefined : result;
  });
}
