import {
  getNamedType,
  isEnumType,
  GraphQLNonNull,
  GraphQLString,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
  validate,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type ObjectFieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, maxIssues, refuse, type Issue } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { prepareOperation, type Operation } from '../graphql/operation.ts';
import { findIssues } from '../graphql/rules/inputSizes.ts';
import { toBillingError } from '../graphql/errors.ts';
import { notAField, rewordError, rewordIssue } from './issues.ts';
import type { ReadBody, Route } from './route.ts';

/** The fields of a request before conversion: text from the path and the query, JSON values from the body. */
export interface Fields extends ReadBody {
  path: Record<string, string>;
  query: Record<string, string | string[]>;
}

/** A route with its success status and executable operation. */
export interface CompiledRoute extends Route {
  status: number;
  /** Returns the JSON value of the response. Throws a BillingError whose issues name fields of the request. */
  execute(context: Context, fields: Fields): MaybePromise<unknown>;
}

interface Variable {
  name: string;
  type: GraphQLInputType;
  /**
   * Converts the text of a query parameter: numbers and booleans by the variable's type, enum values from lower
   * case.
   */
  fromText: (text: string) => unknown;
  /** Converts a value of a body: enum values are lower case in REST (`asc`) and upper case in GraphQL (`ASC`). */
  fromValue: (value: unknown) => unknown;
}

/**
 * Prepares a route. Its document is parsed and compiled with the first request, because compiling all of them would
 * double the start-up time. The OpenAPI document includes all routes, so generating it proves that each fits the
 * schema.
 */
export function compileRoute(schema: GraphQLSchema, route: Route, jit: boolean): CompiledRoute {
  let execute: CompiledRoute['execute'] | undefined;
  return {
    ...route,
    status: getSuccessStatus(route),
    execute: (context, fields) => (execute ??= compileExecution(schema, route, jit))(context, fields),
  };
}

/** Returns the success status of a route. */
export const getSuccessStatus = ({ method }: Route): number => (method === 'POST' ? 201 : 200);

/** Parses a route's document. Throws an Error if it does not fit the schema. */
export function readRoute(schema: GraphQLSchema, route: Route): DocumentNode {
  const document = parse(route.document);
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`${route.method} ${route.path}: ${problem.message}`);
  return document;
}

function compileExecution(schema: GraphQLSchema, route: Route, jit: boolean): CompiledRoute['execute'] {
  const document = readRoute(schema, route);
  const variables = describeFields(schema, route, document);
  const fieldByArgument = mapArguments(document);
  const operation = prepareOperation(schema, document, getOperation(document), jit);
  const rootField = (operation.definition.selectionSet.selections[0] as FieldNode).name.value;
  const inPath = listPathFields(route);
  const takesBody = route.method === 'POST' || route.method === 'PATCH';

  return (context: Context, fields: Fields) => {
    refuseUnknown(takesBody ? fields.body : fields.query, variables, inPath);
    const values = takesBody ? convertBody(fields.body, variables) : convertQuery(fields.query, variables);
    Object.assign(values, fields.path);
    checkVariables(operation, values);
    const alias = values['tenantAlias'];
    const isOwnTenant = alias === context.tenant.alias || (alias === undefined && route.isTenantOptional);
    if (!isOwnTenant) {
      refuseWrongTypes(variables, values);
      refuse('tenant_mismatch');
    }
    return mapMaybe(operation.execute(context, values), ({ data, errors }) => {
      if (errors) {
        refuseWrongTypes(variables, values);
        throw rewordError(toBillingError(errors[0]), fieldByArgument);
      }
      const value = fields.complete ? fields.complete(data![rootField]) : data![rootField];
      if (route.respell) return route.respell(value);
      return route.shape ? route.shape(value) : value;
    });
  };
}

/** Returns the only operation of a route's document. */
export const getOperation = (document: DocumentNode) => document.definitions[0] as OperationDefinitionNode;

/** Returns the fields of a route's requests with their types: those of the path, `tenantAlias`, then the others. */
export function describeFields(
  schema: GraphQLSchema,
  route: Route,
  document: DocumentNode,
): Map<string, Variable> {
  const definitions = getOperation(document).variableDefinitions ?? [];
  const variables = definitions.map(({ variable, type }) =>
    describeVariable(variable.name.value, typeFromAST(schema, type as never) as GraphQLInputType),
  );
  const inPath = listPathFields(route);
  const [ofPath, others] = [true, false].map((is) => variables.filter(({ name }) => inPath.has(name) === is));
  const alias = route.isTenantOptional ? GraphQLString : new GraphQLNonNull(GraphQLString);
  const fields = [...ofPath!, describeVariable('tenantAlias', alias), ...others!];
  return new Map(fields.map((field) => [field.name, field]));
}

/** Returns the names of the fields in the path of a route. */
export const listPathFields = ({ path }: Route): Set<string> =>
  new Set(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!));

const describeVariable = (name: string, type: GraphQLInputType): Variable => ({
  name,
  type,
  ...buildReaders(type),
});

function buildReaders(type: GraphQLInputType): Pick<Variable, 'fromText' | 'fromValue'> {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    const names = new Map(named.getValues().map(({ name }) => [name.toLowerCase(), name]));
    const toEnumName = (value: unknown) => names.get(value as string) ?? value;
    return { fromText: toEnumName, fromValue: toEnumName };
  }
  const fromText = textReaders[named.name] ?? ((text: string) => text);
  return { fromText, fromValue: (value) => value };
}

const decimal = /^-?\d+(\.\d+)?$/;
const readNumber = (text: string) => (decimal.test(text) ? Number(text) : text);

const textReaders: Record<string, (text: string) => unknown> = {
  Int: readNumber,
  Float: readNumber,
  Boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Maps argument names to field names of the request: the argument `first` is the field `limit`. */
function mapArguments(document: DocumentNode): Map<string, string> {
  const fields = new Map<string, string>();
  const note = ({ name, value }: ArgumentNode | ObjectFieldNode) => {
    if (value.kind === Kind.VARIABLE) fields.set(name.value, value.name.value);
  };
  visit(document, { Argument: note, ObjectField: note });
  return fields;
}

/** Error: `validation_failed`. The variables of the document are named like the fields of the request. */
function checkVariables(operation: Operation, values: Record<string, unknown>): void {
  try {
    operation.checkVariables(values);
  } catch (error) {
    throw error instanceof BillingError ? rewordError(error, new Map()) : error;
  }
}

function refuseUnknown(given: object, variables: Map<string, Variable>, inPath: Set<string>): void {
  const unknown = Object.keys(given).filter((name) => inPath.has(name) || !variables.has(name));
  if (unknown.length === 0) return;
  refuse('validation_failed', ...unknown.slice(0, maxIssues).map((path) => ({ path, message: notAField })));
}

function convertQuery(query: Fields['query'], variables: Map<string, Variable>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const repeated: Issue[] = [];
  for (const [name, text] of Object.entries(query)) {
    if (Array.isArray(text)) repeated.push({ path: name, message: 'must be given once' });
    else values[name] = variables.get(name)!.fromText(text);
  }
  if (repeated.length) refuse('validation_failed', ...repeated);
  return values;
}

function convertBody(body: Fields['body'], variables: Map<string, Variable>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(body)) values[name] = variables.get(name)!.fromValue(body[name]);
  return values;
}

/** Refuses all fields with wrong types; GraphQL itself reports only the first. */
function refuseWrongTypes(variables: Map<string, Variable>, values: Record<string, unknown>): void {
  const issues: Issue[] = [];
  for (const { name, type } of variables.values()) {
    const value = values[name];
    if (value === undefined) {
      if (isNonNullType(type)) issues.push({ path: name, message: 'is required' });
      continue;
    }
    issues.push(...findIssues(name, type, value).map(rewordIssue));
  }
  if (issues.length) refuse('validation_failed', ...issues);
}
