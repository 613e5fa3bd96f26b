import { OperationTypeNode, type ExecutionResult } from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { Context } from '../context.ts';

/** A function that graphql-jit has compiled from an operation. */
export type Compiled = CompiledQuery<Record<string, unknown>, Record<string, unknown>>;

type Result = ExecutionResult<Record<string, unknown>>;

/**
 * Executes a compiled operation. Resolves to undefined if a query fails with several errors or variables are invalid;
 * graphql-js must then execute the operation, because graphql-jit may return several errors in a different order. A
 * mutation is never executed twice: only mutations with a fixed order of errors are compiled.
 */
export function executeCompiled(
  compiled: Compiled,
  kind: OperationTypeNode,
  context: Context,
  variables: Record<string, unknown>,
): MaybePromise<Result | undefined> {
  const isQuery = kind === OperationTypeNode.QUERY;
  // A repeated query must not reuse the loaders and counters of the first execution.
  const own = isQuery ? context.renew() : context;
  return mapMaybe(compiled.query(undefined, own, variables), (result: Result) => {
    if (!result.errors) return result;
    // Without data no field was executed: the variables were invalid.
    if (result.data === undefined) return undefined;
    return isQuery && mayDiffer(result) ? undefined : result;
  });
}

/** Of several errors graphql-jit reports one alone if they leave no data. */
const mayDiffer = ({ data, errors }: Result): boolean => errors!.length > 1 || data === null;
