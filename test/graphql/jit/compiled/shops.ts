import type { InjectOptions } from 'fastify';
import type { GraphQLFieldResolver } from 'graphql';
import { expect } from 'vitest';
import { executedSchema, schema } from '../../../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../../../support/app.ts';
import { stoppedClock } from '../../../support/clock.ts';
import { graphqlRows } from '../../../support/operations.ts';
import { isLong } from '../../../support/sample.ts';
import { fillTenant, inject, type World } from '../../../support/world.ts';
import type { Question } from './documents.ts';
import type { Values } from './draft.ts';

/** The fields of operations, and those of routes, which are compiled for the schema without those of a subgraph. */
const roots = [schema, executedSchema]
  .flatMap((each) => [each.getQueryType()!, each.getMutationType()!])
  .flatMap((type) => Object.values(type.getFields()));
const resolvers = roots.map(({ resolve }) => resolve!);
/** How often root fields have been asked, and by whom. */
const calls = { compiled: 0, walked: 0 };
const { stackTraceLimit } = Error;

/** The same questions each time. */
export const chance = { seed: 1, numRuns: isLong ? 1500 : 30, endOnFailure: true };

// Root fields tell who asks them: in the path of a field graphql-js names its type, what is compiled does not.
const watched =
  (resolve: GraphQLFieldResolver<any, any>): GraphQLFieldResolver<any, any> =>
  (source, args, context, info) => {
    calls['typename' in info.path ? 'walked' : 'compiled'] += 1;
    return resolve(source, args, context, info);
  };

/** Counts who asks root fields, and has errors made without their stacks, of which there are thousands. */
export function watchRoots(): void {
  Error.stackTraceLimit = 0;
  for (const [index, field] of roots.entries()) field.resolve = watched(resolvers[index]!);
}

export function unwatchRoots(): void {
  Error.stackTraceLimit = stackTraceLimit;
  for (const [index, field] of roots.entries()) field.resolve = resolvers[index];
}

export interface Shop {
  app: TestApp;
  client: Client;
  world: World;
  values: Values;
}

/** An app and a client of it; two of them have the same ids at the same time. */
export async function openShop(graphqlJit: 'on' | 'off' = 'on'): Promise<Shop> {
  const settings = { rateLimitPerSecond: '1000000', graphqlCost: '1000000', graphqlJit };
  let next = 1;
  const randomBytes = (length: number) =>
    Uint8Array.from({ length }, () => (next = (next * 48_271) % 0x7f_ff_ff_ff) >> 8);
  const clock = stoppedClock('2026-03-01T12:00:00.000Z');
  const app = await startApp(settings, { clock, randomBytes });
  const client = await app.tenant({ alias: 'acme', test: true });
  const world = await fillTenant(client, 'acme');
  const foreign = await fillTenant(await app.tenant({ alias: 'umbrella' }), 'umbrella');
  const { products, traces } = await client.graphql(
    '{ products { edges { cursor } } traces { edges { cursor } } }',
  );
  const ids = (each: World) => Object.values(each).filter((value) => /^[a-z]+_/.test(value));
  const values = {
    ofRoot: (field: string) => graphqlRows[field]?.call(world) ?? {},
    ids: [...ids(world), foreign.customer, foreign.product],
    cursors: [...products.edges, ...traces.edges].slice(0, 6).map(({ cursor }: any) => cursor),
  };
  return { app, client, world, values };
}

export interface Asked {
  answer: string;
  /** How many root fields compiled code has asked, and graphql-js. */
  compiled: number;
  walked: number;
}

export function ask(shop: Shop, query: string, variables: object, operationName?: string): Promise<Asked> {
  return send(shop, {
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': shop.client.apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify({ query, variables, operationName }),
  });
}

/** Sends a request, and tells who has asked root fields for it. */
export async function send({ app }: Shop, request: InjectOptions): Promise<Asked> {
  const before = { ...calls };
  const { status, headers, text } = await inject(app, request);
  return {
    answer: `${status} ${String(headers['content-type'])} ${text}`,
    compiled: calls.compiled - before.compiled,
    walked: calls.walked - before.walked,
  };
}

export function expectSame({ query, operationName }: Question, variables: object, one: Asked, other: Asked) {
  const question = `${query}\n${JSON.stringify(variables)} ${operationName ?? ''}`;
  expect(other.answer, `${question}\nis not as graphql-js answers`).toBe(one.answer);
}

/** The same question in another text, which is another document. */
let documents = 0;
export const unique = (query: string) => `${query}\n# ${++documents}`;
