/**
 * The schema as a subgraph of Apollo Federation 2: a gateway joins it with the schemas of other services and resolves our objects
 * by id. See https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */
import {
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  valueFromASTUntyped,
  visit,
  type GraphQLFieldConfig,
  type GraphQLInterfaceType,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import { refuse, type Issue } from '../lib/errors.ts';
import { findIdType } from '../lib/ids.ts';
import { isJsonObject } from '../lib/json.ts';
import { authorizeField } from './authorization.ts';
import type { Context } from './context.ts';
import { findOnce } from './node.ts';
import { declareOperation } from './operations.ts';
import { declareWork } from './work.ts';

type FieldConfig = GraphQLFieldConfig<unknown, Context>;

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])';
/** Writing a text of this length takes about a millisecond. */
const workOfSdl = 100;

function readRepresentation(value: unknown): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new GraphQLError('must be an object with __typename and id');
}

const Any = new GraphQLScalarType({
  name: '_Any',
  description: 'An object of another subgraph that refers to one of this schema: its `__typename` and `id`.',
  serialize: (value) => value,
  parseValue: readRepresentation,
  parseLiteral: (node, variables) => readRepresentation(valueFromASTUntyped(node, variables)),
});

const Service = new GraphQLObjectType({
  name: '_Service',
  description: 'This schema, for the composition with others.',
  fields: { sdl: { type: GraphQLString, description: 'The schema with its keys.' } },
});

/**
 * Adds the fields of a subgraph to the queries of a schema. They belong to the schema that is executed alone: what is printed
 * and introspected stays free of them, as the specification demands of the SDL.
 */
export function addSubgraphFields(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType()!;
  const { types, ...config } = schema.toConfig();
  const queryConfig = query.toConfig();
  const fields = buildFields(schema);
  const extended = new GraphQLSchema({
    ...config,
    types: types.filter((type) => type !== query),
    query: new GraphQLObjectType({ ...queryConfig, fields: { ...queryConfig.fields, ...fields } }),
  });
  for (const name of Object.keys(fields)) authorizeField(extended.getQueryType()!.getFields()[name]!, false);
  return extended;
}

function buildFields(schema: GraphQLSchema): Record<string, FieldConfig> {
  const node = schema.getType('Node') as GraphQLInterfaceType;
  const types = schema.getPossibleTypes(node);
  const names = new Set(types.map(({ name }) => name));
  const Entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'Any object with an id.',
    types,
    resolveType: node.resolveType,
  });
  let sdl: string | undefined;
  const readable = declareOperation({ permission: 'read', reasons: [] });
  return {
    _service: {
      type: new GraphQLNonNull(Service),
      description: 'Returns this schema as a subgraph of Apollo Federation.',
      extensions: { ...readable, ...declareWork({ cost: workOfSdl }) },
      resolve: () => ({ sdl: (sdl ??= printSubgraph(schema)) }),
    },
    _entities: {
      type: new GraphQLNonNull(new GraphQLList(Entity)),
      description: 'Returns objects by `__typename` and `id`, at most 100; null for each that is not found.',
      args: {
        representations: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Any))),
          description: 'References to objects of any types.',
        },
      },
      extensions: readable,
      resolve: (_, { representations }, context, { schema: executed }) =>
        findEntities(representations as Record<string, unknown>[], names, (id) =>
          findOnce(context, executed, id),
        ),
    },
  };
}

/** Finds the object of each reference, or null. Error: `validation_failed` for references without a known type and an id. */
function findEntities(
  representations: readonly Record<string, unknown>[],
  names: ReadonlySet<string>,
  find: (id: string) => Promise<unknown>,
): Promise<unknown[]> {
  const issues = representations.flatMap(({ __typename: type, id }, index): Issue[] => {
    const path = `representations.${index}`;
    if (typeof type !== 'string' || !names.has(type))
      return [{ path: `${path}.__typename`, message: 'must be a type that implements Node' }];
    return typeof id === 'string' ? [] : [{ path: `${path}.id`, message: 'must be the id as text' }];
  });
  if (issues.length > 0) refuse('validation_failed', ...issues);
  return Promise.all(
    representations.map(({ __typename: type, id }) =>
      findIdType(id as string) === type ? find(id as string) : Promise.resolve(null),
    ),
  );
}

/** Prints a schema in the SDL of a subgraph: every object with an id has it as its key. */
function printSubgraph(schema: GraphQLSchema): string {
  const annotate = (type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode | undefined => {
    const isNode = type.interfaces?.some(({ name }) => name.value === 'Node');
    if (isNode) return addDirective(type, '@key(fields: "id")');
    // Most schemas with connections have it, with the same fields.
    return type.name.value === 'PageInfo' ? addDirective(type, '@shareable') : undefined;
  };
  const document = parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true });
  return `${link}\n\n${print(visit(document, { [Kind.OBJECT_TYPE_DEFINITION]: annotate }))}\n`;
}

function addDirective(type: ObjectTypeDefinitionNode, text: string): ObjectTypeDefinitionNode {
  const { directives } = parse(`type Any ${text}`, { noLocation: true })
    .definitions[0] as ObjectTypeDefinitionNode;
  return { ...type, directives };
}
