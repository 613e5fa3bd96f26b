import { fragments, methods } from './generated/operations.ts';
import { createList, type ReadPage } from './list.ts';
import type { FollowOptions, ListOptions, RequestOptions } from './options.ts';
import type { Operation, Send } from './request.ts';

/** Follows a subscription. */
export type Follow = (operation: Operation, options?: FollowOptions) => AsyncIterable<unknown>;

/** A method as the table of methods describes it. */
interface Method {
  shape: string;
  field: string;
  args: { name: string; type: string; role: '*' | '+' | '' }[];
  /** The type of what is returned; empty for a scalar. */
  type: string;
}

type Values = Record<string, unknown>;

/** Builds the methods of each resource when it is first used. */
export function addResources(target: object, send: Send, follow: Follow): void {
  for (const [resource, rows] of Object.entries(methods)) {
    const get = () => {
      const built = Object.entries(rows).map(([name, row]) => [
        name,
        buildMethod(`${resource}.${name}`, row, send, follow),
      ]);
      const value: unknown = Object.fromEntries(built);
      Object.defineProperty(target, resource, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(target, resource, { get, enumerable: true, configurable: true });
  }
}

function buildMethod(name: string, row: string, send: Send, follow: Follow) {
  const method = parseRow(row);
  const { shape, field } = method;
  const isMutation = shape === 'mutation';
  let usual: string | undefined;
  const prepare = (variables: Values, select: string | undefined): Operation => ({
    name: field,
    isMutation,
    query: select === undefined ? (usual ??= writeDocument(method)) : writeDocument(method, select),
    variables,
  });
  return (...given: unknown[]) => {
    const { variables, options } = readArguments(name, method, given);
    if (shape === 'subscription') {
      const { select } = options as FollowOptions;
      return follow(prepare(variables, select), options);
    }
    const request = async (values: Values) => {
      const data = await send<Values>(prepare(values, options.select), options);
      return data[field];
    };
    if (shape === 'list') {
      return createList(
        async () => ({ data: (await request(variables)) as unknown[], nextCursor: null }),
        {},
      );
    }
    if (!shape.startsWith('page')) return request(variables);
    const readPage: ReadPage<unknown> = async (first, after) => {
      const page = (await request({ ...variables, first, after })) as {
        nodes: unknown[];
        nextCursor: string | null;
      };
      return { data: page.nodes, nextCursor: page.nextCursor };
    };
    const { pageSize = Number(shape.slice(4)), after } = options as ListOptions;
    return createList(readPage, { pageSize, after });
  };
}

/** Reads `mutation cancelSubscription(*id:ID!,+input:CancelSubscriptionInput)SubscriptionContract`. */
function parseRow(row: string): Method {
  const [, shape, field, args, type] = /^(\w+) (\w+)\((.*)\)(\w*)$/.exec(row)!;
  return {
    shape: shape!,
    field: field!,
    type: type!,
    args: args!
      .split(',')
      .filter(Boolean)
      .map((text) => {
        const [, role, name, argType] = /^([*+]?)(\w+):(.*)$/.exec(text)!;
        return { role: role as '*' | '+' | '', name: name!, type: argType! };
      }),
  };
}

/** Reads the arguments of a call: the id, the input or the other values, and the options. */
function readArguments(
  name: string,
  { args }: Method,
  given: unknown[],
): { variables: Values; options: RequestOptions } {
  const rest = [...given];
  let variables: Values = {};
  const id = args.find(({ role }) => role === '*');
  const input = args.find(({ role }) => role === '+');
  const others = args.filter(({ role }) => role === '');
  const isOpenId = id !== undefined && !id.type.endsWith('!');
  if (id) {
    const value = rest.shift();
    if (isOpenId && typeof value === 'object' && value !== null) variables = pick(name, value, args);
    else if (typeof value === 'string') variables = { [id.name]: value };
    else throw new TypeError(`${name}: the first argument is the ${id.name}, a string`);
  }
  if (input) variables = { ...variables, [input.name]: rest.shift() };
  else if (others.length > 0 && !isOpenId)
    variables = { ...variables, ...pick(name, rest.shift() ?? {}, others) };
  const options = (rest.shift() ?? {}) as RequestOptions;
  if (rest.length > 0) throw new TypeError(`${name} takes fewer arguments`);
  return { variables, options };
}

/** Returns the values; throws if one is not an argument, which GraphQL would ignore. */
function pick(name: string, values: object, args: Method['args']): Values {
  const unknown = Object.keys(values).find((key) => !args.some((arg) => arg.name === key));
  if (unknown !== undefined) throw new TypeError(`${name} has no argument ${unknown}`);
  return { ...values };
}

/** Writes the GraphQL document of a method. */
function writeDocument({ shape, field, args, type }: Method, select?: string): string {
  const isPage = shape.startsWith('page');
  const all = isPage ? [...args, { name: 'first', type: 'Int' }, { name: 'after', type: 'String' }] : args;
  const declared = all.map((arg) => `$${arg.name}:${arg.type}`).join(',');
  const passed = all.map((arg) => `${arg.name}:$${arg.name}`).join(',');
  const kind = shape === 'mutation' || shape === 'subscription' ? shape : 'query';
  const own = select ?? (type === 'Node' ? '__typename id' : `...${type}`);
  const item = isPage ? `nodes{${own}} nextCursor` : own;
  const selection = type === '' ? '' : `{${item}}`;
  const operation = `${kind} ${field}${declared && `(${declared})`}{${field}${passed && `(${passed})`}${selection}}`;
  return operation + (select === undefined ? listFragments(type).map(writeFragment).join('') : '');
}

const writeFragment = (type: string) => `fragment ${type} on ${type}{${fragments[type]}}`;

/** Lists the fragments that a type needs, itself included. */
function listFragments(type: string, found = new Set<string>()): string[] {
  if (type === '' || type === 'Node' || found.has(type)) return [...found];
  found.add(type);
  for (const [, nested] of fragments[type]!.matchAll(/\.\.\.(\w+)/g)) listFragments(nested!, found);
  return [...found];
}
