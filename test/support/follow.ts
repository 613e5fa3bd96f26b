import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Client, TestApp } from './app.ts';

export const traceRecorded = `subscription ($filter: TraceFilter, $after: ID) {
  traceRecorded(filter: $filter, after: $after) {
    id eventId activityType executorId tenantAlias createdAt payload
  }
}`;

/** The events that a live subscription has received. */
export interface Following {
  events: any[];
  errors: any[];
  closed?: { code: number; reason: string };
  stop(): Promise<void>;
}

/** A follower waits at most this long before it reads again. */
const longestWaitMs = 1000;

interface Waiting {
  count: number;
  /** Called when a follower begins to wait. */
  onWait: Set<() => void>;
  /** Called when a follower no longer waits. */
  onLeave: Set<() => void>;
}

/** The followers that wait for traces, by the address of their app. */
const waitingAt = new Map<string, Waiting>();

/** How many followers of an app of this process wait for traces. */
export const countWaiting = (url: string): number => waitingAt.get(url)!.count;

/** Lets the app listen on a port, any free one by default; returns its address. */
export async function listen(app: TestApp, port = 0): Promise<string> {
  const waiting: Waiting = { count: 0, onWait: new Set(), onLeave: new Set() };
  const { notifier } = app.service;
  const next = notifier.next.bind(notifier);
  notifier.next = async (tenantAlias, stop) => {
    waiting.count += 1;
    for (const notice of waiting.onWait) notice();
    const isNotified = await next(tenantAlias, stop);
    waiting.count -= 1;
    for (const notice of waiting.onLeave) notice();
    return isNotified;
  };
  const url = await app.server.listen({ port, host: '127.0.0.1' });
  waitingAt.set(url, waiting);
  return url;
}

/**
 * Follows the traces over a WebSocket; resolves when the subscription waits for traces, has sent one, or is refused. For
 * an app of another process it resolves when the connection is open.
 */
export async function follow(
  url: string,
  client: Pick<Client, 'apiKey'>,
  variables: Record<string, unknown> = {},
  query = traceRecorded,
  tenantAlias?: string,
): Promise<Following> {
  const { following, settled } = startFollowing(url, client, variables, query, tenantAlias);
  await settled;
  return following;
}

/** Begins to follow as `follow` does, which waits until `settled`. */
export function startFollowing(
  url: string,
  { apiKey }: Pick<Client, 'apiKey'>,
  variables: Record<string, unknown> = {},
  query = traceRecorded,
  tenantAlias?: string,
): { following: Following; settled: Promise<void> } {
  const following: Following = { events: [], errors: [], stop: async () => {} };
  const waiting = waitingAt.get(url);
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const before = waiting?.count ?? 0;
  let isWaiting = false;
  const notice = () => {
    if (waiting!.count <= before) return;
    isWaiting = true;
    settle();
  };
  waiting?.onWait.add(notice);
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'api-key': apiKey, 'perennial-tenant': tenantAlias },
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => {},
  });
  client.on('closed', (event) => {
    const { code, reason } = event as { code: number; reason: string };
    following.closed = { code, reason };
    settle();
  });
  if (!waiting) client.on('connected', settle);
  const unsubscribe = client.subscribe<any>(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (errors) following.errors.push(...errors);
        else following.events.push(Object.values(data)[0]);
        settle();
      },
      error: (error) => {
        following.errors.push(...[error].flat());
        settle();
      },
      complete: () => {},
    },
  );
  following.stop = async () => {
    const left = isWaiting && new Promise<void>((resolve) => waiting!.onLeave.add(resolve));
    unsubscribe();
    await client.dispose();
    // The next follower must not be counted together with this one, which may be reading and never wait again.
    if (left) await Promise.race([left, pause(longestWaitMs)]);
  };
  void settled.then(() => waiting?.onWait.delete(notice));
  return { following, settled };
}
