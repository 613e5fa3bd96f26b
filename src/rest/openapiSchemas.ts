import {
  GraphQLNonNull,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredInputField,
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
} from 'graphql';
import { restSpellings } from './route.ts';
import { mostItems } from '../graphql/rules/inputSizes.ts';

/** A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = Record<string, unknown>;

/** The named schemas, collected while the operations are described. */
export type NamedSchemas = Map<string, JsonSchema>;

const scalars: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  EmailAddress: { type: 'string', format: 'idn-email' },
  URL: { type: 'string' },
  Currency: { type: 'string' },
  CountryCode: { type: 'string' },
  Date: { type: 'string', format: 'date' },
  Decimal: { type: 'string', pattern: String.raw`^-?\d{1,18}(\.\d{1,12})?$` },
  JSONObject: { type: 'object', additionalProperties: true },
  JSON: {},
};

/** Returns a reference to a component of the document. */
export const buildReference = (kind: string, name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Returns an object with the description, or an empty one. */
export const withDescription = (description: string | null | undefined) =>
  description ? { description } : {};

/** Builds the schema of an object with exactly these properties. */
export const buildObjectSchema = (
  properties: Record<string, JsonSchema>,
  required: string[],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** Extensions of a field or argument, which restrict its values further than the type. */
type Marks = Readonly<Record<string, unknown>> | undefined;

/** Restricts the values of an object to text if the field is marked so. */
const applyMarks = (schema: JsonSchema, marks: Marks): JsonSchema =>
  marks?.['textValues'] ? { ...schema, additionalProperties: { type: 'string' } } : schema;

/** Builds the schema of an input type in a JSON body. */
export function buildInputSchema(type: GraphQLInputType, named: NamedSchemas, marks?: Marks): JsonSchema {
  const present = getNullableType(type);
  const schema = applyMarks(buildNonNullInput(present, named), marks);
  return present === type ? makeNullable(schema) : schema;
}

/** Builds the schema of a query parameter, which is never null. */
export function buildParameterSchema(type: GraphQLInputType): JsonSchema {
  const named = getNamedType(type);
  // REST uses lower case for enum values.
  if (isEnumType(named))
    return { type: 'string', enum: listEnumNames(named).map((name) => name.toLowerCase()) };
  if (isLeafType(named)) return findScalarSchema(named);
  throw new Error(`${named.name}: query parameters cannot be objects.`);
}

function buildNonNullInput(type: GraphQLInputType, named: NamedSchemas): JsonSchema {
  if (isListType(type)) {
    return { type: 'array', items: buildInputSchema(type.ofType, named), maxItems: mostItems };
  }
  if (isInputObjectType(type)) return buildInputObject(type, named);
  return buildLeafSchema(type, named);
}

function buildInputObject(type: GraphQLInputObjectType, named: NamedSchemas): JsonSchema {
  if (!named.has(type.name)) {
    const fields = Object.values(type.getFields());
    const properties = fields.map((field) => [
      field.name,
      { ...withDescription(field.description), ...buildInputSchema(field.type, named, field.extensions) },
    ]);
    const required = fields.filter(isRequiredInputField).map(({ name }) => name);
    const schema = buildObjectSchema(Object.fromEntries(properties), required);
    named.set(type.name, { ...withDescription(type.description), ...schema });
  }
  return buildReference('schemas', type.name);
}

function buildLeafSchema(type: GraphQLLeafType, named: NamedSchemas): JsonSchema {
  if (!isEnumType(type)) return findScalarSchema(type);
  const names = listEnumNames(type).map(restSpellings[type.name] ?? ((name) => name));
  named.set(type.name, { ...withDescription(type.description), type: 'string', enum: names });
  return buildReference('schemas', type.name);
}

const listEnumNames = (type: GraphQLEnumType) => type.getValues().map(({ name }) => name);

function findScalarSchema({ name }: GraphQLLeafType): JsonSchema {
  const schema = scalars[name];
  if (!schema) throw new Error(`src/rest/openapiSchemas.ts has no JSON Schema for the scalar ${name}.`);
  return schema;
}

function makeNullable(schema: JsonSchema): JsonSchema {
  // A schema without keywords matches null, too.
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema['type'] === 'string') return { ...schema, type: [schema['type'], 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

const about = Symbol('about');

/** The metadata of a part of a sample. */
interface About {
  nullable: boolean;
  description: string | null | undefined;
  leaf?: GraphQLLeafType;
  marks?: Marks;
  object?: { name: string; description: string | null | undefined };
}

/** GraphQL reserves `Subscription` for the root type; REST uses that name for the resource. */
const restNames: Record<string, string> = {
  EInvoiceDelivery: 'EInvoice',
  SubscriptionContract: 'Subscription',
};

const toRestName = (typeName: string) => restNames[typeName] ?? typeName.replace(/Connection$/, 'Page');

/** Returns the GraphQL type name of a REST resource. */
export const toTypeName = (restName: string): string =>
  Object.keys(restNames).find((name) => restNames[name] === restName) ?? restName;

/** A value in the structure of a response, with types in place of values. */
type Sample = { [about]?: About };

/**
 * Builds a sample of a root field's result. A route's `shape` is applied to the sample as to a real result, so the
 * structure of the response is defined once; the metadata moves with each part, even through a spread. The sample
 * is not null, because REST returns an error if the field fails.
 */
export const buildResponseSample = (type: GraphQLOutputType, field: FieldNode): Sample =>
  buildSample(new GraphQLNonNull(getNullableType(type)), field);

function buildSample(
  outer: GraphQLOutputType,
  field: FieldNode,
  description?: string | null,
  marks?: Marks,
): Sample {
  const type = getNullableType(outer);
  const known = { nullable: type === outer, description, marks };
  if (isListType(type)) return Object.assign([buildSample(type.ofType, field)], { [about]: known });
  if (isLeafType(type)) return { [about]: { ...known, leaf: type } };
  if (!isObjectType(type)) throw new Error(`${type.name}: REST responses support object types only.`);
  const members = field.selectionSet!.selections.map((selection) => {
    const { name, alias } = selection as FieldNode;
    const member = type.getFields()[name.value]!;
    return [
      (alias ?? name).value,
      buildSample(member.type, selection as FieldNode, member.description, member.extensions),
    ];
  });
  const object = { name: toRestName(type.name), description: type.description };
  return { ...Object.fromEntries(members), [about]: { ...known, object } };
}

/** Builds the schema of the response that a sample represents. A response may omit the `optional` fields. */
export function buildResponseSchema(
  sample: Sample,
  operationId: string,
  named: NamedSchemas,
  optional: readonly string[] = [],
): JsonSchema {
  if (typeof sample !== 'object' || sample === null) {
    throw new Error(`${operationId}: shape may move fields, but not create values.`);
  }
  const { leaf, object, marks } = sample[about] ?? {};
  if (leaf) return applyMarks(buildLeafSchema(leaf, named), marks);
  if (Array.isArray(sample))
    return { type: 'array', items: buildMemberSchema(sample[0], operationId, named, optional) };
  const properties = Object.entries(sample as Record<string, Sample>).map(([name, member]) => [
    name,
    buildMemberSchema(member, operationId, named, optional),
  ]);
  const required = Object.keys(sample).filter((name) => !optional.includes(name));
  const schema = buildObjectSchema(Object.fromEntries(properties), required);
  if (!object) return schema;
  return nameSchema({ ...withDescription(object.description), ...schema }, object.name, operationId, named);
}

function buildMemberSchema(
  sample: Sample,
  operationId: string,
  named: NamedSchemas,
  optional: readonly string[],
): JsonSchema {
  const schema = buildResponseSchema(sample, operationId, named, optional);
  const known = sample[about];
  return { ...withDescription(known?.description), ...(known?.nullable ? makeNullable(schema) : schema) };
}

/**
 * Names a schema. The first selection of a type gets the type's name; a different selection also has the
 * operation's name.
 */
function nameSchema(
  schema: JsonSchema,
  typeName: string,
  operationId: string,
  named: NamedSchemas,
): JsonSchema {
  const text = JSON.stringify(schema);
  const [twin] = Array.from(named).find(([, each]) => JSON.stringify(each) === text) ?? [];
  if (twin) return buildReference('schemas', twin);
  let name = typeName;
  const longer = `${typeName}In${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  for (let count = 1; named.has(name); count++) name = count === 1 ? longer : `${longer}${count}`;
  named.set(name, schema);
  return buildReference('schemas', name);
}

/** Returns a schema as the content of a body, with an example if there is one. */
export const buildJsonContent = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});
