import {
  getNamedType,
  getOperationAST,
  isInputObjectType,
  separateOperations,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { hasListForObject, isFaithful } from './compatibility.ts';
import { findSpecializingVariables, specializationKey, settle, withoutLeftOut } from './specialize.ts';

/** An operation made into a function of its own by graphql-jit: several times as fast as walking its document. */
type Compiled = CompiledQuery<Record<string, unknown>, Record<string, unknown>>;

type Variables = Readonly<Record<string, unknown>>;

// Compiling costs as much as some dozen executions: a document that comes once is not worth it.
const timesBeforeCompiling = 2;
// Each is a function of its own; what comes in more is left to graphql-js.
const mostForms = 8;

/**
 * Compiles an operation of a document in each form that its variables give it, when it is asked for first. Answers
 * undefined for what graphql-jit does not do as graphql-js does.
 */
export function compiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): (variables: Variables) => Compiled | undefined {
  const operation = getOperationAST(document, operationName)!;
  const deciding = findSpecializingVariables(document, operation);
  const objects = listInputObjects(schema, operation);
  const forms = new Map<string, Compiled | undefined>();

  const compile = (variables: Variables): Compiled | undefined => {
    const settled = settle(document, deciding, variables);
    const alone = separateOperations(settled)[operation.name?.value ?? '']!;
    if (!isFaithful(schema, alone, getOperationAST(alone)!)) return undefined;
    const compiled = compileQuery(schema, withoutLeftOut(alone, deciding, variables));
    return isCompiledQuery(compiled) ? compiled : undefined;
  };
  return (variables) => {
    if (objects.some(({ name, type }) => hasListForObject(type, variables[name]))) return undefined;
    const form = specializationKey(deciding, variables);
    if (form === undefined) return undefined;
    if (!forms.has(form) && forms.size < mostForms) forms.set(form, compile(variables));
    return forms.get(form);
  };
}

/** The variables with objects within. */
function listInputObjects(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) {
  return variableDefinitions
    .map(({ variable, type }) => ({
      name: variable.name.value,
      type: typeFromAST(schema, type as never) as GraphQLInputType,
    }))
    .filter(({ type }) => isInputObjectType(getNamedType(type)));
}

interface Seen {
  times: number;
  compiled?: ReturnType<typeof compiler>;
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
    variables: Variables,
  ): Compiled | undefined => {
    const operations = known.get(document) ?? new Map<string, Seen>();
    known.set(document, operations);
    const name = operationName ?? '';
    const seen: Seen = operations.get(name) ?? { times: 0 };
    operations.set(name, seen);
    if (++seen.times <= timesBeforeCompiling) return undefined;
    seen.compiled ??= compiler(schema, document, operationName);
    return seen.compiled(variables);
  };
}
