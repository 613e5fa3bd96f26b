import { GraphQLError, OperationTypeNode } from 'graphql';
import { BillingError } from '../lib/errors.ts';
import { computeBytesLeft } from '../lib/readBudget.ts';
import type { Context } from './context.ts';
import { formatFailure, shortenMessage } from './errors.ts';
import type { ClientOperation, Operations } from './operation.ts';
import { findTextProblem } from './rules/validationRules.ts';

/** Queries that are stored as text and executed later with their own root value. */
interface StoredQueries {
  /** Returns the problem with a document, or undefined if it is valid. */
  findProblem(text: string): string | undefined;
  /** Executes a document. Returns its data and its errors, formatted as for clients. */
  run(text: string, root: unknown, context: Context): Promise<{ data: unknown; errors?: unknown }>;
}

const mostKnown = 500;

/**
 * Creates stored queries on a schema. A document contains one query without variables and has the limits of
 * clients' operations. It is parsed and validated once.
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
      // The query was valid when it was stored, but the schema may have changed.
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

/** Returns the query of a document, or its problem. */
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
