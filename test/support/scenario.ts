import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Reason } from '../../src/lib/errors.ts';
import type { Client, Method, TestApp } from './app.ts';

/** One request and all that must become of it. */
export interface Scenario {
  rest?: [method: Method, path: string, fields?: object | string, headers?: Record<string, string>];
  graphql?: [document: string, variables?: Record<string, unknown>, headers?: Record<string, string>];
  /** 200 for GraphQL unless given. */
  status?: number;
  /** The catalogue's word for the refusal; none unless given. */
  reason?: Reason;
  /** The fields that the cause of a refusal names, in any order. */
  paths?: string[];
  /** The exact keys of the answer, of each item where it is an array or a page, separated by spaces. */
  keys?: string;
  /** Fields that the response must contain. */
  holds?: object;
  has?: string[];
  hasNot?: string[];
  /** Every trace that the request writes, in order: `SubscriptionEvent created < IntentEvent succeeded`. None unless given. */
  traces?: string[];
}

/** A scenario with a name, for a table; its request may be made when the row's turn comes. */
export type Row = Omit<Scenario, 'rest' | 'graphql'> & {
  name: string;
  send: () => Pick<Scenario, 'rest' | 'graphql'>;
};

/** Sends requests of one client as scenarios. */
export type Perform = (scenario: Scenario) => Promise<any>;

/** A function that performs scenarios with the client, whose tenant is `alias`, and answers each body (or root field). */
export function performer(app: TestApp, client: Client, alias: string): Perform {
  return async ({ rest, graphql, status, ...expected }) => {
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-00000000000000aa-01`;
    const [first, second, third, headers] = rest ?? [];
    const answer = rest
      ? await client.rest(first!, second!, third, { traceparent, ...headers })
      : await client.post(graphql![0], graphql![1], { traceparent, ...graphql![2] });
    const refusal = rest ? restRefusal(answer.body) : graphqlRefusal(answer.body);
    expect(refusal?.reason, answer.text).toBe(expected.reason);
    expect(answer.status, answer.text).toBe(status ?? (graphql ? 200 : first === 'POST' ? 201 : 200));
    if (expected.paths) expect(refusal?.paths.toSorted()).toEqual(expected.paths.toSorted());
    const body = rest || refusal ? answer.body : Object.values<any>(answer.body.data)[0];
    if (expected.keys) expectKeys(body, expected.keys);
    if (expected.holds) expect(body).toMatchObject(expected.holds);
    for (const fragment of expected.has ?? []) expect(answer.text).toContain(fragment);
    for (const fragment of expected.hasNot ?? []) expect(answer.text).not.toContain(fragment);
    expect(await listTraces(app, alias, traceId)).toEqual(expected.traces ?? []);
    return body;
  };
}

/** The keys of an answer in the order of the alphabet; of every item where it is a list or a page. */
function expectKeys(body: any, keys: string) {
  const sorted = keys.split(' ').toSorted();
  const isPage = Array.isArray(body.data);
  if (isPage) expect(Object.keys(body).toSorted()).toEqual(['data', 'nextCursor']);
  const items = isPage ? body.data : [body].flat();
  for (const item of items) expect(Object.keys(item).toSorted()).toEqual(sorted);
}

/** Lists the traces of a request, oldest first, each with the event that caused it, if any. */
async function listTraces(app: TestApp, tenantAlias: string, traceId: string): Promise<string[]> {
  const traces = await app.service.store.committed.select('traces', {
    where: { tenantAlias, traceId },
    orderBy: ['eventId'],
  });
  const formatTrace = (trace?: (typeof traces)[number]) =>
    `${trace?.activityType} ${String(trace?.payload['action'])}`;
  return traces.map((trace) => {
    expect(trace.isRoot).toBe(trace.parentId === null);
    const cause = traces.find(({ eventId }) => eventId === trace.parentId);
    return trace.parentId ? `${formatTrace(trace)} < ${formatTrace(cause)}` : formatTrace(trace);
  });
}

interface Refusal {
  reason: string;
  paths: string[];
}

const listPaths = (issues?: { path: string }[]) => issues?.map(({ path }) => path) ?? [];

function restRefusal(body: any): Refusal | undefined {
  return body?.body?.reason && { reason: body.body.reason, paths: listPaths(body.cause?.issues) };
}

function graphqlRefusal(body: any): Refusal | undefined {
  const extensions = body?.errors?.[0]?.extensions;
  return extensions && { reason: extensions.reason, paths: listPaths(extensions.issues) };
}
