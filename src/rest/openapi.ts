import {
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  lexicographicSortSchema,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { catalogue, type Reason } from '../lib/errors.ts';
import recorded from './examples.json' with { type: 'json' };
import { listOperationReasons } from '../graphql/operations.ts';
import { askedRoute } from './actionRequestRoutes.ts';
import { describeFields, getOperation, getSuccessStatus, listPathFields, readRoute } from './adapter.ts';
import { buildErrorComponents, buildErrorSchemas, describeErrors } from './openapiErrors.ts';
import {
  buildResponseSchema,
  buildObjectSchema,
  withDescription,
  buildInputSchema,
  buildJsonContent,
  buildParameterSchema,
  buildReference,
  buildResponseSample,
  toTypeName,
  type JsonSchema,
  type NamedSchemas,
} from './openapiSchemas.ts';
import { buildWebhookSchemas, describeWebhooks } from './openapiWebhooks.ts';
import type { Route } from './route.ts';
import { restPrefix, routes } from './routes.ts';

const introduction = `Subscription billing for many tenants.

Every request has an API key, which determines the tenant. A list returns \`data\` and, if more items follow, a
\`nextCursor\` to pass as \`cursor\` in the next request. Every error has the body \`Error\`; programs should use its
\`reason\`. Operations marked \`x-extension\` extend the original interface.`;

/**
 * Builds the OpenAPI 3.1 document of the REST interface as a JSON value. It depends on the routes, the schema and
 * the arguments only. `publicUrl` is the base URL of the server, without the prefix of the interface. Throws an
 * Error if a route does not fit the schema.
 */
export function buildOpenapi(
  built: GraphQLSchema,
  { version, publicUrl }: { version: string; publicUrl: string },
): Record<string, unknown> {
  // Sorted, so that the document does not depend on the order of files and fields.
  const schema = lexicographicSortSchema(built);
  const named: NamedSchemas = new Map(Object.entries({ ...buildErrorSchemas(), ...buildWebhookSchemas() }));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {
      parameters: Object.keys(headers).map((name) => buildReference('parameters', name)),
    };
    paths[route.path]![route.method.toLowerCase()] = describeOperation(schema, route, named);
  }
  const baseUrl = publicUrl.replace(/\/+$/, '');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Perennial',
      version,
      description: introduction,
      contact: { name: 'The operator of this server', url: baseUrl },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl + restPrefix }],
    security: [{ api_key: [] }],
    tags: [...describeTags(schema), webhooksTag],
    paths,
    webhooks: describeWebhooks(`${baseUrl}/docs/events`),
    components: {
      securitySchemes: { api_key: { type: 'apiKey', in: 'header', name: 'api-key' } },
      parameters: { ...headers, ...writeHeaders },
      ...buildErrorComponents(),
      schemas: Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

const webhooksTag = {
  name: 'Webhooks',
  description: 'Messages that the server posts to the webhook endpoints of a tenant.',
};

/** Headers of every operation. */
const headers = {
  ExecutorId: {
    name: 'X-Executor-Id',
    in: 'header',
    description:
      'The executor recorded in traces: 1 to 255 printable ASCII characters. Default: the id of the API key.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context. The traces of this request get its trace id.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
};

/** Further headers of operations that change something. */
const writeHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours, repeats with the same key are not executed again, but ' +
      'return the first response with the header `Idempotent-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

/** A request and response of each operation, recorded by the tests. */
const examples: Partial<Record<string, { request: JsonSchema; response?: unknown }>> = recorded;

/** Descriptions of the field `tenantAlias`. */
const tenantNotes = {
  required: "The alias of the API key's tenant, which is verified.",
  optional: "The alias of the API key's tenant, which is verified if given.",
};

const location = {
  description: 'The URL of what was created, with `tenantAlias`.',
  schema: { type: 'string', format: 'uri' },
};

const bodyReasons: Reason[] = ['request_too_large', 'unsupported_media_type'];

function describeOperation(schema: GraphQLSchema, route: Route, named: NamedSchemas): JsonSchema {
  const document = readRoute(schema, route);
  const definition = getOperation(document);
  const operationId = definition.name?.value;
  if (!operationId)
    throw new Error(`${route.method} ${route.path}: the operation of the document needs a name.`);
  const root = findRootField(schema, definition);
  const sample = buildResponseSample(root.field.type, root.node);
  const buildContent = () => {
    const shaped = route.shape ? route.shape(sample)! : sample;
    return buildJsonContent(
      buildResponseSchema(shaped, operationId, named, route.optional),
      example?.response,
    );
  };
  const status = getSuccessStatus(route);
  const example = examples[`${route.method} ${route.path}`];
  const isWrite = definition.operation === OperationTypeNode.MUTATION;
  const takesBody = route.method === 'POST' || route.method === 'PATCH';
  const reasons = listOperationReasons(root.field, isWrite).filter(
    (reason) => takesBody || !bodyReasons.includes(reason),
  );
  return {
    operationId,
    tags: [getTag(route)],
    summary: route.summary,
    ...withDescription(root.field.description),
    ...describeRequest(schema, route, document, named, isWrite, example?.request ?? {}),
    responses: {
      [status]: {
        description: status === 201 ? 'Created.' : 'Done.',
        ...(route.locate && { headers: { Location: location } }),
        content: findFileContent(route) ?? buildContent(),
      },
      ...(reasons.includes('approval_required') && { 202: describeAsked(schema, named) }),
      ...describeErrors(route, reasons),
    },
    'x-reasons': reasons,
    ...(route.extension && { 'x-extension': true }),
  };
}

/** Describes the response to a key that may only ask for the operation. */
function describeAsked(schema: GraphQLSchema, named: NamedSchemas): JsonSchema {
  const definition = getOperation(readRoute(schema, askedRoute));
  const root = findRootField(schema, definition);
  const sample = buildResponseSample(root.field.type, root.node);
  return {
    description: `\`approval_required\`: ${catalogue.approval_required.message}`,
    headers: { Location: location },
    content: buildJsonContent(buildResponseSchema(sample, definition.name!.value, named, [])),
  };
}

const findFileContent = ({ isFile, textType }: Route): JsonSchema | undefined => {
  if (textType) return { [textType]: { schema: { type: 'string' } } };
  return isFile && fileContent;
};

const file = { schema: { type: 'string', format: 'binary' } };

/** The media types of documents. */
const fileContent = {
  'application/pdf': file,
  'text/html': file,
  'application/xml': file,
  'application/json': file,
};

/** Returns the root field of a document. */
function findRootField(schema: GraphQLSchema, definition: OperationDefinitionNode) {
  const node = definition.selectionSet.selections[0] as FieldNode;
  const field = schema.getRootType(definition.operation)!.getFields()[node.name.value]!;
  return { node, field };
}

/** The limits and defaults of the arguments of every list. */
const paging: Record<string, JsonSchema> = {
  first: { minimum: 1, maximum: 100, default: 10 },
  order: { default: 'desc' },
};

/** Describes the parameters and the body, which are the variables of the document. */
function describeRequest(
  schema: GraphQLSchema,
  route: Route,
  document: DocumentNode,
  named: NamedSchemas,
  isWrite: boolean,
  example: JsonSchema,
): JsonSchema {
  const inPath = listPathFields(route);
  const takesBody = route.method === 'POST' || route.method === 'PATCH';
  const targets = listArgumentTargets(schema, document);
  const variables = Array.from(describeFields(schema, route, document).values(), ({ name, type }) => ({
    name,
    type,
    required: isNonNullType(type),
    about: withDescription(describeField(name, type, targets)),
  }));
  const outside = variables.filter(({ name }) => inPath.has(name) || !takesBody);
  const inside = variables.filter(({ name }) => !inPath.has(name) && takesBody);

  const writeParameters = isWrite
    ? Object.keys(writeHeaders).map((name) => buildReference('parameters', name))
    : [];
  const parameters: JsonSchema[] = outside.map(({ name, type, required, about }) => ({
    name,
    in: inPath.has(name) ? 'path' : 'query',
    ...(required && { required }),
    ...about,
    schema: { ...buildParameterSchema(type), ...paging[targets.get(name)?.name ?? ''] },
    ...(name in example && { example: example[name] }),
  }));
  const properties = inside.map(({ name, type, about }) => [
    name,
    { ...about, ...buildInputSchema(type, named, targets.get(name)?.extensions) },
  ]);
  const required = inside.filter((variable) => variable.required).map(({ name }) => name);
  const sent = Object.fromEntries(
    inside.flatMap(({ name }) => (name in example ? [[name, example[name]]] : [])),
  );
  const body = buildObjectSchema(Object.fromEntries(properties), required);
  return {
    ...(parameters.length + writeParameters.length > 0 && {
      parameters: [...parameters, ...writeParameters],
    }),
    ...(inside.length > 0 && {
      requestBody: {
        required: required.length > 0,
        content: {
          ...buildJsonContent(body, sent),
          ...(route.alsoReads && { [route.alsoReads.mediaType]: { schema: route.alsoReads.schema } }),
        },
      },
    }),
  };
}

function describeField(
  name: string,
  type: GraphQLInputType,
  targets: ReturnType<typeof listArgumentTargets>,
): string | null | undefined {
  if (name === 'tenantAlias') return isNonNullType(type) ? tenantNotes.required : tenantNotes.optional;
  return targets.get(name)?.description;
}

/** Maps each variable to the argument or input field that it fills. */
function listArgumentTargets(schema: GraphQLSchema, document: DocumentNode) {
  const targets = new Map<string, GraphQLArgument | GraphQLInputField>();
  const info = new TypeInfo(schema);
  const note = (value: ValueNode, target: GraphQLArgument | GraphQLInputField) => {
    if (value.kind === Kind.VARIABLE) targets.set(value.name.value, target);
  };
  const visitor = visitWithTypeInfo(info, {
    Argument: ({ value }) => note(value, info.getArgument()!),
    ObjectField: ({ name, value }) => {
      const parent = getNamedType(info.getParentInputType());
      if (isInputObjectType(parent)) note(value, parent.getFields()[name.value]!);
    },
  });
  visit(document, visitor);
  return targets;
}

/** Returns the tag of a route: the last collection in its path, such as `Credit grants`. */
function getTag({ path }: Route): string {
  const [first = '', ...others] = path.slice(1).split('/');
  const inner = others.filter(
    (part, index) => /^[a-z-]+s$/i.test(part) && [first, ...others][index]!.startsWith('{'),
  );
  const name = inner.at(-1) ?? first;
  return capitalize(name.replaceAll('-', ' '));
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const toSingular = (name: string) => name.replace(/s$/, '').split(' ').map(capitalize).join('');

/** Lists the tags in the order of the routes, each with the description of its type. */
function describeTags(schema: GraphQLSchema): JsonSchema[] {
  const names = new Set(routes.map(getTag));
  return Array.from(names, (name) => ({
    name,
    ...withDescription(schema.getType(toTypeName(toSingular(name)))?.description),
  }));
}
