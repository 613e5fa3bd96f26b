import { getOperationAST, separateOperations, type DocumentNode, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { conditionsOf, decide, settle, type Conditions } from './conditions.ts';
import { isFaithful } from './faithful.ts';

/** An operation made into a function of its own by graphql-jit: several times as fast as walking its document. */
type Compiled = CompiledQuery<Record<string, unknown>, Record<string, unknown>>;

// Compiling costs as much as some dozen executions: a document that comes once is not worth it.
const timesBeforeCompiling = 2;
// Each doubles the functions of an operation.
const mostConditions = 3;

interface Seen {
  times: number;
  conditions?: Conditions;
  /** By what its conditions are. Null where it is left to graphql-js. */
  compiled: Map<string, Compiled | null>;
}

/** Compiles an operation of a document. Answers undefined for what graphql-jit does not do as graphql-js does. */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
): Compiled | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const alone = separateOperations(document)[operation.name?.value ?? '']!;
  if (!isFaithful(schema, alone, operation)) return undefined;
  const compiled = compileQuery(schema, alone, operationName);
  return isCompiledQuery(compiled) ? compiled : undefined;
}

/**
 * Compiled operations by document: those that have come more than twice. They live as long as Apollo keeps the parsed
 * document, whose store is bounded.
 */
export function createCompiledOperations(schema: GraphQLSchema) {
  const known = new WeakMap<DocumentNode, Map<string, Seen>>();
  return (
    document: DocumentNode,
    operationName: string | null,
    variables: Readonly<Record<string, unknown>>,
  ): Compiled | undefined => {
    const operations = known.get(document) ?? new Map<string, Seen>();
    known.set(document, operations);
    const name = operationName ?? '';
    const seen: Seen = operations.get(name) ?? { times: 0, compiled: new Map() };
    operations.set(name, seen);
    if (++seen.times <= timesBeforeCompiling) return undefined;
    seen.conditions ??= conditionsOf(document, getOperationAST(document, operationName)!);
    const decisions = seen.conditions.size <= mostConditions && decide(seen.conditions, variables);
    if (!decisions) return undefined;
    const key = [...decisions.values()].join();
    const made = seen.compiled.get(key);
    if (made !== undefined) return made ?? undefined;
    const compiled = compile(schema, settle(document, decisions), operationName ?? undefined);
    seen.compiled.set(key, compiled ?? null);
    return compiled;
  };
}
