/** The operations that can be asked for: those that declare it. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Context } from './context.ts';
import { toBillingError } from './errors.ts';
import { prepareOperation, type Operation } from './operation.ts';
import { getDeclaration } from './operations.ts';

/** An operation that can be asked for. */
export interface Proposable {
  field: GraphQLField<unknown, Context>;
  /** Selects the id of what it returns. */
  operation: Operation;
}

type Input = Record<string, unknown>;

const preparedCache = new WeakMap<GraphQLField<unknown, Context>, Proposable>();

/** Lists the operations that can be asked for. */
export const listProposable = (schema: GraphQLSchema): GraphQLField<unknown, Context>[] =>
  Object.values(schema.getMutationType()!.getFields()).filter((field) => getDeclaration(field).proposable);

/** Returns the operation of this name; undefined if there is none, or if it cannot be asked for. */
export function findProposable(schema: GraphQLSchema, name: string): Proposable | undefined {
  const field = schema.getMutationType()!.getFields()[name];
  if (!field || !getDeclaration(field).proposable) return undefined;
  const known = preparedCache.get(field);
  if (known) return known;
  const proposable = { field, operation: prepare(schema, field) };
  preparedCache.set(field, proposable);
  return proposable;
}

function prepare(schema: GraphQLSchema, { name, args, type }: GraphQLField<unknown, Context>): Operation {
  const returned = getNamedType(type);
  const selected = isObjectType(returned) && returned.getFields()['id'] ? 'id' : '__typename';
  const variables = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const values = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const document = parse(`mutation (${variables}) { ${name}(${values}) { ${selected} } }`);
  return prepareOperation(schema, document, document.definitions[0] as OperationDefinitionNode, false);
}

/** Executes an operation; returns the id of what it returned, if that has one. Throws a BillingError. */
export async function execute(
  { field, operation }: Proposable,
  context: Context,
  input: Input,
): Promise<string | undefined> {
  operation.checkVariables(input);
  const { data, errors } = await operation.execute(context, input);
  if (errors) throw toBillingError(errors[0]);
  return (data?.[field.name] as { id?: string } | null)?.id;
}

/** Writes the arguments of a resolver as a client writes them: values of enums by their names. */
export const writeArguments = ({ args }: GraphQLField<unknown, Context>, values: Input): Input =>
  Object.fromEntries(
    args.flatMap(({ name, type }) =>
      values[name] === undefined ? [] : [[name, writeValue(type, values[name])]],
    ),
  );

function writeValue(type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return writeValue(type.ofType, value);
  if (value === null || value === undefined) return value;
  if (isListType(type)) return (value as unknown[]).map((each) => writeValue(type.ofType, each));
  if (isEnumType(type)) return type.serialize(value);
  if (!isInputObjectType(type)) return value;
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, writeValue(fields[name]!.type, each)]),
  );
}
