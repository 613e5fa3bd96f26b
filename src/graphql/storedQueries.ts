import { GraphQLError, OperationTypeNode } from 'graphql';
import { BillingError } from '../lib/errors.ts';
import { computeBytesLeft } from '../lib/readBudget.ts';
import type { Context } from './context.ts';
import { formatFailure, shortenMessage } from './errors.ts';
import type { ClientOperation, Operations } from './operation.ts';
import { findTextProblem } from './rules/validationRules.ts';

/** Queries that are stored as text, and executed later on a root of their own. */
interface StoredQueries {
  /** What is wrong with a document; undefined where it can be run. */
  findProblem(text: string): string | undefined;
  /** The answer to a document, its errors as clients see them. */
  run(text: string, root: unknown, context: Context): Promise<{ data: unknown; errors?: unknown }>;
}

const mostKnown = 500;

/**
 * Documents on the root of a schema: one query each, without variables, held to the same limits as any other. A
 * document is read and checked once.
 */
export function createStoredQueries(operations: Operations, maxResponseBytes: number): StoredQueries {
  const known = new Map<string, ClientOperation | string>();

  const read = (text: string): ClientOperation | string => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = readQuery(operations, text);
    if (known.size === mostKnown) known.clear();
    known.set(text, made);
    return made;
  };

  return {
    findProblem: (text) => {
      const query = read(text);
      return typeof query === 'string' ? query : undefined;
    },
    run: async (text, root, context) => {
      const query = read(text);
      // It was good when it was saved, but the schema may be another since.
      if (typeof query === 'string') return { data: null, errors: [{ message: query }] };
      const { data, errors } = await query.execute(context, {}, root);
      if (computeBytesLeft(data, maxResponseBytes) < 0) {
        const error = new BillingError('result_too_large');
        return { data: null, errors: [formatFailure({ message: error.message }, error)] };
      }
      return errors
        ? { data, errors: errors.map((error) => formatFailure(error.toJSON(), error)) }
        : { data };
    },
  };
}

/** The query of a document, or what is wrong with it. */
function readQuery(operations: Operations, text: string): ClientOperation | string {
  const problem = findTextProblem(text);
  if (problem) return problem;
  try {
    const query = operations.read(text);
    if (query?.definition.operation !== OperationTypeNode.QUERY) return 'must hold one query';
    if (query.definition.variableDefinitions?.length) return 'must not have variables';
    query.checkCost({});
    return query;
  } catch (error) {
    if (error instanceof GraphQLError) return shortenMessage(error.message);
    throw error;
  }
}
