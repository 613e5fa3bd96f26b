import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';

/** An operation made into a function of its own by graphql-jit: several times as fast as walking its document. */
type Compiled = CompiledQuery<Record<string, unknown>, Record<string, unknown>>;

// Compiling costs as much as some dozen executions: a document that comes once is not worth it.
const timesBeforeCompiling = 2;

interface Seen {
  times: number;
  /** Null where graphql-jit cannot compile it. */
  compiled?: Compiled | null;
}

/**
 * Compiles a query of a document. Answers undefined for what graphql-jit does not do as graphql-js does: mutations,
 * and variables inside of objects and lists, which it fills with null where they were left out.
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
): Compiled | undefined {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY || hasVariablesWithin(document)) return undefined;
  const compiled = compileQuery(schema, document, operationName);
  return isCompiledQuery(compiled) ? compiled : undefined;
}

function hasVariablesWithin(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Variable: (_, __, parent) => {
      // An element of a list is told by its parent being an array of values.
      const isWithin = Array.isArray(parent) || (parent as ASTNode | undefined)?.kind === Kind.OBJECT_FIELD;
      found ||= isWithin;
    },
  });
  return found;
}

/**
 * Compiled operations by document: those that have come more than twice. They live as long as Apollo keeps the parsed
 * document, whose store is bounded.
 */
export function createCompiledOperations(schema: GraphQLSchema) {
  const seen = new WeakMap<DocumentNode, Map<string, Seen>>();
  return (document: DocumentNode, operationName: string | null): Compiled | undefined => {
    const operations = seen.get(document) ?? new Map<string, Seen>();
    seen.set(document, operations);
    const operation = operations.get(operationName ?? '') ?? { times: 0 };
    operations.set(operationName ?? '', operation);
    if (++operation.times <= timesBeforeCompiling) return undefined;
    operation.compiled ??= compile(schema, document, operationName ?? undefined) ?? null;
    return operation.compiled ?? undefined;
  };
}
