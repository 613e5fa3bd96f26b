/** Each operation of the schema is a method of the SDK, which sends a valid document and reads its result. */
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { graphqlRows, listAllRootFields } from '../support/operations.ts';
import { importSdk } from '../support/sdk.ts';
import { fillTenant, type World } from '../support/world.ts';
import { sampledInCore } from '../support/sample.ts';

interface Method {
  /** `subscriptions.cancel`. */
  name: string;
  shape: string;
  operation: string;
  /** The arguments, with `*` before an id that is passed by itself, and `+` before an input. */
  args: string[];
}

const { methods: table } = (await importSdk('generated/operations')) as {
  methods: Record<string, Record<string, string>>;
};
const { Perennial, PerennialError } = await importSdk();

const methods: Method[] = Object.entries(table).flatMap(([resource, rows]) =>
  Object.entries(rows).map(([method, row]) => {
    const [, shape, operation, args] = /^(\w+) (\w+)\((.*)\)/.exec(row)!;
    return {
      name: `${resource}.${method}`,
      shape: shape!,
      operation: operation!,
      args: args!.split(',').filter(Boolean),
    };
  }),
);

let app: TestApp;
let world: World;
let perennial: any;
const sent: string[] = [];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCostPerSecond: '1000000' });
  const client = await app.tenant({ alias: 'acme', test: true });
  world = await fillTenant(client, 'acme');
  const send: typeof fetch = (url, init) => {
    sent.push((JSON.parse(init!.body as string) as { query: string }).query);
    return fetch(url, init);
  };
  perennial = new Perennial({ url: await listen(app), key: client.apiKey, fetch: send, maxRetries: 0 });
});
afterAll(() => app.close());

it('every operation of the schema is one method, which the client has', () => {
  const operations = listAllRootFields(schema).map(({ name }) => name);
  const live = Object.keys(schema.getSubscriptionType()!.getFields());
  expect(methods.map(({ operation }) => operation).toSorted()).toEqual([...operations, ...live].toSorted());
  for (const { name } of methods) {
    const [resource, method] = name.split('.');
    expect(perennial[resource!][method!], name).toBeTypeOf('function');
  }
});

/** The arguments of a method for the variables of an operation. */
function toArguments({ args }: Method, variables: Record<string, unknown>): unknown[] {
  const rest = { ...variables };
  const given: unknown[] = [];
  const id = args
    .find((arg) => arg.startsWith('*'))
    ?.slice(1)
    .split(':');
  if (id && !id[1]!.endsWith('!')) return [rest];
  if (id) {
    given.push(rest[id[0]!]);
    delete rest[id[0]!];
  }
  if (args.some((arg) => arg.startsWith('+'))) return [...given, rest['input']];
  if (Object.keys(rest).length > 0) given.push(rest);
  return given;
}

/** Calls a method; returns what it returns, the first items of a list. */
async function call(method: Method, variables: Record<string, unknown>): Promise<unknown> {
  const [resource, name] = method.name.split('.');
  const given = toArguments(method, variables);
  const result = perennial[resource!][name!](...given);
  return method.shape === 'list' || method.shape.startsWith('page') ? result.page() : result;
}

const isRead = ({ shape }: Method) => shape !== 'mutation' && shape !== 'subscription';
const withRow = methods.filter(({ operation }) => graphqlRows[operation]);
/** `advanceClock` would renew for years. What removes records comes last, since the others need them. */
const removes = ({ operation }: Method) => Number(/^(archive|delete|erase|reset)/.test(operation));
const writes = withRow
  .filter(({ shape, operation }) => shape === 'mutation' && operation !== 'advanceClock')
  .toSorted((a, b) => removes(a) - removes(b));

describe('reads', () => {
  it.each(sampledInCore(withRow.filter(isRead), 4))('$name', async (method) => {
    const row = graphqlRows[method.operation]!;
    // A page has the size that the client chooses.
    const { first: _, last: __, ...variables } = row.call(world);
    const result = await call(method, variables);
    if (!row.isNullToKeys) expect(result).not.toBeNull();
    expect(result).not.toBeUndefined();
    expect(validate(schema, parse(sent.at(-1)!)).map(({ message }) => message)).toEqual([]);
  });
});

describe('writes', () => {
  // An earlier one may have changed what a later one needs: it is refused then, but never because of the request.
  const faults = [
    'validation_failed',
    'cost_exceeded',
    'internal_error',
    'result_too_large',
    'response_invalid',
  ];
  it.each(sampledInCore(writes, 3))('$name', async (method) => {
    const result = await call(method, graphqlRows[method.operation]!.call(world)).catch(
      (error: unknown) => error,
    );
    if (result instanceof PerennialError)
      expect(faults, JSON.stringify((result as any).issues)).not.toContain((result as any).reason);
    else expect(result, String(result)).toBeTypeOf('object');
    expect(validate(schema, parse(sent.at(-1)!)).map(({ message }) => message)).toEqual([]);
  });
});
