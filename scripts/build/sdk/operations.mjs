// Writes the methods of the client: their types, and the table from which they are made at run time.
import { getNamedType, getNullableType, isCompositeType, isListType, isRequiredArgument } from 'graphql';
import { nameMethod } from './names.mjs';
import { choosePageSize } from './selections.mjs';
import { getItemType, groupBy, writeComment, writeInputFields, writeOutputType } from './types.mjs';

/** How a list is read, which the client does itself. */
const pageArguments = new Set(['first', 'last', 'before', 'after']);

/** Lists the methods of all operations. Throws if one has no name, or two have the same. */
export function listMethods(schema, select) {
  const kinds = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const methods = Object.entries(kinds).flatMap(([kind, root]) =>
    Object.values(root.getFields())
      .filter(({ name, deprecationReason }) => !name.startsWith('_') && !deprecationReason)
      .map((field) => buildMethod(kind, field, select)),
  );
  const seen = new Map();
  for (const { resource, method, field } of methods) {
    const name = `${resource}.${method}`;
    if (seen.has(name)) throw new Error(`Both ${seen.get(name)} and ${field.name} are ${name}`);
    seen.set(name, field.name);
  }
  return methods;
}

function buildMethod(kind, field, select) {
  const type = getNamedType(field.type);
  const [resource, method] = nameMethod(field.name, kind, type.name);
  const isPage = type.name.endsWith('Connection');
  const isList = isPage || (method.startsWith('list') && isListType(getNullableType(field.type)));
  const item = isList ? getItemType(field.type) : type;
  const args = field.args.filter(({ name, deprecationReason }) => {
    return !deprecationReason && !(isPage && pageArguments.has(name));
  });
  const id = isList || kind === 'subscription' ? undefined : findPositional(args);
  const others = args.filter((arg) => arg !== id);
  return {
    resource,
    method,
    kind,
    field,
    item,
    isPage,
    isList,
    id,
    // An input is an argument of its own, unless others stand beside it.
    input: others.length === 1 && others[0].name === 'input' ? others[0] : undefined,
    others,
    pageSize: isPage ? choosePageSize(item, select) : undefined,
  };
}

/** The id that a method takes before everything else: the only one that is required, or `id`. */
function findPositional(args) {
  const required = args.filter((arg) => isRequiredArgument(arg) && String(arg.type) === 'ID!');
  return args.find(({ name }) => name === 'id') ?? (required.length === 1 ? required[0] : undefined);
}

/** Writes the table of the methods: `mutation cancelSubscription(*id:ID!,input:CancelSubscriptionInput)SubscriptionContract`. */
export function writeTable(methods) {
  const byResource = groupBy(methods, ({ resource }) => resource);
  const rows = Object.keys(byResource)
    .toSorted()
    .map((resource) => {
      const entries = byResource[resource].map(
        (each) => `    ${each.method}: ${JSON.stringify(writeRow(each))},\n`,
      );
      return `  ${resource}: {\n${entries.join('')}  },\n`;
    });
  return `export const methods: Record<string, Record<string, string>> = {\n${rows.join('')}};\n`;
}

function writeRow({ kind, field, item, isPage, isList, id, input, others, pageSize }) {
  const shape = isPage ? `page${pageSize}` : isList ? 'list' : kind;
  const all = id ? [id, ...others] : others;
  const args = all.map((arg) => `${arg === id ? '*' : arg === input ? '+' : ''}${arg.name}:${arg.type}`);
  return `${shape} ${field.name}(${args.join(',')})${isCompositeType(item) ? item.name : ''}`;
}

/** Writes an interface for each resource, and one that has them all. */
export function writeResources(methods) {
  const byResource = groupBy(methods, ({ resource }) => resource);
  const names = Object.keys(byResource).toSorted();
  const interfaces = names.map((resource) => {
    const written = byResource[resource].toSorted((a, b) => (a.method < b.method ? -1 : 1)).map(writeMethod);
    return `export interface ${nameResource(resource)} {\n${written.join('')}}\n`;
  });
  const all = names.map((resource) => `  readonly ${resource}: ${nameResource(resource)};\n`);
  return `${interfaces.join('\n')}\n/** All operations of the schema, by resource. */\nexport interface Resources {\n${all.join('')}}\n`;
}

const nameResource = (resource) => `${resource[0].toUpperCase()}${resource.slice(1)}Resource`;

function writeMethod(method) {
  const { kind, field, item, isList, input, others } = method;
  const params = [];
  if (method.id) params.push(writeId(method));
  if (input) params.push(`input${isRequiredArgument(input) ? '' : '?'}: ${getNamedType(input.type).name}`);
  // The arguments are part of the id of a record that can be named in several ways.
  else if (others.length > 0 && !(method.id && !isRequiredArgument(method.id))) {
    const isRequired = others.some(isRequiredArgument);
    params.push(`${isList ? 'filters' : 'params'}${isRequired ? '' : '?'}: {\n${writeInputFields(others)}}`);
  }
  params.push(
    `options?: ${isList ? 'ListOptions' : kind === 'subscription' ? 'FollowOptions' : 'RequestOptions'}`,
  );
  return `${writeComment(field.description)}${method.method}${writeResult(method, item)(params)};\n`;
}

function writeId({ id, others }) {
  if (isRequiredArgument(id)) return `${id.name}: string`;
  return `id: string | {\n${writeInputFields([id, ...others])}}`;
}

/** Writes the parameters of a method with its result, whose type the caller may replace, as its selection may be. */
function writeResult({ kind, field, isList }, item) {
  const isArray = !isList && isListType(getNullableType(field.type));
  const name = isCompositeType(item) ? item.name : writeOutputType(item).replace(' | null', '');
  const generic = isCompositeType(item);
  const each = generic ? 'T' : name;
  const result = isList
    ? `List<${each}>`
    : kind === 'subscription'
      ? `AsyncIterable<${each}>`
      : `Promise<${each}${isArray ? '[]' : ''}>`;
  return (params) => `${generic ? `<T = ${name}>` : ''}(${params.join(', ')}): ${result}`;
}
