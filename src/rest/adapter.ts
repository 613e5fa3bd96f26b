import {
  coerceInputValue,
  execute,
  getNamedType,
  isEnumType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
  validate,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type ObjectFieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { BillingError, refuse, type Issue } from '../errors.ts';
import { compile } from '../graphql/compiled.ts';
import type { Context } from '../graphql/context.ts';
import { readable, toBillingError } from '../graphql/failures.ts';
import type { Route } from './routes.ts';

/** The fields of a request, as they came: text from the path and the query, JSON from the body. */
export interface Fields {
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  body: Record<string, unknown>;
}

/** A route that is ready to answer. */
export interface CompiledRoute extends Route {
  status: number;
  /** The JSON value of the answer; throws a BillingError whose issues name the fields of the request. */
  answer(context: Context, fields: Fields): Promise<unknown>;
}

interface Variable {
  name: string;
  type: GraphQLInputType;
}

/** Checks a route's document against the schema (an Error at start when it does not fit) and makes it ready. */
export function compileRoute(schema: GraphQLSchema, route: Route): CompiledRoute {
  const document = parse(route.document);
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`${route.method} ${route.path}: ${problem.message}`);
  const variables = variablesOf(schema, document);
  const fieldOf = fieldsByArgument(document);
  const perform = performer(schema, document);
  const rootField = (operationOf(document).selectionSet.selections[0] as FieldNode).name.value;
  const inPath = new Set(Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => name!));
  const takesBody = route.method === 'POST' || route.method === 'PATCH';

  const answer = async (context: Context, fields: Fields) => {
    const given = takesBody ? fields.body : fields.query;
    refuseUnknown(given, variables, inPath);
    const values = {
      ...(takesBody ? namedEnums(given, variables) : fromQuery(fields.query, variables)),
      ...fields.path,
    };
    const { data, errors } = await perform(context, values);
    if (errors) {
      refuseWrongTypes(variables, values);
      throw renamed(toBillingError(errors[0]), fieldOf);
    }
    const value = data![rootField];
    return route.shape ? route.shape(value) : value;
  };
  return { ...route, status: route.method === 'POST' ? 201 : 200, answer };
}

type Perform = (
  context: Context,
  values: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>;

/** Reads are compiled; for writes graphql-js itself will do, since they wait for the disk anyway. */
function performer(schema: GraphQLSchema, document: DocumentNode): Perform {
  // With its first request: compiled at once, all routes together would be a third of the time that a start takes.
  let compiled: ReturnType<typeof compile> | null;
  return (context, values) => {
    if (compiled === undefined) compiled = compile(schema, document) ?? null;
    if (compiled) return compiled.query(undefined, context, values);
    return execute({ schema, document, variableValues: values, contextValue: context });
  };
}

/** The one operation of a route's document. */
export const operationOf = (document: DocumentNode) => document.definitions[0] as OperationDefinitionNode;

/** The variables of a route's document with their types. */
export function variablesOf(schema: GraphQLSchema, document: DocumentNode): Map<string, Variable> {
  const definitions = operationOf(document).variableDefinitions ?? [];
  return new Map(
    definitions.map(({ variable, type }) => {
      const name = variable.name.value;
      return [name, { name, type: typeFromAST(schema, type as never) as GraphQLInputType }];
    }),
  );
}

/** Which field of the request fills which argument: a rule speaks of `first`, the client knows it as `limit`. */
function fieldsByArgument(document: DocumentNode): Map<string, string> {
  const fields = new Map<string, string>();
  const note = ({ name, value }: ArgumentNode | ObjectFieldNode) => {
    if (value.kind === Kind.VARIABLE) fields.set(name.value, value.name.value);
  };
  visit(document, { Argument: note, ObjectField: note });
  return fields;
}

function renamed(error: BillingError, fieldOf: Map<string, string>): BillingError {
  if (error.issues.length === 0) return error;
  const issues = error.issues.map(({ path, message }) => {
    const [first, ...rest] = path.split('.');
    return { path: [fieldOf.get(first!) ?? first, ...rest].join('.'), message };
  });
  return new BillingError(error.reason, issues, error.retryAfterSeconds);
}

function refuseUnknown(given: object, variables: Map<string, Variable>, inPath: Set<string>): void {
  const unknown = Object.keys(given).filter((name) => inPath.has(name) || !variables.has(name));
  if (unknown.length === 0) return;
  refuse(
    'validation_failed',
    ...unknown.map((path) => ({ path, message: 'is not a field of this request' })),
  );
}

/** Query parameters are text: numbers and booleans are read by the type of their variable. */
function fromQuery(query: Fields['query'], variables: Map<string, Variable>): Record<string, unknown> {
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
  if (repeated.length) {
    refuse('validation_failed', ...repeated.map((path) => ({ path, message: 'must be given once' })));
  }
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(query as Record<string, string>)) {
    values[name] = readText(text, getNamedType(variables.get(name)!.type).name);
  }
  return namedEnums(values, variables);
}

const decimal = /^-?\d+(\.\d+)?$/;

function readText(text: string, typeName: string): unknown {
  if (typeName === 'Int' || typeName === 'Float') return decimal.test(text) ? Number(text) : text;
  if (typeName === 'Boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** The interface writes `asc` where GraphQL's enum has `ASC`. */
function namedEnums(
  values: Record<string, unknown>,
  variables: Map<string, Variable>,
): Record<string, unknown> {
  const named = { ...values };
  for (const [name, value] of Object.entries(values)) {
    const type = getNamedType(variables.get(name)!.type);
    if (typeof value !== 'string' || !isEnumType(type)) continue;
    const match = type.getValues().find((each) => each.name.toLowerCase() === value);
    if (match) named[name] = match.name;
  }
  return named;
}

/** Names every field whose type is wrong, where GraphQL's own answer names the first alone. */
function refuseWrongTypes(variables: Map<string, Variable>, values: Record<string, unknown>): void {
  const issues: Issue[] = [];
  for (const { name, type } of variables.values()) {
    const value = values[name];
    if (value === undefined) {
      if (isNonNullType(type)) issues.push({ path: name, message: 'is required' });
      continue;
    }
    coerceInputValue(value, type, (path, _, { message }) => {
      issues.push({
        path: [name, ...path].join('.'),
        message: value === null ? 'must not be null' : readable(message),
      });
    });
  }
  if (issues.length) refuse('validation_failed', ...issues);
}
