import {
  execute,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { refuse } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Context } from './context.ts';
import { compileOperation, compileRepeatedOperation, type FindCompiled } from './jit/compiler.ts';
import { executeCompiled } from './jit/execute.ts';
import { createCostPlanner, type Cost } from './rules/cost.ts';
import { createOpennessCheck, type CheckOpenness } from './rules/openFields.ts';
import { listInputs, refuseWrongInputs } from './rules/inputSizes.ts';
import { documentRules, findTextProblem, tokenLimit, validationOptions } from './rules/validationRules.ts';

type Variables = Record<string, unknown>;
type Result = ExecutionResult<Record<string, unknown>>;

/** The limits of clients' operations, which are the same for HTTP, live connections and stored queries. */
interface OperationLimits {
  /** Whether clients may query the schema. */
  introspection: boolean;
  /** Whether repeated operations are compiled. */
  jit: boolean;
  /** The highest cost of one operation. */
  maxCost: number;
}

/** One operation of a valid document, ready to be executed with any variables. */
export interface Operation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** Refuses variables of wrong types and lists that are too long. Error: `validation_failed`. */
  checkVariables(variables: Variables): void;
  /** Executes the operation, compiled if possible. The order of several errors is undefined. */
  execute(context: Context, variables: Variables, root?: unknown): MaybePromise<Result>;
}

/** An operation of a client's document. */
export interface ClientOperation extends Operation {
  /** Computes the cost. Throws a GraphQLError with `extensions.cost` if it exceeds the limit, a lower one for browsers. */
  checkCost(variables: Variables, isOfBrowser?: boolean): Cost;
  checkOpenness: CheckOpenness;
  /** Executes the compiled operation. Resolves to undefined, without changes, if graphql-js must execute it. */
  executeCompiled(context: Context, variables: Variables): MaybePromise<Result | undefined>;
}

/** Parses and validates clients' documents. */
export interface Operations {
  /** Parses and validates a document. Errors: a GraphQLError, and `validation_failed` for too many lines. */
  parse(text: string): DocumentNode;
  /** Returns the operation of a valid document; undefined if it has no single operation of that name. */
  find(document: DocumentNode, operationName?: string): ClientOperation | undefined;
  /** Parses and validates a document, and returns its operation, as `parse` and `find` do. */
  read(text: string, operationName?: string): ClientOperation | undefined;
  /** Returns the operation of a document that Apollo has parsed and validated with `apolloOptions`. */
  prepare(document: DocumentNode, definition: OperationDefinitionNode): ClientOperation;
  /** Options for Apollo, which parses and validates documents itself with the rules of the specification. */
  apolloOptions: {
    introspection: boolean;
    parseOptions: typeof parseOptions;
    validationOptions: typeof validationOptions;
    validationRules: typeof documentRules;
  };
}

const parseOptions = { maxTokens: tokenLimit };

/** When an operation is compiled: at its first execution, when it repeats, or never. */
type Compilation = 'first' | 'repeated' | 'never';

const compilers: Record<Compilation, typeof compileOperation> = {
  first: compileOperation,
  repeated: compileRepeatedOperation,
  never: () => () => undefined,
};

/** Prepares an operation of the server's own documents, which have no limits. */
export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  jit: boolean,
): Operation {
  const findCompiled = compilers[jit ? 'first' : 'never'](schema, document, definition);
  return buildOperation(schema, document, definition, findCompiled);
}

/**
 * Creates the preparation of clients' operations on a schema. Each operation is prepared once while its document is
 * cached.
 */
export function createOperations(
  schema: GraphQLSchema,
  { introspection, jit, maxCost }: OperationLimits,
): Operations {
  const planCost = createCostPlanner(schema, maxCost);
  const introspectionRules = introspection ? [] : [NoSchemaIntrospectionCustomRule];
  const rules = [...specifiedRules, ...documentRules, ...introspectionRules];
  const prepared = new WeakMap<OperationDefinitionNode, ClientOperation>();

  const prepare = (document: DocumentNode, definition: OperationDefinitionNode): ClientOperation => {
    const known = prepared.get(definition);
    if (known) return known;
    const findCompiled = compilers[jit ? 'repeated' : 'never'](schema, document, definition);
    const operation: ClientOperation = {
      ...buildOperation(schema, document, definition, findCompiled),
      checkCost: planCost(document, definition),
      checkOpenness: createOpennessCheck(schema, document, definition),
      executeCompiled: (context, variables) => {
        const compiled = findCompiled(variables);
        return compiled && executeCompiled(compiled, definition.operation, context, variables);
      },
    };
    prepared.set(definition, operation);
    return operation;
  };

  const parseValid = (text: string): DocumentNode => {
    const message = findTextProblem(text);
    if (message) refuse('validation_failed', { path: 'query', message });
    const document = parse(text, parseOptions);
    const [problem] = validate(schema, document, rules, validationOptions);
    if (problem) throw problem;
    return document;
  };

  const find = (document: DocumentNode, operationName?: string) => {
    const definition = getOperationAST(document, operationName);
    return definition ? prepare(document, definition) : undefined;
  };

  return {
    parse: parseValid,
    find,
    read: (text, operationName) => find(parseValid(text), operationName),
    prepare,
    apolloOptions: { introspection, parseOptions, validationOptions, validationRules: documentRules },
  };
}

function buildOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  findCompiled: FindCompiled,
): Operation {
  const inputs = listInputs(schema, definition);
  const operationName = definition.name?.value;
  return {
    document,
    definition,
    checkVariables: (variables) => refuseWrongInputs(inputs, variables),
    execute: (contextValue, variableValues, rootValue) =>
      findCompiled(variableValues)?.query(rootValue, contextValue, variableValues) ??
      execute({
        schema,
        document,
        operationName,
        rootValue,
        contextValue,
        variableValues,
        hideSuggestions: true,
      }),
  };
}
