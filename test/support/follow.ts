import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Client, TestApp } from './app.ts';

export const traceRecorded = `subscription ($filter: TraceFilter, $after: ID, $tenantAlias: String) {
  traceRecorded(filter: $filter, after: $after, tenantAlias: $tenantAlias) {
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

/** Where the app listens, on any free port. */
export const listen = (app: TestApp) => app.server.listen({ port: 0, host: '127.0.0.1' });

/** Follows the traces over a WebSocket; resolves when the server has taken the subscription up. */
export async function follow(
  url: string,
  { apiKey }: Pick<Client, 'apiKey'>,
  variables: Record<string, unknown> = {},
  query = traceRecorded,
): Promise<Following> {
  const following: Following = { events: [], errors: [], stop: async () => {} };
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'api-key': apiKey },
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => {},
  });
  client.on('closed', (event) => {
    const { code, reason } = event as { code: number; reason: string };
    following.closed = { code, reason };
  });
  const unsubscribe = client.subscribe<any>(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (errors) following.errors.push(...errors);
        else following.events.push(data.traceRecorded);
      },
      error: (error) => void following.errors.push(...[error].flat()),
      complete: () => {},
    },
  );
  following.stop = async () => {
    unsubscribe();
    await client.dispose();
  };
  await new Promise<void>((resolve) => {
    client.on('connected', () => setTimeout(resolve, 50));
    client.on('closed', () => resolve());
  });
  return following;
}
